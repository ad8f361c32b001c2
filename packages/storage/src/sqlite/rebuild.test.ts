import type { Store, StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
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
  await store.close();
}

const numbers: readonly (readonly [name: string, sql: string])[] = [
  ["the store's position is one that documents have passed", "UPDATE store SET position = 10"],
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

/** What SQLite reads exactly, and JavaScript does not. */
const enormous: readonly (readonly [name: string, sql: string])[] = [
  ["entries", "UPDATE entries SET idx = 9223372036854775003"],
  ["feeds", "UPDATE feeds SET feed = 9223372036854775003"],
  ["positions", "UPDATE feeds SET position = 9223372036854775000 + position"],
  [
    "departures",
    "INSERT INTO departures VALUES ('people', 'k1', 9223372036854775003, 1), ('people', 'k1', 9223372036854775004, 1)",
  ],
  ["texts", "UPDATE substrings_1 SET id = 9223372036854775000 + id"],
];

describe("rebuild", () => {
  it.each(enormous)("mends a file with %s of enormous numbers", async (_, sql) => {
    const { client, store } = await filled();
    client.exec(sql);
    await expectMended(store);
  });

  it.each(numbers)("mends a file where %s", async (_, sql) => {
    const { client, store } = await filled();
    client.exec(sql);
    await expectMended(store);
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
});
