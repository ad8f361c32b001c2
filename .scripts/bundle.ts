import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
let bundles = 0;

/**
 * Bundles a program of the project for Node into one file of this process's own, so that each process that runs it
 * starts in no time, and all of them with the code of now. A package's program stays in that package, whose manifest it reads.
 *
 * @param plugins of esbuild, through which its sources go
 * @returns the file's path
 */
export async function bundleProgram(source: URL, plugins: Plugin[] = []): Promise<string> {
  const path = fileURLToPath(source);
  const home = /^packages\/[^/]+\//.exec(path.slice(root.length))?.[0] ?? "";
  const outfile = join(root, home, ".cache", "programs", `${process.pid}-${++bundles}.mjs`);
  process.once("exit", () => rmSync(outfile, { force: true }));
  await build({
    entryPoints: [path],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@fieldroll/source"],
    // Native ones.
    external: ["better-sqlite3", "pg"],
    logLevel: "error",
    plugins,
    // Packages of the other module system ask for Node's own modules as they run.
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  return outfile;
}

let command: Promise<string> | undefined;

/** The command `fieldroll`, bundled once in this process. @returns the file's path */
export function bundledCommand(): Promise<string> {
  command ??= bundleProgram(new URL("../packages/server/src/cli/main.ts", import.meta.url));
  return command;
}
