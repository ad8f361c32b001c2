import type { Document } from "@fieldroll/core";

/** The least that the same work can cost: one object store with three indexes, by hand. */
export interface RawStore {
  /** Writes documents in one relaxed transaction. */
  land(documents: readonly Document[]): Promise<void>;
  /** Reads a record, writes it and an outbox row, and waits until it is on the disk. */
  edit(id: string, turn: number): Promise<void>;
  /** The first records whose name begins so, by name. */
  prefix(text: string, limit: number): Promise<number>;
  /** How many names hold a text: all keys of the index are read. */
  contains(text: string): Promise<number>;
  close(): void;
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

function rowOf({ key, body, entries = {} }: Document) {
  const first = (index: string) => entries[index]?.[0] ?? "";
  return { id: key, name: first("name"), area: first("address"), updated: first("lastUpdated"), body };
}

export async function openRaw(name: string): Promise<RawStore> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    const records = request.result.createObjectStore("records", { keyPath: "id" });
    for (const index of ["name", "area", "updated"]) records.createIndex(index, index);
    request.result.createObjectStore("outbox", { keyPath: "id" });
  };
  const database = await answered(request);
  return {
    async land(documents) {
      const transaction = database.transaction("records", "readwrite", { durability: "relaxed" });
      const records = transaction.objectStore("records");
      for (const document of documents) records.put(rowOf(document));
      await ended(transaction);
    },
    async edit(id, turn) {
      const transaction = database.transaction(["records", "outbox"], "readwrite", { durability: "strict" });
      const records = transaction.objectStore("records");
      const row = await answered(records.get(id));
      records.put({ ...row, name: `${row.name} ${turn}` });
      transaction.objectStore("outbox").put({ id, patch: { name: turn } });
      await ended(transaction);
    },
    async prefix(text, limit) {
      const names = database.transaction("records").objectStore("records").index("name");
      return (await answered(names.getAll(IDBKeyRange.bound(text, `${text}\uffff`), limit))).length;
    },
    async contains(text) {
      const names = database.transaction("records").objectStore("records").index("name");
      let found = 0;
      await new Promise<void>((resolve) => {
        const walk = names.openKeyCursor();
        walk.onsuccess = () => {
          const cursor = walk.result;
          if (!cursor) return resolve();
          if (String(cursor.key).includes(text)) found++;
          cursor.continue();
        };
      });
      return found;
    },
    close: () => database.close(),
  };
}
