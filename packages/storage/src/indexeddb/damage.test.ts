import type { StoreError } from "@fieldroll/core";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import { expect, it } from "vitest";
import { openIndexedDbStore } from "./index.ts";

const name = "fieldroll";
const at = { collection: "people", key: "ana" };
const where = [{ index: "name", anyOf: ["reyes"] }];

/** Writes each row of an object store anew. */
function alter(indexedDB: IDBFactory, from: string, change: (row: object) => object): Promise<void> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(name);
    opening.onsuccess = () => {
      const database = opening.result;
      const transaction = database.transaction(from, "readwrite");
      const rows = transaction.objectStore(from);
      const all = rows.getAll();
      all.onsuccess = () => {
        for (const row of all.result) rows.put(change(row));
      };
      transaction.oncomplete = () => resolve(database.close());
      transaction.onabort = () => reject(transaction.error);
    };
  });
}

const damages = ["", "reyes", '[1,["reyes"'];

it.each(damages)(
  "tells a document of which only %j is left as damaged, and nothing of what it says",
  async (text) => {
    const indexedDB = new IDBFactory();
    const store = await openIndexedDbStore({ name, indexedDB, IDBKeyRange });
    const entries = { name: ["reyes"] };
    await store.commit({ put: [{ ...at, version: 1, body: { name: "reyes" }, entries, feeds: ["all"] }] });
    await alter(indexedDB, "bundles", (row) => ({ ...row, texts: [text] }));
    const refused = async (call: Promise<unknown>) => {
      const error = (await call.catch((each: unknown) => each)) as StoreError;
      expect(error).toMatchObject({ name: "StoreError", code: "corrupt" });
      expect(`${error.message} ${error.cause}`).not.toContain("reyes");
    };
    await refused(store.get([at]));
    await refused(store.query({ collection: at.collection, limit: 1 }));
    await refused(store.changes({ feed: "all", limit: 1 }));
    await refused(store.commit({ expect: [{ kind: "exists", ...at }] }));
    await alter(indexedDB, "recent", (row) => ({ ...row, text }));
    await refused(store.query({ collection: at.collection, where, limit: 1 }));
    await store.close();
  },
);
