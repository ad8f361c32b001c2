import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { findingText } from "./stores-figures.ts";
import { peersFolder } from "./sync-peers.ts";
import type { PageName } from "./sync-stage.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** What a page and its worker load, by what is left out as not the engine's. */
const all = ["@fieldroll/sync/page", "@fieldroll/sync/worker", "@fieldroll/storage/indexeddb"]
  .map((name) => `export * from "${name}";`)
  .join(" ");
const engine = 'export * from "@fieldroll/sync/page"; export * from "@fieldroll/sync/worker";';

/** What an app loads for its records, minified and after gzip, beside what it would load with a peer. */
export async function benchSize(pages: readonly PageName[]): Promise<void> {
  const app = "examples/field-app";
  const alone = await kilobytes(engine, app, ["dexie", "zod", "@fieldroll/core"]);
  const ours = await kilobytes(all, app, ["dexie", "zod"]);
  const whole = await kilobytes(all, app);
  const peers = await Promise.all(
    others
      .filter(({ page }) => pages.includes(page))
      .map(async ({ name, source, folder }) => `${name} ${(await kilobytes(source, folder)).toFixed(1)}`),
  );
  process.stdout.write(
    findingText({
      name: "the engine with Comlink, Immer and UUIDs, without core, Dexie and Zod",
      value: `${alone.toFixed(1)} kB gz`,
      goal: "≤ 20 kB",
      figures: `with core and the store ${ours.toFixed(1)}, with Dexie and Zod too ${whole.toFixed(1)}; ${peers.join(", ")}`,
      reached: alone <= 20,
    }),
  );
}

const others: readonly {
  readonly page: PageName;
  readonly name: string;
  readonly source: string;
  readonly folder: string;
}[] = [
  { page: "dexie", name: "Dexie", source: 'export { Dexie } from "dexie";', folder: "examples/field-app" },
  {
    page: "rxdb",
    name: "RxDB with replication",
    source:
      'export { createRxDatabase } from "rxdb"; export { replicateRxCollection } from "rxdb/plugins/replication"; export { getRxStorageDexie } from "rxdb/plugins/storage-dexie";',
    folder: peersFolder,
  },
  {
    page: "pouchdb",
    name: "PouchDB",
    source: 'export { default } from "pouchdb-browser";',
    folder: peersFolder,
  },
];

/** @param folder from which packages are found */
async function kilobytes(
  contents: string,
  folder: string,
  external: readonly string[] = [],
): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(root, folder) },
    absWorkingDir: root,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["@fieldroll/source"],
    define: { "process.env.NODE_ENV": '"production"' },
    external: [...external],
    logLevel: "error",
  });
  return outputFiles.reduce((sum, { contents: bytes }) => sum + gzipSync(bytes).length, 0) / 1000;
}
