import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { type Edge, judgeImport, type PackageFacts } from "./import-rules.ts";
import { type Finding, findBrowserGlobals, findImpurities } from "./purity-rules.ts";
import { checkedOutFiles, importsOf, readSources, root, type Source } from "./source.ts";

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly "@fieldroll/source": string }>>;
}

function readFacts(folder: string): PackageFacts {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest;
  return {
    specifiers: Object.keys(manifest.exports).map((subpath) => posix.join(manifest.name, subpath)),
    entries: Object.values(manifest.exports).map((target) => posix.join(folder, target["@fieldroll/source"])),
  };
}

const facts = readdirSync(join(root, "packages")).map((name) => readFacts(`packages/${name}`));
const sources = readSources();

/** One line per finding, so that a failure reads like a list of things to do. */
const listed = (findings: readonly Finding[]): string[] =>
  findings.map(({ path, line, message }) => `${path}:${line}: ${message}`);

const within = (...folders: readonly string[]): Source[] =>
  sources.filter(
    ({ path }) => folders.some((folder) => path.startsWith(folder)) && !/\.test\.tsx?$/.test(path),
  );

describe("architecture", () => {
  it("has only the import edges that the design draws", () => {
    const findings = sources.flatMap((source) =>
      importsOf(source).flatMap(({ specifier, line }) => {
        const message = judgeImport({ from: source.path, to: specifier }, facts);
        return message === undefined ? [] : [{ path: source.path, line, message }];
      }),
    );
    expect(listed(findings)).toEqual([]);
  });

  it("keeps time, randomness and ids out of core and sync, but for sync's rim to the host", () => {
    const logic = within("packages/core/src/", "packages/sync/src/");
    const judged = logic.filter(({ path }) => !/^packages\/sync\/src\/(browser\/|host\.ts$)/.test(path));
    expect(listed(judged.flatMap(findImpurities))).toEqual([]);
  });

  it("touches the browser's globals only in sync's rims and in the IndexedDB adapter", () => {
    const judged = within("packages/").filter(
      ({ path }) => !/^packages\/(sync\/src\/(browser|react)|storage\/src\/indexeddb)\//.test(path),
    );
    expect(listed(judged.flatMap(findBrowserGlobals))).toEqual([]);
  });

  it("has no file above 400 lines", () => {
    const long = sources
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .filter(({ lines }) => lines > 400)
      .map(({ path, lines }) => `${path}: ${lines} lines; split it along its concerns.`);
    expect(long).toEqual([]);
  });

  it("has only known entries at the top of the checkout", () => {
    const known = new Set(["package.json", "package-lock.json", "tsconfig.json", "README.md"]);
    const folders = new Set(["packages", "examples", "test", "docs"]);
    const unknown = checkedOutFiles().filter((path) => {
      const [top = "", ...below] = path.split("/");
      return !(top.startsWith(".") || (below.length ? folders.has(top) : known.has(top)));
    });
    expect(unknown).toEqual([]);
  });
});

describe("the rules themselves", () => {
  const refused: readonly (Edge & { readonly says: RegExp })[] = [
    { from: "packages/sync/src/engine.ts", to: "@fieldroll/server", says: /never import each other/ },
    {
      from: "packages/server/src/handler.ts",
      to: "@fieldroll/storage/sqlite",
      says: /never import each other/,
    },
    { from: "packages/sync/src/push.test.ts", to: "@fieldroll/server", says: /never import each other/ },
    {
      from: "packages/core/src/registry/create.ts",
      to: "@fieldroll/storage/sqlite",
      says: /no other package/,
    },
    { from: "packages/core/src/text.ts", to: "lodash", says: /zod and nothing/ },
    { from: "packages/core/src/text.ts", to: "node:fs", says: /node:fs.*only in/ },
    { from: "packages/server/src/http/route.ts", to: "node:fs", says: /node:fs.*only in/ },
    { from: "packages/server/src/http/route.ts", to: "../node/listen.ts", says: /Node rim/ },
    { from: "packages/sync/src/engine.ts", to: "../../core/src/json.ts", says: /public name/ },
    { from: "packages/sync/src/engine.ts", to: "@fieldroll/core/src/json.ts", says: /no public subpath/ },
    { from: "packages/core/src/registry/create.ts", to: "../index.ts", says: /entry file/ },
    { from: "packages/core/src/registry/create.ts", to: "@fieldroll/core", says: /relative path/ },
    { from: "packages/sync/src/engine.ts", to: "@fieldroll/core/testing", says: /for tests/ },
    { from: "packages/server/src/http/handler.ts", to: "prom-client", says: /prom-client.*only in/ },
    { from: "packages/server/src/cli/serve.ts", to: "prom-client", says: /prom-client.*only in/ },
    { from: "packages/server/src/http/perform.ts", to: "jose", says: /jose.*only in/ },
    { from: "packages/server/src/http/perform.ts", to: "uuid", says: /uuid.*only in/ },
    { from: "packages/sync/src/engine.ts", to: "zod", says: /zod.*only in/ },
    { from: "packages/sync/src/engine.ts", to: "lodash", says: /no rule yet/ },
    { from: "packages/sync/src/engine.ts", to: "react", says: /react.*only in/ },
    { from: "packages/storage/src/sqlite/open.ts", to: "dexie", says: /dexie.*only in/ },
    {
      from: "examples/field-app/src/app.tsx",
      to: "../../../packages/sync/src/engine.ts",
      says: /outside examples/,
    },
    { from: "test/sync/story.test.ts", to: "../../packages/sync/src/engine.ts", says: /public subpaths/ },
  ];

  it.each(refused)("refuse $to in $from", ({ from, to, says }) => {
    expect(judgeImport({ from, to }, facts)).toMatch(says);
  });

  const allowed: readonly Edge[] = [
    { from: "packages/sync/src/engine.ts", to: "@fieldroll/core" },
    { from: "packages/server/src/cli/main.ts", to: "@fieldroll/storage/sqlite" },
    { from: "packages/server/src/node/listen.ts", to: "node:http" },
    { from: "packages/server/src/node/metrics.ts", to: "prom-client" },
    { from: "packages/core/src/resource/schemas.ts", to: "zod" },
    { from: "packages/storage/src/sqlite/store.test.ts", to: "@fieldroll/core/testing" },
    { from: "packages/core/src/registry/create.ts", to: "../json.ts" },
    { from: "test/sync/story.test.ts", to: "@fieldroll/server" },
    { from: "examples/node-service/src/main.ts", to: "@fieldroll/storage/sqlite" },
  ];

  it.each(allowed)("allow $to in $from", (edge) => {
    expect(judgeImport(edge, facts)).toBeUndefined();
  });

  it("see every way to write an import", () => {
    const text = `
      import a, { type B } from "a";
      import type { C } from "c";
      import "side-effect";
      export { d } from "d";
      const e = await import("e");
      type F = import("f").F;
      // import "in-a-comment";
      const g = 'import x from "in-a-string"';
    `;
    const found = importsOf({ path: "made-up.ts", text }).map(({ specifier }) => specifier);
    expect(found).toEqual(["a", "c", "side-effect", "d", "e", "f"]);
  });

  it("see impure calls, and no conversions", () => {
    const text =
      "new Date(); Date.now(); Math.random(); globalThis.crypto.randomUUID(); new Date(5); clock.now();";
    expect(findImpurities({ path: "made-up.ts", text })).toHaveLength(4);
  });

  it("see the browser's globals, and no names that merely look alike", () => {
    const uses = "navigator.onLine; typeof window; const db = indexedDB; fetch({ localStorage });";
    expect(findBrowserGlobals({ path: "made-up.ts", text: uses })).toHaveLength(4);
    const alike =
      "function f(document: D) { return document.body.window; } interface D { navigator: string }";
    expect(findBrowserGlobals({ path: "made-up.ts", text: alike })).toEqual([]);
  });
});
