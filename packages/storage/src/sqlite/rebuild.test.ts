import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSqliteStore } from "./index.ts";

const count = 30;

const person = (nth: number, version = 1) => ({
  ...{
    collection: "people",
    key: `k${nth}`,
    version,
    body: { nth },
    claims: [`claim ${nth}`],
    feeds: ["all"],
  },
  entries: { name: [`reyes ${nth}`] },
});

async function filled() {
  const client = new Database(":memory:");
  const store = await openSqliteStore({ client, substringIndexes: ["name"] });
  await store.commit({ put: Array.from({ length: count }, (_, nth) => person(nth)) });
  return { client, store };
}

async function faultsOf(store: Store): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => faults.push(fault));
  return faults;
}

async function expectMended(store: Store): Promise<void> {
  expect(await faultsOf(store)).not.toEqual([]);
  const left: StoreFault[] = [];
  await store.rebuild?.((fault) => left.push(fault));
  expect(left).toEqual([]);
  expect(await faultsOf(store)).toEqual([]);
  expect(await store.commit({ put: [person(3, 2), person(count)] })).toEqual({ ok: true });
  expect(await store.resolve(["claim 7", `claim ${count}`])).toMatchObject([
    { key: "k7" },
    { key: `k${count}` },
  ]);
  const where = [{ index: "name", contains: "reyes" }];
  expect((await store.query({ collection: "people", where, limit: 99 })).documents).toHaveLength(count + 1);
  const { changes } = await store.changes({ feed: "all", limit: 99 });
  expect(changes).toHaveLength(count + 1);
  expect(changes.slice(-2)).toMatchObject([{ document: { key: "k3" } }, { document: { key: `k${count}` } }]);
  expect(await faultsOf(store)).toEqual([]);
}

const numbers: readonly (readonly [name: string, sql: string])[] = [
  ["the store's position is one that documents have passed", "UPDATE store SET position = 5"],
  ["the store's position is the largest integer", "UPDATE store SET position = 9223372036854775807"],
  ["the store's position is negative", "UPDATE store SET position = -1"],
  ["the store has no row", "DELETE FROM store"],
  ["the store has two rows", "INSERT INTO store VALUES ('other', 4)"],
  [
    "the store has no row, and two documents have one position",
    "DELETE FROM store; UPDATE documents SET position = 20 WHERE key = 'k1'",
  ],
  [
    "a document's position is the largest integer",
    "UPDATE documents SET position = 9223372036854775807 WHERE key = 'k3'",
  ],
  ["a document's position is negative", "UPDATE documents SET position = -7 WHERE key = 'k3'"],
  ["a document's position is a text", "UPDATE documents SET position = 'x' WHERE key = 'k3'"],
  ["a document's position is a fraction", "UPDATE documents SET position = 2.5 WHERE key = 'k3'"],
  [
    "a document's row has the largest number",
    "UPDATE documents SET id = 9223372036854775807 WHERE key = 'k3'",
  ],
  [
    "a document's row has a negative number",
    "UPDATE documents SET id = -9223372036854775808 WHERE key = 'k3'",
  ],
  [
    "documents' rows have numbers that can't be told apart",
    "UPDATE documents SET id = 9223372036854775000 + id WHERE key IN ('k3', 'k4', 'k5')",
  ],
];

/** As if what waits had been moved: nothing has changed twice. */
const movedSql =
  "INSERT INTO feeds SELECT feed, position, told, collection, key FROM pending_feeds; DELETE FROM pending_feeds";

/** What SQLite reads exactly, and JavaScript does not. */
const enormous: readonly (readonly [name: string, sql: string])[] = [
  ["entries", "UPDATE entries SET idx = 9223372036854775003"],
  ["feeds", "UPDATE pending_feeds SET feed = 9223372036854775003"],
  ["positions", "UPDATE pending_feeds SET position = 9223372036854775000 + position"],
  ["feeds in their table", `${movedSql}; UPDATE feeds SET feed = 9223372036854775003`],
  ["positions in their table", `${movedSql}; UPDATE feeds SET position = 9223372036854775000 + position`],
  [
    "departures",
    "INSERT INTO departures VALUES ('people', 'k1', 9223372036854775003, 1), ('people', 'k1', 9223372036854775004, 1)",
  ],
  ["texts", "UPDATE substrings_1 SET id = 9223372036854775000 + id"],
];

const schemaOf = (client: InstanceType<typeof Database>) =>
  ["table_xinfo", "index_list"].map((pragma) =>
    client
      .prepare(
        `SELECT s.name AS of, p.* FROM sqlite_schema s, pragma_${pragma}(s.name) p
         WHERE s.type = 'table' AND s.name NOT GLOB '*_[0-9]*' ORDER BY s.name, p.name`,
      )
      .all(),
  );

function contentsOf(client: InstanceType<typeof Database>): unknown {
  const names = client
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .pluck()
    .all();
  return names.map((name) => [name, client.prepare(`SELECT * FROM ${name}`).all()]);
}

const derived = [
  ...["store", "claims", "entries", "feeds", "pending_feeds", "departures", "indexes", "feed_names"],
  ...["substring_indexes", "substrings_1", "codes_1"],
];

const broken: readonly (readonly [name: string, sql: string])[] = [
  ...derived.map((table) => [`the table ${table} is missing`, `DROP TABLE ${table}`] as const),
  [
    "every table but the documents is missing",
    derived
      .map((table) => `DROP TABLE ${table}`)
      .reverse()
      .join(";"),
  ],
  ["a trigger is missing", "DROP TRIGGER substrings_1_deleted"],
  ["a column was renamed", "ALTER TABLE entries RENAME COLUMN first TO other"],
];

const withoutGround: readonly (readonly [name: string, sql: string, says: RegExp])[] = [
  [
    "the documents are missing",
    "DROP TABLE documents",
    /table documents is missing, and with it every document.*backup/,
  ],
  [
    "the documents lack a column",
    "ALTER TABLE documents DROP COLUMN body",
    /can't be built anew.*backup.*body/,
  ],
  [
    "the store's row has one column too many",
    "DROP TABLE store; CREATE TABLE store (id TEXT NOT NULL, position INTEGER NOT NULL, more TEXT NOT NULL)",
    /does not fit its tables.*NOT NULL.*backup/,
  ],
  [
    "the store's row lacks a column",
    "ALTER TABLE store DROP COLUMN position",
    /can't be built anew.*backup.*position/,
  ],
  [
    "a view is in the place of a table",
    "DROP TABLE claims; CREATE VIEW claims AS SELECT 1",
    /can't be built anew.*backup/,
  ],
];

describe("rebuild", () => {
  it.each(broken)("mends a file where %s", async (_, sql) => {
    const { client, store } = await filled();
    const before = schemaOf(client);
    client.exec(sql);
    await expectMended(store);
    expect(schemaOf(client)).toEqual(before);
    await store.close();
  });

  it("forgets the names of feeds that no document is in any more, and gives their numbers to others", async () => {
    const { client, store } = await filled();
    const second = await openSqliteStore({ client, substringIndexes: ["name"] });
    const moved = (feed: string, version: number) => ({
      put: [{ ...person(3, version), feeds: ["all", feed] }],
    });
    await store.commit(moved("left", 2));
    await second.commit(moved("kept", 3));
    const names = () => client.prepare("SELECT feed FROM feed_names ORDER BY feed").pluck().all();
    expect(names()).toEqual(["all", "kept", "left"]);
    await store.rebuild?.(() => undefined);
    expect(names()).toEqual(["all", "kept"]);
    await second.commit(moved("other", 4));
    await store.commit(moved("left", 5));
    expect(await faultsOf(store)).toEqual([]);
    for (const each of [store, second]) {
      const told = async (feed: string) =>
        (await each.changes({ feed, limit: 9 })).changes.map(({ kind }) => kind);
      expect(await told("left")).toEqual(["put"]);
      expect([await told("kept"), await told("other")]).toEqual([["gone"], ["gone"]]);
    }
    await store.close();
  });

  it.each(withoutGround)("refuses as corrupt when %s, and writes nothing", async (_, sql, says) => {
    const { client, store } = await filled();
    client.exec(sql);
    const before = contentsOf(client);
    const rebuilding = store.rebuild?.(() => undefined);
    await expect(rebuilding).rejects.toMatchObject({ code: "corrupt", message: expect.stringMatching(says) });
    expect(contentsOf(client)).toEqual(before);
    await store.close();
  });

  it.each(enormous)("mends a file with %s of enormous numbers", async (_, sql) => {
    const { client, store } = await filled();
    client.exec(sql);
    await expectMended(store);
    await store.close();
  });

  it.each(numbers)("mends a file where %s", async (_, sql) => {
    const { client, store } = await filled();
    client.exec(sql);
    await expectMended(store);
    await store.close();
  });

  it.each([
    ["a feed", "DELETE FROM feed_names WHERE feed = 'all'"],
    ["all feeds", "DROP TABLE feed_names"],
    ["an index", "DELETE FROM indexes WHERE idx = 'area'"],
    ["all indexes", "DELETE FROM indexes"],
  ])("has other processes number %s as it does when that was lost", async (_, sql) => {
    const folder = await mkdtemp(join(tmpdir(), "fieldroll-rebuild-"));
    const path = join(folder, "a.db");
    const placed = (nth: number) => ({
      ...{ ...person(nth), feeds: [`area ${nth % 2}`, "all"] },
      entries: { area: [`area ${nth}`], name: [`reyes ${nth}`] },
    });
    const running = await openSqliteStore({ path });
    // In another order than a rebuild's.
    await running.commit({ put: [{ ...placed(8), collection: "towns" }, placed(2), placed(1)] });
    new Database(path).exec(sql).close();
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await store.rebuild?.(() => expect.unreachable());
    expect(await running.commit({ put: [placed(3)] })).toEqual({ ok: true });
    expect(await faultsOf(store)).toEqual([]);
    const { changes } = await store.changes({ feed: "all", limit: 9 });
    expect(changes.at(-1)).toMatchObject({ document: { key: "k3" } });
    const where = [{ index: "area", anyOf: ["area 3"] }];
    expect((await store.query({ collection: "people", where, limit: 9 })).documents).toHaveLength(1);
    await Promise.all([running.close(), store.close()]);
    await rm(folder, { recursive: true });
  });

  it("keeps the positions that documents have", async () => {
    const { client, store } = await filled();
    const positions = () => client.prepare("SELECT key, position FROM documents ORDER BY key").all();
    const before = positions();
    client.exec("UPDATE store SET position = 10");
    await store.rebuild?.(() => undefined);
    expect(positions()).toEqual(before);
    await store.close();
  });

  it("keeps no number of each document in mind, as there may be more than a set takes", async () => {
    const { client, store } = await filled();
    await store.commit({ put: Array.from({ length: 2000 }, (_, nth) => person(nth + count)) });
    client.exec("UPDATE documents SET position = 1500 WHERE key IN ('k3', 'k1900')");
    let largest = 0;
    const add = Set.prototype.add;
    const spy = vi.spyOn(Set.prototype, "add").mockImplementation(function (this: Set<unknown>, value) {
      largest = Math.max(largest, this.size);
      return add.call(this, value);
    });
    await store.rebuild?.(() => undefined).finally(() => spy.mockRestore());
    expect(largest).toBeLessThan(1000);
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });
});

describe("a file that lacks a part of its schema", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-rebuild-"));
    const { client, store } = await filled();
    client.prepare("VACUUM INTO ?").run(join(folder, "whole.db"));
    await store.close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  async function fileWithout(sql: string): Promise<string> {
    const path = join(folder, "a.db");
    await rm(path, { force: true });
    await copyFile(join(folder, "whole.db"), path);
    new Database(path).exec(sql).close();
    return path;
  }

  it.each([...derived, "documents"])("is refused as corrupt without the table %s", async (table) => {
    const path = await fileWithout(`DROP TABLE ${table}`);
    const opening = openSqliteStore({ path });
    await expect(opening).rejects.toMatchObject({ code: "corrupt" });
    await expect(opening).rejects.toThrow(
      table === "documents"
        ? /table documents is missing.*backup/
        : new RegExp(`the table ${table}\\b.* missing`),
    );
  });

  it.each(derived)("is opened to be mended without the table %s, and is whole afterwards", async (table) => {
    const path = await fileWithout(`DROP TABLE ${table}`);
    const damaged = await openSqliteStore({ path, substringIndexes: ["name"], afterCrash: "open" });
    await expectMended(damaged);
    await damaged.close();
    const store = await openSqliteStore({ path, substringIndexes: ["name"] });
    expect(await faultsOf(store)).toEqual([]);
    const where = [{ index: "name", contains: "reyes 7" }];
    expect((await store.query({ collection: "people", where, limit: 9 })).documents).toHaveLength(1);
    await store.close();
    const file = new Database(path);
    expect(file.prepare("SELECT idx FROM substring_indexes").pluck().all()).toEqual(["name"]);
    file.close();
  });

  it("is opened when tables of trigrams are left that it lists no longer", async () => {
    const path = await fileWithout("DELETE FROM substring_indexes");
    const store = await openSqliteStore({ path, substringIndexes: ["name"] });
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });

  it("is refused as corrupt at a call, when the part was taken away since it was opened", async () => {
    const { client, store } = await filled();
    client.exec("DROP TABLE claims");
    const refused = {
      code: "corrupt",
      message: expect.stringMatching(/lacks a table.*no such table: claims/),
    };
    await expect(store.resolve(["claim 1"])).rejects.toMatchObject(refused);
    await expect(store.commit({ put: [person(99)] })).rejects.toMatchObject(refused);
    await store.close();
  });
});
