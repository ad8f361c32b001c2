import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-trigrams-"));
});
afterAll(() => rm(folder, { recursive: true }));

const count = 300;

async function made(name: string): Promise<string> {
  const path = join(folder, `${name.replaceAll(/\W/g, "-")}.db`);
  const store = await openSqliteStore({ path });
  const put = Array.from({ length: count }, (_, nth) => ({
    ...{ collection: "people", key: `k${nth}`, version: 1, body: nth, claims: [`claim ${nth}`] },
    entries: { name: [`reyes ${nth * 7919}`] },
  }));
  await store.commit({ put });
  await store.close();
  return path;
}

/** Fills a table's first page with zeros. */
async function losePage(path: string, table: string): Promise<void> {
  const file = new Database(path);
  const page = Number(file.prepare("SELECT min(pageno) FROM dbstat WHERE name = ?").pluck().get(table));
  file.close();
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, (page - 1) * 4096, page * 4096));
}

const run = (sql: string) => async (path: string) => {
  new Database(path).unsafeMode(true).exec(sql).close();
};

/** FTS5 takes away only what it can read, and lets nobody else do it. */
const damages: readonly (readonly [name: string, damage: (path: string) => Promise<void>, mends: boolean])[] =
  [
    ["the page of the configuration is lost", (path) => losePage(path, "trigrams_1_config"), false],
    ["the first page of the data is lost", (path) => losePage(path, "trigrams_1_data"), false],
    ["the page of the data's index is lost", (path) => losePage(path, "trigrams_1_idx"), false],
    [
      "the configuration is of no version",
      run("UPDATE trigrams_1_config SET v = 0 WHERE k = 'version'"),
      false,
    ],
    ["the configuration is gone", run("DROP TABLE trigrams_1_config"), false],
    ["the data are gone", run("DROP TABLE trigrams_1_data"), true],
    ["the data are others", run("UPDATE trigrams_1_data SET block = zeroblob(40)"), true],
    [
      "the data make FTS5 ask for more memory than there is",
      run("UPDATE trigrams_1_data SET block = x'0000000201010400ffffff04' WHERE id = 10"),
      true,
    ],
    ["the names of the indexes are bytes", run("UPDATE substring_indexes SET idx = CAST(idx AS BLOB)"), true],
    [
      "the name of an index is lost",
      run("UPDATE substring_indexes SET idx = x'ff00' WHERE number = 1"),
      true,
    ],
    [
      "an index is listed twice, once as bytes",
      run(
        "INSERT INTO substring_indexes (idx) SELECT CAST(idx AS BLOB) FROM substring_indexes WHERE number = 1",
      ),
      true,
    ],
  ];

describe("a file whose trigrams are damaged", () => {
  it.each(damages)(
    "is opened to be looked after where %s, and verify tells it",
    async (name, damage, mends) => {
      const path = await made(name);
      await damage(path);
      const store = await openSqliteStore({ path, afterCrash: "open" });
      const faults: StoreFault[] = [];
      const census = await store.verify?.((fault) => faults.push(fault));
      expect(census).toMatchObject({ documents: count, claims: count, entries: count });
      expect(faults.map(({ about }) => about)).toContain("substrings");
      expect(faults.filter(({ about }) => about !== "substrings" && about !== "medium")).toEqual([]);
      const { documents } = await store.query({ collection: "people", limit: count });
      expect(documents).toHaveLength(count);
      const rebuilding = store.rebuild?.(() => undefined);
      const refused = { code: "corrupt", message: expect.stringContaining("backup") };
      if (mends) await rebuilding;
      else await expect(rebuilding).rejects.toMatchObject(refused);
      const left: StoreFault[] = [];
      await store.verify?.((fault) => left.push(fault));
      expect(left).toHaveLength(mends ? 0 : faults.length);
      await store.close();
      const opening = openSqliteStore({ path });
      if (mends) await (await opening).close();
      else await expect(opening).rejects.toMatchObject({ code: "corrupt" });
    },
  );
});
