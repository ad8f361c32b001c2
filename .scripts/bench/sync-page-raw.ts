/** IndexedDB by hand: fetch, JSON.parse and a put of each record with three indexes, the least that a row each can cost. */
import { syncByHand } from "./sync-by-hand.ts";
import { feedPages, rowOf } from "./sync-feed.ts";
import { offer, type SideMeasures, type SyncTask, searchedName } from "./sync-task.ts";

export interface RawMeasures extends SideMeasures {
  /** Reads the feed and keeps nothing; milliseconds. */
  fetchAll(task: SyncTask): Promise<number>;
  /** Strict edits in a database that a first sync left: read the record, write it and an outbox row; milliseconds each. */
  edit(name: string, count: number): Promise<number[]>;
}

function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

function ended(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

function open(name: string): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    const people = request.result.createObjectStore("people", { keyPath: "id" });
    for (const index of ["name", "area", "updated"]) people.createIndex(index, index);
    request.result.createObjectStore("state");
    request.result.createObjectStore("outbox", { keyPath: "id" });
  };
  return answered(request);
}

const measures: RawMeasures = {
  async firstSync(task) {
    const database = await open(task.name);
    const people = () => database.transaction("people").objectStore("people");
    const range = IDBKeyRange.bound(searchedName, `${searchedName}\uffff`);
    return syncByHand(task, {
      async land({ items, cursor }) {
        const both = database.transaction(["people", "state"], "readwrite", { durability: "relaxed" });
        const store = both.objectStore("people");
        for (const item of items) store.put(rowOf(item));
        both.objectStore("state").put(cursor, "cursor");
        await ended(both);
      },
      search: async () => (await answered(people().index("name").getAll(range, 20))).length,
      count: () => answered(people().count()),
      close: () => database.close(),
    });
  },
  async firstList(name) {
    const people = (await open(name)).transaction("people").objectStore("people");
    const { length } = await answered(people.index("name").getAll(null, 50));
    if (length !== 50) throw new Error("The list is not whole.");
  },
  async edit(name, count) {
    const database = await open(name);
    const keys = await answered(database.transaction("people").objectStore("people").getAllKeys(null, count));
    const times: number[] = [];
    for (const [turn, id] of keys.entries()) {
      const begin = performance.now();
      await editOnce(database, id, `M${turn}`);
      times.push(performance.now() - begin);
    }
    database.close();
    return times;
  },
  async fetchAll(task) {
    const begin = performance.now();
    for await (const _ of feedPages(task));
    return performance.now() - begin;
  },
};

async function editOnce(database: IDBDatabase, id: IDBValidKey, text: string): Promise<void> {
  const both = database.transaction(["people", "outbox"], "readwrite", { durability: "strict" });
  const row = await answered(both.objectStore("people").get(id));
  both.objectStore("people").put({ ...row, name: `${row.name} ${text}` });
  both.objectStore("outbox").put({ id, patch: { name: { middle: text } } });
  await ended(both);
}

offer(measures);
