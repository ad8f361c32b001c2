import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";

/** What the worker is made of, from the app's folder: its entry, the packages, and the versions of all others. */
const sources = ["src/store-worker.ts", "src/without-eval.ts", "../../package-lock.json"];
const folders = ["core", "storage", "sync"].map((name) => `../../packages/${name}/src/`);

/**
 * Names the build of the app's worker by its sources, so that builds with the same worker have one name: a change of a screen is no
 * reason to download the worker again.
 */
export async function buildId(folder: URL): Promise<string> {
  const inFolders = await Promise.all(
    folders.map(async (path) => {
      const names = await readdir(new URL(path, folder), { recursive: true });
      return names.filter((name) => /(?<!\.test)\.tsx?$/.test(name)).map((name) => path + name);
    }),
  );
  const hash = createHash("sha256");
  for (const path of [...sources, ...inFolders.flat().sort()]) {
    hash.update(`${path}\n`).update(await readFile(new URL(path, folder)));
  }
  return hash.digest("hex").slice(0, 12);
}
