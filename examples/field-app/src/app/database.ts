/** Opens a database with one table; its keys are given with each value. */
export async function openDatabase(
  indexedDB: IDBFactory,
  { name, table }: { readonly name: string; readonly table: string },
): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(table);
  return answered(opening);
}

/**
 * Gives a database that is opened when it is first asked for, and again after the browser closed it, as it does when it deletes the data
 * of a site; `null` where none opens.
 *
 * @param lost called when it was closed
 */
export function reopened(
  indexedDB: IDBFactory,
  at: { readonly name: string; readonly table: string },
  lost: () => void = () => undefined,
): () => Promise<IDBDatabase | null> {
  let opened: Promise<IDBDatabase | null> | null = null;
  const open = async () => {
    const database = await openDatabase(indexedDB, at).catch(() => null);
    if (!database) return null;
    const forget = () => {
      opened = null;
      lost();
    };
    database.onclose = forget;
    database.onversionchange = () => {
      database.close();
      forget();
    };
    return database;
  };
  return () => {
    opened ??= open();
    return opened;
  };
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
