import { StoreError } from "@fieldroll/core";
import { bounded } from "./bounded.ts";
import { type Handle, type Host, type Loss, lostElsewhere, openHandle } from "./opening.ts";
import { isCut, isLost, refusal } from "./refusal.ts";
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
  /**
   * Resolves when the transaction has been committed as durably as asked.
   *
   * @param otherwise what to do instead, in another transaction of the same call, where it could not be; `undefined` for nothing
   */
  write<T>(
    durability: IDBTransactionDurability,
    work: (work: Work) => Promise<T>,
    otherwise?: (error: unknown) => ((work: Work) => Promise<T>) | undefined,
  ): Promise<T>;
  close(): Promise<void>;
}

/** A transaction that reads, for other readers to join while it lasts. */
interface Reading {
  readonly transaction: IDBTransaction;
  /** When the first reader after the one that began it came, by `performance.now()`. */
  joinedAt?: number;
}

/** How long readers may keep joining one transaction, in milliseconds: a writer waits for it to end. */
const longestReading = 8;

interface Attempt<T> {
  readonly mode: IDBTransactionMode;
  readonly durability: IDBTransactionDurability;
  readonly work: (work: Work) => Promise<T>;
  readonly otherwise?: ((error: unknown) => ((work: Work) => Promise<T>) | undefined) | undefined;
}

const nameless = 'openIndexedDbStore: name must be the name of a database, such as "fieldroll".';

const impatient = (patience: unknown) =>
  `openIndexedDbStore: patience is ${patience}; give milliseconds, from 1 to ${2 ** 31 - 1}.`;

const nowhere =
  "There is no IndexedDB here. Use another browser; outside of browsers give the options indexedDB and IDBKeyRange.";

/** Opens the database, creating it if there is none. */
export async function connect(options: IndexedDbOptions): Promise<Connection> {
  const { name, patience = 30_000, ...given }: IndexedDbOptions = Object(options);
  const { indexedDB = globalThis.indexedDB, IDBKeyRange = globalThis.IDBKeyRange } = given;
  if (typeof name !== "string" || name === "") throw new StoreError("bad-request", nameless);
  if (!Number.isFinite(patience) || patience < 1 || patience >= 2 ** 31)
    throw new StoreError("bad-request", impatient(patience));
  if (!indexedDB?.open || !IDBKeyRange) throw new StoreError("absent", nowhere);
  const host: Host = { indexedDB, IDBKeyRange, patience };
  let state: "open" | "closed" | Loss = "open";
  const onLoss = (loss: Loss) => {
    state = loss;
  };
  let before = await openHandle(name, host, { onLoss });
  let handle: Promise<Handle> | undefined = Promise.resolve(before);
  const running = new Set<Promise<unknown>>();
  let reading: Reading | undefined;

  const reopen = async (): Promise<Handle> => {
    before = await openHandle(name, host, { onLoss, before });
    return before;
  };
  const current = (): Promise<Handle> => {
    handle ??= reopen();
    return handle;
  };
  const attempt = async <T>(each: Attempt<T>, again: boolean): Promise<T> => {
    const opening = current();
    let used: Handle | undefined;
    try {
      used = await opening;
      return await inTransaction(used, host, { ...each, begun });
    } catch (error) {
      const lost = endsHandle(error, used);
      if (handle === opening && (lost || !used || isSilent(error))) handle = undefined;
      // What a lost connection has interrupted may have been written after all: that is for the caller to look at.
      const repeatable = isLost(error) || (lost && each.mode === "readonly");
      if (again && repeatable && state === "open") return attempt(each, false);
      throw refusal(error, name);
    }
  };
  const begun = (transaction: IDBTransaction) => {
    reading = transaction.mode === "readonly" ? { transaction } : undefined;
  };
  const join = async <T>(each: Attempt<T>, joined: Reading): Promise<T> => {
    joined.joinedAt ??= performance.now();
    try {
      const { IDBKeyRange: ranges, patience } = host;
      const late = () => new StoreError("unavailable", silent);
      return await bounded(() => each.work({ transaction: joined.transaction, ranges }), { patience, late });
    } catch {
      // It has ended; or else the same error comes again.
      if (reading === joined) reading = undefined;
      return attempt(each, true);
    }
  };
  const run = <T>(each: Attempt<T>): Promise<T> => {
    if (state !== "open") return Promise.reject(goneAway(name, state));
    if (each.mode === "readwrite") reading = undefined;
    const first = reading && mayBeJoined(reading) ? join(each, reading) : attempt(each, true);
    const promise = first.catch((error: unknown) => {
      const work = each.otherwise?.(error);
      if (!work) throw error;
      return attempt({ ...each, work }, true);
    });
    running.add(promise);
    const done = () => running.delete(promise);
    promise.then(done, done);
    return promise;
  };
  return {
    read: (work) => run({ mode: "readonly", durability: "default", work }),
    write: (durability, work, otherwise) => run({ mode: "readwrite", durability, work, otherwise }),
    async close() {
      if (state === "open") state = "closed";
      await Promise.allSettled(running);
      (await handle?.catch(() => undefined))?.close();
    },
  };
}

/** Whether the next call needs another connection than the one on which this came. */
function endsHandle(error: unknown, used: Handle | undefined): boolean {
  if (isCut(error)) used?.close();
  return isCut(error) || isLost(error) || used?.isLost() === true;
}

/** Whether a reader may still join, for all that is known: the transaction may have ended. */
function mayBeJoined({ joinedAt }: Reading): boolean {
  return joinedAt === undefined || performance.now() - joinedAt < longestReading;
}

function goneAway(name: string, state: "closed" | Loss): StoreError {
  if (state !== "closed") return lostElsewhere(name, state);
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
  { mode, durability, work, begun }: Attempt<T> & { readonly begun: (transaction: IDBTransaction) => void },
): Promise<T> {
  const transaction = handle.native.transaction(Object.keys(layout), mode, { durability });
  begun(transaction);
  const ended = committed(transaction);
  const run = async () => {
    const result = await work({ transaction, ranges });
    // What was read is read: whoever reads on at once does so in the same transaction.
    if (mode === "readwrite") await ended;
    else ended.catch(() => undefined);
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
