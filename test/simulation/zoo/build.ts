import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Plugin } from "esbuild";
import { bundleProgram } from "../../../.scripts/bundle.ts";
import type { simulate } from "../simulate.ts";
import type { Bug } from "./bugs.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The simulation, with one bug in the software that it looks at. */
export async function simulationWith(bug: Bug): Promise<typeof simulate> {
  const target = `${root}packages/sync/src/${bug.file}`;
  let changed = false;
  const plugin: Plugin = {
    name: "zoo",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        if (path !== target) return undefined;
        const text = await readFile(path, "utf8");
        if (text.split(bug.from).length !== 2) {
          throw new Error(`${bug.file} does not have this exactly once: ${bug.from}`);
        }
        changed = true;
        return { contents: text.replace(bug.from, () => bug.to), loader: "ts" };
      });
    },
  };
  const outfile = await bundleProgram(new URL("../simulate.ts", import.meta.url), [plugin]);
  if (!changed) throw new Error(`${bug.file} is not part of the simulation.`);
  const module: { simulate: typeof simulate } = await import(outfile);
  return module.simulate;
}
