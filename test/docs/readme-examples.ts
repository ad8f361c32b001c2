import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where an example stands that is not in the README of the checkout. */
const pages: Readonly<Record<string, string>> = {
  core: "packages/core/README.md",
  caller: "packages/core/README.md",
  storage: "packages/storage/README.md",
  server: "packages/server/README.md",
  sync: "packages/sync/README.md",
  page: "packages/sync/README.md",
  worker: "packages/sync/README.md",
  "without-eval": "packages/sync/README.md",
  "service-worker": "packages/sync/README.md",
  "node-service": "examples/node-service/README.md",
  "test-harness": "examples/test-harness/README.md",
};

/** The examples of all READMEs, by the word after `ts` on their first line. */
export const exampleNames = ["embed", "serve", "device", "decide", ...Object.keys(pages)];

/** The example of a README. */
export async function example(name: string): Promise<string> {
  const page = pages[name] ?? "README.md";
  const text = await readFile(join(root, page), "utf8");
  const code = new RegExp(`^\`\`\`ts ${name}\\n(.*?)^\`\`\``, "ms").exec(text)?.[1];
  if (code === undefined) throw new Error(`${page} has no example "ts ${name}"`);
  return code;
}

/** Writes an example into the checkout, so that it finds the packages. */
export async function written(name: string): Promise<string> {
  const folder = join(root, ".cache", "readme");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.ts`);
  await writeFile(file, await example(name));
  return file;
}
