import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Query, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";
import { schemaVersion } from "./schema.ts";

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

/** What makes a file of the present schema one that software of an earlier schema wrote: the migrations, turned around. */
const earlier: readonly {
  readonly version: number;
  readonly indexes: readonly string[];
  readonly sql: string;
}[] = [
  {
    version: 1,
    indexes: [],
    sql: "ALTER TABLE documents RENAME COLUMN indexed TO entries; DROP TABLE substring_indexes;",
  },
  { version: 2, indexes: ["name"], sql: "ALTER TABLE documents RENAME COLUMN indexed TO entries;" },
];

describe("a file of an earlier schema", () => {
  it.each(earlier)(
    "$version is brought up to date, with every answer the same",
    async ({ version, indexes, sql }) => {
      const path = join(folder, `${version}.db`);
      const store = await openSqliteStore({ path, substringIndexes: indexes });
      await fill(store);
      const before = await answers(store);
      await store.close();
      const file = new Database(path);
      file.exec(`${sql} PRAGMA user_version = ${version}`);
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
});
