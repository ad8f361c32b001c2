import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Query, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupSqliteStore, openSqliteStore, type SqliteClient } from "./index.ts";
import { schemaVersion } from "./schema.ts";
import {
  toSchema1,
  toSchema2,
  toSchema3,
  toSchema4,
  toSchema5,
  toSchema6,
  toSchema7,
} from "./test-support/earlier.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-migrate-"));
});
afterAll(() => rm(folder, { recursive: true }));

const names = ["Ana Reyes", "Ben Cruz", "Cora Reyes-Lim", "Dan Öz", "Eva 😀 Lim"];

async function fill(store: Store): Promise<void> {
  for (const [nth, name] of names.entries()) {
    const document = {
      collection: "c",
      key: `k${nth}`,
      version: 1,
      body: { name },
      claims: [`claim ${nth}`],
      entries: { name: [name, `other ${nth}`], place: [nth % 2 ? "north" : "south"] },
      feeds: nth % 2 ? ["all", "north"] : ["all"],
    };
    await store.commit({ put: [document] });
  }
  await store.commit({ remove: [{ collection: "c", key: "k4" }] });
  await store.commit({
    put: [
      {
        collection: "c",
        key: "k1",
        version: 2,
        body: { name: "Ben" },
        feeds: ["all"],
        entries: { name: ["Ben"] },
      },
    ],
  });
}

const queries: readonly Query[] = [
  { collection: "c", limit: 10 },
  { collection: "c", limit: 10, sort: { index: "name", descending: true } },
  { collection: "c", limit: 10, where: [{ index: "name", contains: "Reyes" }] },
  { collection: "c", limit: 10, where: [{ index: "name", contains: "Ö" }] },
  { collection: "c", limit: 10, where: [{ index: "name", prefix: "other" }], sort: { index: "place" } },
  { collection: "c", limit: 10, where: [{ index: "place", anyOf: ["south"] }] },
];

async function answers(store: Store): Promise<unknown> {
  return {
    queries: await Promise.all(queries.map((query) => store.query(query))),
    holders: await store.resolve(names.map((_, nth) => `claim ${nth}`)),
    feeds: await Promise.all(["all", "north"].map((feed) => store.changes({ feed, limit: 10 }))),
  };
}

const earlier = [
  { version: 1, indexes: [], turnBack: toSchema1 },
  { version: 2, indexes: ["name"], turnBack: toSchema2 },
  { version: 3, indexes: ["name", "address"], turnBack: toSchema3 },
  { version: 4, indexes: ["name", "place"], turnBack: toSchema4 },
  { version: 5, indexes: ["name", "place"], turnBack: toSchema5 },
  { version: 6, indexes: ["name", "place"], turnBack: toSchema6 },
  { version: 7, indexes: ["name", "place"], turnBack: toSchema7 },
] as const;

describe("a file of an earlier schema", () => {
  it.each(earlier)(
    "$version is brought up to date, with every answer the same",
    async ({ version, indexes, turnBack }) => {
      const path = join(folder, `${version}.db`);
      const store = await openSqliteStore({ path, substringIndexes: indexes });
      await fill(store);
      const before = await answers(store);
      await store.close();
      const file = new Database(path);
      turnBack(file);
      expect(file.pragma("user_version", { simple: true })).toBe(version);
      file.pragma("wal_checkpoint(TRUNCATE)");
      file.close();
      const kept = join(folder, `${version} kept.db`);
      await copyFile(path, kept);

      const migrated = await openSqliteStore({ path });
      expect(await answers(migrated)).toEqual(before);
      const put = [
        { collection: "c", key: "new", version: 1, body: 1, entries: { name: ["Fe Reyes"] }, feeds: ["all"] },
      ];
      expect(await migrated.commit({ put })).toEqual({ ok: true });
      const found = await migrated.query({
        collection: "c",
        limit: 10,
        where: [{ index: "name", contains: "Reyes" }],
      });
      expect(found.documents.map(({ key }) => key)).toEqual(["k0", "k2", "new"]);
      await migrated.close();
      const after = new Database(path);
      expect(after.pragma("user_version", { simple: true })).toBe(schemaVersion);
      after.close();

      // Two that open it at once bring it up to date once.
      const both = await Promise.all([openSqliteStore({ path: kept }), openSqliteStore({ path: kept })]);
      for (const one of both) expect(await answers(one)).toEqual(before);
      await Promise.all(both.map((one) => one.close()));
    },
  );

  it("is upgraded whole or not at all: cut off, the next opening does it", async () => {
    const path = join(folder, "cut off.db");
    const store = await openSqliteStore({ path });
    await fill(store);
    const before = await answers(store);
    await store.close();
    const file = new Database(path);
    toSchema3(file);
    const tables = () => file.prepare("SELECT name FROM sqlite_master ORDER BY name").pluck().all();
    const was = tables();
    const cut: SqliteClient = {
      prepare(sql) {
        if (sql === "COMMIT") throw new Error("the power is gone");
        return file.prepare(sql);
      },
      exec: (sql) => file.exec(sql),
      close: () => undefined,
    };
    await expect(openSqliteStore({ client: cut })).rejects.toThrow("the power is gone");
    expect(tables()).toEqual(was);
    expect(file.pragma("user_version", { simple: true })).toBe(3);
    file.close();
    const upgraded = await openSqliteStore({ path });
    expect(await answers(upgraded)).toEqual(before);
    await upgraded.close();
  });

  it("keeps what left a feed, and tells it once more when it comes back", async () => {
    const path = join(folder, "left.db");
    const store = await openSqliteStore({ path });
    await fill(store);
    await store.close();
    const file = new Database(path);
    toSchema3(file);
    file.close();
    const upgraded = await openSqliteStore({ path });
    const back = { collection: "c", key: "k1", version: 3, body: 1, feeds: ["north"] };
    await upgraded.commit({ put: [back, { ...back, key: "k4", version: 1 }] });
    const { changes } = await upgraded.changes({ feed: "north", limit: 10 });
    expect(
      changes.map((change) => [change.kind, "key" in change ? change.key : change.document.key]),
    ).toEqual([
      ["put", "k3"],
      ["put", "k1"],
      ["put", "k4"],
    ]);
    const all = await upgraded.changes({ feed: "all", limit: 10 });
    expect(all.changes.map(({ kind }) => kind)).toEqual(["put", "put", "put", "gone", "gone"]);
    await upgraded.close();
  });
});

describe("a file that says it has another schema than its tables", () => {
  const present = () => undefined;
  const wrong = [
    { has: schemaVersion, says: -1, turnBack: present, tables: `those of schema 4 to ${schemaVersion}` },
    { has: schemaVersion, says: 0, turnBack: present, tables: `those of schema 4 to ${schemaVersion}` },
    { has: schemaVersion, says: 1, turnBack: present, tables: `those of schema 4 to ${schemaVersion}` },
    { has: schemaVersion, says: 3, turnBack: present, tables: `those of schema 4 to ${schemaVersion}` },
    { has: 3, says: 4, turnBack: toSchema3, tables: "those of schema 3" },
    { has: 3, says: 2, turnBack: toSchema3, tables: "those of schema 3" },
    { has: 2, says: 3, turnBack: toSchema2, tables: "those of schema 1 or 2" },
    { has: 2, says: 1, turnBack: toSchema2, tables: "others" },
  ] as const;

  it.each(wrong)("($has, and says $says) is refused as corrupt, and left as it was", async (one) => {
    const path = join(folder, `has ${one.has} says ${one.says}.db`);
    const store = await openSqliteStore({ path });
    await fill(store);
    await store.close();
    const file = new Database(path);
    one.turnBack(file);
    file.pragma(`user_version = ${one.says}`);
    const objects = () => file.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name").all();
    const before = objects();
    for (const afterCrash of ["check", "open"] as const) {
      const opening = openSqliteStore({ path, afterCrash });
      await expect(opening).rejects.toMatchObject({ code: "corrupt" });
      await expect(opening).rejects.toThrow(
        `says that it has schema ${one.says} (PRAGMA user_version), but its tables are ${one.tables}`,
      );
      await expect(opening).rejects.toThrow("restore a backup");
    }
    expect(objects()).toEqual(before);
    expect(file.pragma("user_version", { simple: true })).toBe(one.says);
    file.close();
  });

  it("of no schema at all is refused as corrupt", async () => {
    const path = join(folder, "without documents.db");
    await (await openSqliteStore({ path })).close();
    new Database(path).exec("DROP TABLE documents; PRAGMA user_version = 3").close();
    const opening = openSqliteStore({ path });
    await expect(opening).rejects.toMatchObject({ code: "corrupt" });
    await expect(opening).rejects.toThrow("it has no table of documents of any schema");
  });

  it("since it was opened takes no commit", async () => {
    const path = join(folder, "changed while open.db");
    const store = await openSqliteStore({ path });
    new Database(path).exec("PRAGMA user_version = 3").close();
    await expect(
      store.commit({ put: [{ collection: "c", key: "k", version: 1, body: 1 }] }),
    ).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("says that it has schema 3"),
    });
    await store.close();
  });
});

it.each([
  [4, toSchema4],
  [5, toSchema5],
  [6, toSchema6],
  [7, toSchema7],
])("a file of schema %i that lost a table of texts is opened to be mended", async (version, turnBack) => {
  const path = join(folder, `${version} without texts.db`);
  const store = await openSqliteStore({ path });
  await fill(store);
  const before = (await answers(store)) as { queries: unknown };
  await store.close();
  const file = new Database(path);
  turnBack(file);
  file.exec("DROP TABLE substrings_1").close();
  const mending = await openSqliteStore({ path, afterCrash: "open" });
  await mending.rebuild?.(() => expect.unreachable());
  await mending.verify?.(() => expect.unreachable());
  await mending.close();
  const mended = await openSqliteStore({ path });
  expect(await answers(mended)).toMatchObject({ queries: before.queries });
  await mended.close();
});

it("a process of schema 6 that still has the file open can't read feeds past the places that wait", async () => {
  const path = join(folder, "read by schema 6.db");
  await fill(await openSqliteStore({ path }));
  const file = new Database(path);
  toSchema6(file);
  const read = file.prepare("SELECT position, document FROM feeds WHERE feed = 1");
  expect(read.all().length).toBeGreaterThan(0);
  const upgraded = await openSqliteStore({ path });
  expect(() => read.all()).toThrow("no such column: document");
  await upgraded.close();
  file.close();
});

it("a process of schema 7 that still has the file open can't look for trigrams of characters among those of codes", async () => {
  const path = join(folder, "read by schema 7.db");
  await fill(await openSqliteStore({ path }));
  const file = new Database(path);
  toSchema7(file);
  const read = file.prepare("SELECT rowid FROM trigrams_1 WHERE trigrams_1 MATCH '\"eye\"'");
  expect(read.all().length).toBeGreaterThan(0);
  const upgraded = await openSqliteStore({ path });
  expect(() => read.all()).toThrow("no such table: trigrams_1");
  await upgraded.close();
  file.close();
});

describe("a file of an earlier schema that is marked", () => {
  const lostClaim = "DELETE FROM claims WHERE claim = 'claim 0'";
  const tables = "CREATE TABLE damage (found TEXT NOT NULL); INSERT INTO damage (found) VALUES ('2 faults')";
  it.each([
    { name: "5, as damaged", turnBack: toSchema5, sql: tables },
    {
      name: "5, as not examined",
      turnBack: toSchema5,
      sql: `${lostClaim}; CREATE TABLE unexamined (note TEXT)`,
    },
    { name: "6, as damaged", turnBack: toSchema6, sql: "INSERT INTO damage (found) VALUES ('2 faults')" },
    {
      name: "6, as not examined",
      turnBack: toSchema6,
      sql: `${lostClaim}; INSERT INTO unexamined (note) VALUES (NULL)`,
    },
  ])("$name stays so, until a verification finds no fault", async ({ name, turnBack, sql }) => {
    const path = join(folder, `marked ${name}.db`);
    const store = await openSqliteStore({ path });
    await fill(store);
    await store.close();
    const file = new Database(path);
    turnBack(file);
    file.exec(sql);
    file.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
    const mending = await openSqliteStore({ path, afterCrash: "open" });
    await mending.rebuild?.(() => undefined);
    await mending.verify?.(() => undefined);
    await mending.close();
    await (await openSqliteStore({ path })).close();
  });

  it("keeps its note through a backup, which can examine no more than its pages", async () => {
    const path = join(folder, "noted before a backup.db");
    const store = await openSqliteStore({ path });
    await fill(store);
    await store.close();
    const file = new Database(path);
    toSchema5(file);
    file.exec("CREATE TABLE unexamined (note TEXT)");
    await backupSqliteStore({ path, to: `${path}.copy` });
    expect(file.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'unexamined'").get()).toBeDefined();
    expect(file.pragma("user_version", { simple: true })).toBe(5);
    file.close();
  });
});
