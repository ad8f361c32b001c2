import { createMemoryStore, type Document, type Query, type Store } from "@fieldroll/core";
import { openIndexedDbStore } from "@fieldroll/storage/indexeddb";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { beforeEach, describe, expect, it } from "vitest";
import { contentOf, type FirstContent, writeFirstLayout } from "./first-layout.ts";

const name = "fieldroll";
const parts = { collections: ["Group", "Individual", "outbox", "sync"], feeds: ["all", "north"] };
let indexedDB = new IDBFactory();
let model: Store;
let content: FirstContent;

const open = (factory: IDBFactory = indexedDB, patience = 30_000) =>
  openIndexedDbStore({ name, indexedDB: factory, IDBKeyRange, patience });
const write = (stubborn = false) => writeFirstLayout(name, content, { indexedDB, IDBKeyRange, stubborn });

beforeEach(async () => {
  indexedDB = new IDBFactory();
  model = createMemoryStore();
  await fill(model);
  content = await contentOf(model, parts);
});

/** A device's store with unsent work for every other person. */
async function fill(store: Store): Promise<void> {
  const people = Array.from({ length: 1_300 }, (_, i) => personOf(i));
  const edits = people.filter((_, i) => i % 2 === 0).map(editOf);
  await store.commit({ put: people });
  await store.commit({
    put: [
      ...edits,
      { collection: "sync", key: "feed:all", version: 1, body: { cursor: "c7", records: 1_300 } },
    ],
  });
  await store.commit({ put: people.slice(0, 40).map((each) => ({ ...each, version: 2, feeds: ["north"] })) });
  await store.commit({ remove: people.slice(50, 60) });
}

function personOf(i: number): Document {
  const names = [`name ${(i * 7919) % 1_300}`, `further ${i % 9}`];
  return {
    collection: "Individual",
    key: `key-${String(i).padStart(5, "0")}`,
    version: 1,
    body: { record: { number: i }, links: {} },
    claims: [`Individual/urn:x|${i}`],
    entries: { name: names, active: ["true"], ...(i % 3 === 0 && { telecom: [`+63${i}`] }) },
    feeds: i < 100 ? ["all", "north"] : [],
  };
}

function editOf({ key }: Document): Document {
  const body = {
    type: "Individual",
    key,
    base: null,
    edits: [{ id: key, patch: { name: { given: "Ana" } } }],
  };
  return {
    collection: "outbox",
    key: `Individual/${key}`,
    version: 3,
    body,
    entries: { state: ["pending"] },
  };
}

async function expectSame(store: Store): Promise<void> {
  expect(await contentOf(store, parts)).toEqual(content);
  const queries: Omit<Query, "limit">[] = [
    { collection: "outbox", where: [{ index: "state", anyOf: ["pending"] }] },
    { collection: "Individual", where: [{ index: "name", contains: "99" }], sort: { index: "name" } },
    { collection: "Individual", sort: { index: "telecom", descending: true } },
    { collection: "Individual", where: [{ index: "name", prefix: "further 4" }] },
  ];
  for (const query of queries) {
    const limit = 700;
    expect(await store.query({ ...query, limit })).toEqual(await model.query({ ...query, limit }));
  }
  const claims = ["Individual/urn:x|7", "Individual/urn:x|55", "Individual/urn:x|1299"];
  expect(await store.resolve(claims)).toEqual(await model.resolve(claims));
}

describe("a database of the first version", () => {
  it("is upgraded with everything in it, a full outbox too", async () => {
    (await write()).close();
    const store = await open();
    expect(await store.query({ collection: "outbox", limit: 1_000 })).toMatchObject({
      documents: { length: 650 },
    });
    await expectSame(store);
    await store.close();
    await expectSame(await open());
  });

  it("goes on from where its feeds were", async () => {
    (await write()).close();
    const store = await open();
    const { next } = await store.changes({ feed: "all", limit: content.changes.length });
    const added = { ...personOf(5_000), feeds: ["all"] };
    expect(await store.commit({ put: [added] })).toEqual({ ok: true });
    const { changes } = await store.changes({ feed: "all", cursor: next, limit: 9 });
    expect(changes).toEqual([{ kind: "put", document: added }]);
  });

  it("refuses the cursors that were given before databases had an identity, so that readers begin again", async () => {
    (await write()).close();
    const store = await open();
    const asked = store.changes({ feed: "all", cursor: "i30", limit: 1 });
    await expect(asked).rejects.toMatchObject({ code: "bad-cursor" });
  });

  it("is as it was when the upgrade is broken off, and is upgraded the next time", async () => {
    (await write()).close();
    for (const requests of [0, 1, 4, 12, 24]) {
      await expect(open(breakingOff(requests))).rejects.toMatchObject({ name: "StoreError" });
      expect((await indexedDB.databases())[0]?.version).toBe(10);
    }
    await expectSame(await open());
  });

  it("is upgraded while another tab has it open, which makes way", async () => {
    const other = await write();
    const store = await open();
    await expectSame(store);
    expect(() => other.transaction("documents")).toThrow(
      expect.objectContaining({ name: "InvalidStateError" }),
    );
  });

  it("says which tabs to close where one does not make way", async () => {
    const other = await write(true);
    await expect(open(indexedDB, 50)).rejects.toMatchObject({
      code: "blocked",
      message: expect.stringContaining("another tab"),
    });
    other.close();
    await expectSame(await open());
  });
});

/** The same IndexedDB, whose upgrade is aborted after so many writes, as when the browser is killed. */
function breakingOff(writes: number): IDBFactory {
  return Object.assign(Object.create(indexedDB) as IDBFactory, {
    open(database: string, version?: number) {
      const request = indexedDB.open(database, version);
      if (version === undefined) return request;
      request.addEventListener("upgradeneeded", () => {
        let left = writes;
        const { transaction } = request;
        const begin = transaction?.objectStore.bind(transaction);
        if (!transaction || !begin) return;
        transaction.objectStore = (store: string) => {
          if (left-- === 0) transaction.abort();
          return begin(store);
        };
      });
      return request;
    },
    deleteDatabase: (database: string) => indexedDB.deleteDatabase(database),
  });
}
