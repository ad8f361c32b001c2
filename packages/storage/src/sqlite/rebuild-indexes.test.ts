import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "./open.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-indexes-"));
  path = join(folder, "a.db");
  const store = await openSqliteStore({ path });
  for (const key of ["0", "a", "b", "c"]) {
    const claims = [`urn|${key}`];
    const entries = { nick: [key], name: [`name ${key}`] };
    await store.commit({
      put: [{ collection: "p", key, version: 1, body: 1, claims, entries, feeds: ["area:1"] }],
    });
  }
  await store.close();
});
afterEach(() => rm(folder, { recursive: true }));

/** In the pages of one tree, the first place of some bytes gets others of the same number: the tree stays well-formed. */
async function damage(tree: string, from: string, to: string): Promise<void> {
  const file = new Database(path);
  file.pragma("wal_checkpoint(TRUNCATE)");
  const pages = file.prepare("SELECT pageno FROM dbstat WHERE name = ?").pluck().all(tree) as number[];
  file.close();
  const bytes = await readFile(path);
  const places = pages.map((page) => [
    page,
    bytes.subarray((page - 1) * 4096, page * 4096).indexOf(from, 0, "latin1"),
  ]);
  const [page = 0, at = 0] = places.find(([, found = -1]) => found >= 0) ?? [];
  expect(page).toBeGreaterThan(0);
  bytes.write(to, (page - 1) * 4096 + at, "latin1");
  await writeFile(path, bytes);
}

/** One letter of a table's declaration, and what was the number of its row is a column like any other. */
function misdeclare(table: string): void {
  const file = new Database(path).unsafeMode();
  file.pragma("writable_schema = ON");
  const sql =
    "UPDATE sqlite_schema SET sql = replace(sql, 'PRIMARY', 'PRIMAQY') WHERE type = 'table' AND name = ?";
  expect(file.prepare(sql).run(table).changes).toBe(1);
  file.close();
}

async function faultsOf(store: Store): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => faults.push(fault));
  return faults;
}

async function rebuilt(store: Store): Promise<readonly StoreFault[]> {
  const told: StoreFault[] = [];
  await store.rebuild?.((fault) => told.push(fault));
  return told;
}

const held = ["urn|0", "urn|a", "urn|b", "urn|c"];

describe("rebuild", () => {
  it.each([
    // Row 4 is that of c: the index of keys says that it is row 3, which is that of b.
    { tree: "sqlite_autoindex_documents_1", from: "pc\u0004", to: "pc\u0003" },
    { tree: "indexes", from: "pnick", to: "pnicK" },
    { tree: "sqlite_autoindex_indexes_1", from: "pnick", to: "pnicK" },
    { tree: "feed_names", from: "area:1", to: "area:2" },
    { tree: "sqlite_autoindex_feed_names_1", from: "area:1", to: "area:2" },
    { tree: "substring_indexes", from: "name", to: "namE" },
    { tree: "sqlite_autoindex_substring_indexes_1", from: "name", to: "namE" },
  ])("mends $tree, and loses no sound document", async ({ tree, from, to }) => {
    await damage(tree, from, to);
    const store = await openSqliteStore({ path, afterCrash: "open" });
    expect(await faultsOf(store)).not.toEqual([]);
    const before = await store.resolve(held);
    expect(await rebuilt(store)).toEqual([]);
    expect(await faultsOf(store)).toEqual([]);
    expect(await store.resolve(held)).toEqual(before);
    const where = [{ index: "name", contains: "name" }];
    expect((await store.query({ collection: "p", where, limit: 9 })).documents).toHaveLength(4);
    await store.close();
    await (await openSqliteStore({ path })).close();
  });

  it.each([
    { tree: "documents", from: "pc", to: "px" },
    { tree: "sqlite_autoindex_documents_1", from: "pc", to: "px" },
  ])(
    "tells the document whose key is another in $tree, as one of the two is damaged",
    async ({ tree, from, to }) => {
      await damage(tree, from, to);
      const store = await openSqliteStore({ path, afterCrash: "open" });
      const key = tree === "documents" ? "x" : "c";
      expect(await rebuilt(store)).toMatchObject([{ about: "document", at: { collection: "p", key } }]);
      expect(await faultsOf(store)).toEqual([]);
      expect(await store.resolve(["urn|c"])).toEqual([{ collection: "p", key }]);
      await store.close();
    },
  );

  it("refuses where two rows are of one document, names it, and writes nothing", async () => {
    await damage("documents", "pc", "pb");
    const store = await openSqliteStore({ path, afterCrash: "open" });
    const before = await store.resolve(held);
    await expect(rebuilt(store)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(/document p "b" is there more than once.*Restore a backup/),
    });
    expect(await store.resolve(held)).toEqual(before);
    await store.close();
  });

  it("refuses as corrupt where two rows have one number, and writes nothing", async () => {
    const file = new Database(path);
    file.pragma("wal_checkpoint(TRUNCATE)");
    const page = file.prepare("SELECT pageno FROM dbstat WHERE name = 'documents'").pluck().get() as number;
    file.close();
    const bytes = await readFile(path);
    const start = (page - 1) * 4096;
    // A leaf names its rows after eight bytes; each begins with its length and its number (sqlite.org/fileformat.html, 1.6).
    const numberAt = (nth: number) => start + bytes.readUInt16BE(start + 8 + 2 * nth) + 1;
    expect([0, 1, 2, 3].map((nth) => bytes[numberAt(nth)])).toEqual([1, 2, 3, 4]);
    bytes[numberAt(2)] = 2;
    await writeFile(path, bytes);
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await expect(rebuilt(store)).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringMatching(/does not fit its tables.*UNIQUE.*Restore a backup/),
    });
    expect(await store.resolve(held)).toHaveLength(4);
    await store.close();
  });

  it.each(["NULL", "x'62'"])(
    "tells a document whose key is %s, and builds what the others declare",
    async (value) => {
      const file = new Database(path);
      file.exec(`PRAGMA ignore_check_constraints = ON; CREATE TABLE other AS SELECT * FROM documents;
      UPDATE other SET key = ${value} WHERE key = 'b'`);
      file.unsafeMode();
      const sql = file
        .prepare("SELECT sql FROM sqlite_schema WHERE name = 'documents'")
        .pluck()
        .get() as string;
      file.exec(`DROP TABLE documents; ${sql.replace("key TEXT NOT NULL", "key BLOB")};
      INSERT INTO documents SELECT * FROM other; DROP TABLE other; PRAGMA writable_schema = ON`);
      file.prepare("UPDATE sqlite_schema SET sql = ? WHERE name = 'documents'").run(sql);
      file.close();
      const store = await openSqliteStore({ path, afterCrash: "open" });
      expect(await rebuilt(store)).toMatchObject([{ about: "document" }]);
      expect(await store.resolve(held)).toMatchObject([{ key: "0" }, { key: "a" }, undefined, { key: "c" }]);
      await store.close();
    },
  );

  it.each(["indexes", "feed_names", "substring_indexes"])(
    "mends the declaration of %s, whose rows had no numbers",
    async (table) => {
      misdeclare(table);
      const store = await openSqliteStore({ path, afterCrash: "open" });
      expect(await rebuilt(store)).toEqual([]);
      expect(await faultsOf(store)).toEqual([]);
      expect(await store.commit({ remove: [{ collection: "p", key: "a" }] })).toEqual({ ok: true });
      expect(await store.resolve(["urn|b"])).toMatchObject([{ key: "b" }]);
      await store.close();
    },
  );

  it("refuses where the documents' rows have no numbers, and verify tells it", async () => {
    misdeclare("documents");
    const store = await openSqliteStore({ path, afterCrash: "open" });
    const told = expect.stringContaining("the declaration of the table documents is damaged");
    expect(await faultsOf(store)).toContainEqual({ about: "medium", message: told });
    const before = await store.resolve(held);
    await expect(rebuilt(store)).rejects.toMatchObject({ code: "corrupt", message: told });
    expect(await store.resolve(held)).toEqual(before);
    await store.close();
  });

  it("leaves a claim of two documents to the smaller key, whichever was written first", async () => {
    const file = new Database(path);
    file.exec(`UPDATE documents SET claims = '["urn|x"]' WHERE key IN ('a', 'c');
      UPDATE documents SET id = 10 WHERE key = 'a'`);
    file.close();
    const store = await openSqliteStore({ path, afterCrash: "open" });
    expect(await rebuilt(store)).toMatchObject([{ about: "claim", at: { key: "c" } }]);
    expect(await store.resolve(["urn|x"])).toMatchObject([{ key: "a" }]);
    await store.close();
  });
});
