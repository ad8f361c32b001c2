import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, it } from "vitest";

/** A script of the field app, as a bundler makes it. */
async function scriptOf(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../examples/field-app/src/${name}`, import.meta.url))],
    bundle: true,
    write: false,
    format: "iife",
    target: "es2022",
    conditions: ["@fieldroll/source"],
    define: { "process.env.NODE_ENV": '"production"', appBuild: '"a-build"' },
  });
  return outputFiles.map(({ text }) => text).join("\n");
}

/** Runs the script of a worker where nothing may be compiled from strings; answers what was, and what the worker listens to. */
function run(script: string): { readonly compiled: readonly string[]; readonly heard: readonly string[] } {
  const compiled: string[] = [];
  const heard: string[] = [];
  const context = createContext({
    refuse(...given: string[]) {
      compiled.push(given.join());
      throw new EvalError("The content security policy forbids it.");
    },
    addEventListener: (kind: string) => heard.push(kind),
    postMessage: () => undefined,
  });
  runInContext(
    `globalThis.self = globalThis;
    globalThis.Function = new Proxy(Function, { construct: (_, given) => refuse(...given), apply: (_, self, given) => refuse(...given) });
    globalThis.eval = (text) => refuse(text);`,
    context,
  );
  runInContext(script, context);
  return { compiled, heard };
}

it("The field app's worker starts without compiling anything from strings, which the page's policy forbids and is slow to refuse", async () => {
  expect(run(await scriptOf("store-worker.ts"))).toEqual({
    compiled: [],
    heard: expect.arrayContaining(["message"]),
  });
});
