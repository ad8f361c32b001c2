import { StoreError } from "@fieldroll/core";
import { Dexie } from "dexie";
import { isLost, refusal } from "./refusal.ts";
import { committed, type Work } from "./requests.ts";
import { firstLayout, layout, schemaVersion } from "./rows.ts";
import { upgrade } from "./upgrade.ts";

/** Which database to open, and with which IndexedDB. */
export interface IndexedDbOptions {
  /** Name of the database, unique within the origin. */
  readonly name: string;
  /** Default: the host's `indexedDB`. */
  readonly indexedDB?: IDBFactory;
  /** Default: the host's `IDBKeyRange`. */
  readonly IDBKeyRange?: typeof IDBKeyRange;
}

/** Runs work in transactions of one database, over as many connections as it takes. */
export interface Connection {
  read<T>(work: (work: Work) => Promise<T>): Promise<T>;
  /** Resolves when the transaction has been committed as durably as asked. */
  write<T>(durability: IDBTransactionDurability, work: (work: Work) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Attempt<T> {
  readonly mode: IDBTransactionMode;
  readonly durability: IDBTransactionDurability;
  readonly work: (work: Work) => Promise<T>;
}

type Factory = Required<Omit<IndexedDbOptions, "name">>;

/** Opens the database, creating it if there is none. */
export async function connect(options: IndexedDbOptions): Promise<Connection> {
  const { name } = options;
  const factory: Factory = {
    indexedDB: options.indexedDB ?? globalThis.indexedDB,
    IDBKeyRange: options.IDBKeyRange ?? globalThis.IDBKeyRange,
  };
  let state: "open" | "closed" | "deleted" = "open";
  const onDeleted = () => {
    state = "deleted";
  };
  let handle: Promise<Handle> | undefined = openHandle(name, factory, { onDeleted });
  await handle;
  const running = new Set<Promise<unknown>>();

  const current = (): Promise<Handle> => {
    handle ??= openHandle(name, factory, { onDeleted, known: true });
    return handle;
  };
  const attempt = async <T>(each: Attempt<T>, again: boolean): Promise<T> => {
    const opening = current();
    try {
      return await inTransaction(await opening, factory, each);
    } catch (error) {
      if (handle === opening && (isLost(error) || !(await isOpen(opening)))) handle = undefined;
      if (again && isLost(error) && state === "open") return attempt(each, false);
      throw refusal(error, name);
    }
  };
  const run = <T>(each: Attempt<T>): Promise<T> => {
    if (state !== "open") return Promise.reject(goneAway(name, state));
    const promise = attempt(each, true);
    running.add(promise);
    const done = () => running.delete(promise);
    promise.then(done, done);
    return promise;
  };
  return {
    read: (work) => run({ mode: "readonly", durability: "default", work }),
    write: (durability, work) => run({ mode: "readwrite", durability, work }),
    async close() {
      if (state === "open") state = "closed";
      await Promise.allSettled(running);
      (await handle?.catch(() => undefined))?.close();
    },
  };
}

function goneAway(name: string, state: "closed" | "deleted"): StoreError {
  return state === "closed"
    ? new StoreError("closed", `The database "${name}" was closed here. Open the store again.`)
    : new StoreError(
        "closed",
        `The database "${name}" was deleted elsewhere. Open the store again: it will be empty.`,
      );
}

/** One native connection, with what Dexie knows about it. */
interface Handle {
  readonly native: IDBDatabase;
  close(): void;
}

async function isOpen(handle: Promise<Handle>): Promise<boolean> {
  return handle.then(
    () => true,
    () => false,
  );
}

async function openHandle(
  name: string,
  factory: Factory,
  { onDeleted, known = false }: { onDeleted: () => void; known?: boolean },
): Promise<Handle> {
  const found = await probe(name, factory.indexedDB).catch((error: unknown) => {
    throw refusal(error, name);
  });
  refuseForeign(name, found);
  if (known && !found) {
    onDeleted();
    throw goneAway(name, "deleted");
  }
  const dexie = new Dexie(name, { ...factory, autoOpen: false });
  dexie.version(1).stores(firstLayout);
  dexie
    .version(schemaVersion)
    .stores({ ...layout, documents: null })
    .upgrade(({ idbtrans }) =>
      upgrade({ transaction: idbtrans, ranges: factory.IDBKeyRange }, () => undefined),
    );
  try {
    await dexie.open();
  } catch (error) {
    throw refusal(error, name);
  }
  const native = dexie.backendDB();
  // Another handle wants to upgrade or delete: it can't while this one is open. The next call opens a new one.
  native.onversionchange = (event) => {
    if (event.newVersion === null) onDeleted();
    dexie.close();
  };
  return { native, close: () => dexie.close() };
}

/** What a database of this name looks like. */
interface Probed {
  readonly version: number;
  readonly stores: readonly string[];
}

/**
 * Looks at a database without changing it. Dexie itself would open a newer version as it is, and add its object
 * stores to a database that belongs to someone else.
 */
function probe(name: string, indexedDB: IDBFactory): Promise<Probed | undefined> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    let absent = false;
    request.onupgradeneeded = () => {
      absent = true;
      request.transaction?.abort();
    };
    request.onerror = (event) => {
      event.preventDefault();
      if (absent) resolve(undefined);
      else reject(request.error);
    };
    request.onsuccess = () => {
      const { version, objectStoreNames } = request.result;
      request.result.close();
      resolve({ version, stores: [...objectStoreNames] });
    };
  });
}

// Dexie counts in tens: its version 1 is the native version 10.
const nativeVersion = schemaVersion * 10;

function refuseForeign(name: string, found: Probed | undefined): void {
  if (!found) return;
  const ours = [firstLayout, layout].some((each) =>
    Object.keys(each).every((store) => found.stores.includes(store)),
  );
  if (!ours) {
    const message = `The database "${name}" belongs to something else and was left as it is. Choose another name.`;
    throw new StoreError("corrupt", message);
  }
  if (found.version > nativeVersion) {
    const message = `The database "${name}" was written by a newer version of this software. Load the newest version.`;
    throw new StoreError("newer-schema", message);
  }
}

async function inTransaction<T>(
  handle: Handle,
  factory: Factory,
  { mode, durability, work }: Attempt<T>,
): Promise<T> {
  const transaction = handle.native.transaction(Object.keys(layout), mode, { durability });
  const ended = committed(transaction);
  try {
    const result = await work({ transaction, ranges: factory.IDBKeyRange });
    await ended;
    return result;
  } catch (error) {
    ended.catch(() => undefined);
    abort(transaction);
    // The transaction's own error says more than that of a request it took along.
    throw transaction.error ?? error;
  }
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It has ended already, which is what was wanted.
  }
}
