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

/** SQLite takes away no table whose pages it can't read. */
const damages: readonly (readonly [name: string, damage: (path: string) => Promise<void>, mends: boolean])[] =
  [
    ["the page of the configuration is lost", (path) => losePage(path, "codes_1_config"), false],
    ["the first page of the data is lost", (path) => losePage(path, "codes_1_data"), false],
    ["the page of the data's index is lost", (path) => losePage(path, "codes_1_idx"), false],
    ["the configuration is of no version", run("UPDATE codes_1_config SET v = 0 WHERE k = 'version'"), true],
    ["the configuration is gone", run("DROP TABLE codes_1_config"), true],
    ["the data are gone", run("DROP TABLE codes_1_data"), true],
    ["the data's index has no row", run("DELETE FROM codes_1_idx"), true],
    [
      "the data's index lacks one row",
      run("DELETE FROM codes_1_idx WHERE term = (SELECT max(term) FROM codes_1_idx)"),
      true,
    ],
    ["the data are others", run("UPDATE codes_1_data SET block = zeroblob(40)"), true],
    [
      "the data make FTS5 ask for more memory than there is",
      run("UPDATE codes_1_data SET block = x'0000000201010400ffffff04' WHERE id = 10"),
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

/** A letter that a failing disk changes in the declaration of the table, which SQLite reads before anything else of it. */
const declarations: readonly (readonly [from: string, to: string])[] = [
  ["fts5", "fts6"],
  ["tokenize", "tokenizf"],
  ["sensitive 1", "sensitive 7"],
  ["detail = none", "detail = nonf"],
  ["columnsize = 0", "columnsize = x"],
  ["'substrings_1'", "'substringz_1'"],
];

async function misdeclared(from: string, to: string): Promise<string> {
  const path = await made(`${from} as ${to}`);
  const file = new Database(path).unsafeMode(true);
  file.pragma("writable_schema = ON");
  const sql = "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE name = 'codes_1' AND instr(sql, ?)";
  expect(file.prepare(sql).run(from, to, from).changes).toBe(1);
  file.close();
  return path;
}

describe("a file in which the declaration of a table of trigrams is damaged", () => {
  it.each(declarations)("is opened to be looked after, and mended: %s as %s", async (from, to) => {
    const path = await misdeclared(from, to);
    const store = await openSqliteStore({ path, afterCrash: "open" });
    const faults: StoreFault[] = [];
    const census = await store.verify?.((fault) => faults.push(fault));
    expect(census).toMatchObject({ documents: count, claims: count, entries: count });
    expect(faults.map(({ about }) => about)).toContain("substrings");
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
    await store.rebuild?.(() => expect.unreachable());
    await store.verify?.(() => expect.unreachable());
    await store.close();
    const mended = await openSqliteStore({ path });
    const where = [{ index: "name", contains: "reyes" }];
    expect(await mended.count?.({ collection: "people", where })).toBe(count);
    expect(await mended.commit({ remove: [{ collection: "people", key: "k1" }] })).toEqual({ ok: true });
    await mended.verify?.(() => expect.unreachable());
    await mended.close();
    const file = new Database(path);
    expect(file.pragma("integrity_check", { simple: true })).toBe("ok");
    file.close();
  });

  it("is refused as corrupt, not as one that this SQLite can't keep", async () => {
    const path = await misdeclared("case_sensitive", "case-sensitive");
    const message = expect.stringMatching(/declaration of a table of trigrams is damaged.*fieldroll reindex/);
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt", message });
  });

  it("stays as it is where the client lets nobody strike it out", async () => {
    const path = await misdeclared("content_rowid", "content-rowid");
    const file = new Database(path);
    const client = {
      prepare: (sql: string) => file.prepare(sql),
      exec: (sql: string) => file.exec(sql),
      close: () => file.close(),
    };
    const store = await openSqliteStore({ client, afterCrash: "open" });
    const before = file.prepare("SELECT * FROM claims").all();
    const message = expect.stringMatching(/codes_1 is damaged.*Nothing was written.*restore a backup/);
    await expect(store.rebuild?.(() => undefined)).rejects.toMatchObject({ code: "corrupt", message });
    expect(file.prepare("SELECT * FROM claims").all()).toEqual(before);
    const names = "SELECT count(*) FROM sqlite_schema WHERE name GLOB 'codes_1*'";
    expect(file.prepare(names).pluck().get()).toBe(4);
    await store.close();
  });
});
