import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BuildOptions, build } from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));

/**
 * Bundles a small app into a folder: a page, the real engine in a worker, and the service worker that keeps them. Beside it is
 * `store.html`, which does something to the app's store while that is closed.
 */
export async function bundleApp(folder: string): Promise<void> {
  const settings: BuildOptions = {
    bundle: true,
    format: "iife",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    outdir: folder,
  };
  const production = { "process.env.NODE_ENV": '"production"' };
  const entryPoints = ["tablet-page.ts", "tablet-worker.ts", "store-page.ts"].map((name) => join(here, name));
  await build({ ...settings, entryPoints, define: production });
  await writeFile(join(folder, "index.html"), '<!doctype html><script src="tablet-page.js"></script>');
  await writeFile(join(folder, "store.html"), '<!doctype html><script src="store-page.js"></script>');
  const names = ["index.html", "tablet-page.js", "tablet-worker.js"];
  const appFiles = await Promise.all(
    names.map(async (url) => ({ url, revision: digest(await readFile(join(folder, url))) })),
  );
  const define = { ...production, appFiles: JSON.stringify(appFiles) };
  await build({ ...settings, entryPoints: [join(here, "tablet-service-worker.ts")], define });
}

function digest(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
