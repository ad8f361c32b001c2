/** Opens a database with one table; its keys are given with each value. */
export async function openDatabase(
  indexedDB: IDBFactory,
  { name, table }: { readonly name: string; readonly table: string },
): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(table);
  return answered(opening);
}

/** Changes come in the order in which they were asked for: one transaction waits for those before it. */
export function changed(
  database: IDBDatabase,
  table: string,
  work: (table: IDBObjectStore) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = database.transaction(table, "readwrite");
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
    work(transaction.objectStore(table));
  });
}

export function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
