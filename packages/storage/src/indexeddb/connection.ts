import { StoreError } from "@fieldroll/core";
import { bounded } from "./bounded.ts";
import { deletedElsewhere, type Handle, type Host, openHandle } from "./opening.ts";
import { isLost, refusal } from "./refusal.ts";
import { committed, type Work } from "./requests.ts";
import { layout } from "./rows.ts";

/** Which database to open, and with which IndexedDB. */
export interface IndexedDbOptions {
  /** Name of the database, unique within the origin. */
  readonly name: string;
  /** Default: the host's `indexedDB`. */
  readonly indexedDB?: IDBFactory;
  /** Default: the host's `IDBKeyRange`. */
  readonly IDBKeyRange?: typeof IDBKeyRange;
  /**
   * How long a call waits for a browser that does not answer, in milliseconds, before it is refused as `unavailable`.
   * Default: 30,000.
   */
  readonly patience?: number;
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

/** Opens the database, creating it if there is none. */
export async function connect(options: IndexedDbOptions): Promise<Connection> {
  const { name } = options;
  const host: Host = {
    indexedDB: options.indexedDB ?? globalThis.indexedDB,
    IDBKeyRange: options.IDBKeyRange ?? globalThis.IDBKeyRange,
    patience: options.patience ?? 30_000,
  };
  let state: "open" | "closed" | "deleted" = "open";
  const onDeleted = () => {
    state = "deleted";
  };
  let handle: Promise<Handle> | undefined = openHandle(name, host, { onDeleted });
  await handle;
  const running = new Set<Promise<unknown>>();

  const current = (): Promise<Handle> => {
    handle ??= openHandle(name, host, { onDeleted, known: true });
    return handle;
  };
  const attempt = async <T>(each: Attempt<T>, again: boolean): Promise<T> => {
    const opening = current();
    let used: Handle | undefined;
    try {
      used = await opening;
      return await inTransaction(used, host, each);
    } catch (error) {
      const lost = isLost(error) || used?.isLost();
      if (handle === opening && (lost || !used || isSilent(error))) handle = undefined;
      // What a lost connection has interrupted may have been written after all: that is for the caller to look at.
      const repeatable = isLost(error) || (lost && each.mode === "readonly");
      if (again && repeatable && state === "open") return attempt(each, false);
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
  if (state === "deleted") return deletedElsewhere(name);
  return new StoreError("closed", `The database "${name}" was closed here. Open the store again.`);
}

const silent =
  "IndexedDB does not answer, so it is not known whether this was written. Try again, or load the app anew.";

function isSilent(error: unknown): boolean {
  return error instanceof StoreError && error.message === silent;
}

async function inTransaction<T>(
  handle: Handle,
  { IDBKeyRange: ranges, patience }: Host,
  { mode, durability, work }: Attempt<T>,
): Promise<T> {
  const transaction = handle.native.transaction(Object.keys(layout), mode, { durability });
  const ended = committed(transaction);
  const run = async () => {
    const result = await work({ transaction, ranges });
    await ended;
    return result;
  };
  const late = () => {
    handle.close();
    return new StoreError("unavailable", silent);
  };
  try {
    return await bounded(run, { patience, late });
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
