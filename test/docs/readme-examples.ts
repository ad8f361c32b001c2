import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The examples of the README, by the word after `ts` on their first line. */
export async function example(name: string): Promise<string> {
  const text = await readFile(join(root, "README.md"), "utf8");
  const code = new RegExp(`^\`\`\`ts ${name}\\n(.*?)^\`\`\``, "ms").exec(text)?.[1];
  if (code === undefined) throw new Error(`README.md has no example "ts ${name}"`);
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
