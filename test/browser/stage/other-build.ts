import { createHash } from "node:crypto";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../examples/field-app/dist", import.meta.url));

/** Copies the built app, with another page that says which build it is, as the build after a change would have one. */
export async function makeOtherBuild(folder: string, name: string): Promise<string> {
  const copy = join(folder, name);
  await cp(built, copy, { recursive: true });
  const page = join(copy, "index.html");
  const before = await readFile(page);
  const after = Buffer.from(
    before.toString().replace("</head>", `<meta name="build" content="${name}" /></head>`),
  );
  await writeFile(page, after);
  const worker = join(copy, "service-worker.js");
  const script = await readFile(worker, "utf8");
  const [old, now] = [before, after].map(
    (content) => `sha384-${createHash("sha384").update(content).digest("base64")}`,
  );
  const changed = script
    .replace(old ?? "", now ?? "")
    .replace(/(url:"index\.html",revision:)"[^"]*"/, `$1"${name}"`);
  if (!changed.includes(`revision:"${name}"`) || !changed.includes(now ?? ""))
    throw new Error("The list of the app's files was not found in its service worker.");
  await writeFile(worker, changed);
  return copy;
}
