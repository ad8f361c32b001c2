import {
  type AuditEntry,
  type Commit,
  checkedIds,
  type Document,
  isFunction,
  type OptionRule,
  optionRules,
  type ReadAudit,
  readAuditDocuments,
  refuseWrongOptions,
  type Store,
  StoreError,
} from "@fieldroll/core";
import { amount, callback } from "../option-rules.ts";

/** What gathers the audit entries of reads: contract section 3.8. */
export interface ReadAuditKeeper {
  /**
   * Takes an entry; give it to the registry as `onRead`.
   *
   * @throws StoreError `unavailable` while too many entries wait for a store that does not take them, and `closed` after the
   * close: nothing is shown of which no trail can be kept
   */
  readonly note: ReadAudit;
  /**
   * Writes what waits, and takes no more. Call it when the last request is answered, and before the store is closed.
   *
   * @throws the store's error when several attempts failed; `onFailure` has told how many entries are lost
   */
  close(): Promise<void>;
}

export interface ReadAuditOptions {
  readonly store: Store;
  /** A new UUIDv7. */
  readonly newId: () => string;
  /** Runs a task once, after so many milliseconds. */
  readonly schedule: (task: () => void, milliseconds: number) => void;
  /** Told when the store did not take entries, which are tried again, and how many wait. */
  readonly onFailure?: (error: unknown, waiting: number) => void;
  /** Most entries in memory. Default: 20,000. */
  readonly capacity?: number;
}

type Durability = NonNullable<Commit["durability"]>;

/** How long the first entry waits for others, in milliseconds: half of the second that the contract allows. */
const gatherFor = 500;
/** Wait after a failure, in milliseconds. */
const retryAfter = 1000;
/** Most entries of one commit. */
const batchSize = 1000;
/** Attempts of a close. */
const mostAttempts = 4;

/** What is written together. */
interface Batch {
  readonly entries: number;
  readonly documents: readonly Document[];
}

const rules: Readonly<Record<string, OptionRule>> = {
  store: optionRules.store,
  newId: optionRules.newId,
  schedule: [isFunction, "a function that runs a task later, such as setTimeout"],
  onFailure: callback,
  capacity: amount,
};

/**
 * Makes a keeper of the audit entries of reads: it gathers them and writes many at a time.
 *
 * @throws TypeError where an option is missing or of another kind
 */
export function createReadAudit(options: ReadAuditOptions): ReadAuditKeeper {
  refuseWrongOptions("createReadAudit", options, rules);
  const { store, schedule, onFailure, capacity = 20_000 } = options;
  const newId = checkedIds("createReadAudit", options.newId);
  const gathered: AuditEntry[] = [];
  /** Made of entries and not known to be written. Keys of documents stay, so that writing them again adds nothing. */
  let unwritten: Batch | undefined;
  let waiting = 0;
  let running: Promise<void> | undefined;
  let closed = false;
  let scheduled = false;
  let failing = false;

  function nextBatch(durability: Durability): Batch | undefined {
    const isReady = durability === "strict" ? gathered.length > 0 : gathered.length > batchSize;
    if (!isReady) return undefined;
    const entries = gathered.splice(0, batchSize);
    return { entries: entries.length, documents: readAuditDocuments(entries, newId) };
  }

  /**
   * Writes what waits. To wait until the disk has them costs many times as much as to write them, so only the flush that
   * the first entry asked for waits; of what comes faster, full batches are written without, and that flush makes them last
   * too: an entry always stays behind for it. What comes while it runs is gathered for the next: under load there is always
   * something, and small batches cost a multiple.
   */
  async function writeAll(durability: Durability): Promise<void> {
    for (let due = waiting; due > 0; ) {
      unwritten ??= nextBatch(durability);
      if (!unwritten) return;
      await write(store, unwritten.documents, durability);
      waiting -= unwritten.entries;
      due -= unwritten.entries;
      unwritten = undefined;
    }
  }

  /** One at a time; whoever comes meanwhile gets the outcome of the one that runs. */
  function flush(durability: Durability): Promise<void> {
    running ??= writeAll(durability)
      .then(() => {
        failing = false;
      })
      .catch((error: unknown) => {
        failing = true;
        onFailure?.(error, waiting);
        throw error;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  /** Everything that waits, for good. */
  async function flushAll(): Promise<void> {
    await running;
    await flush("strict");
  }

  function flushIn(milliseconds: number): void {
    if (scheduled) return;
    scheduled = true;
    schedule(() => {
      scheduled = false;
      flushAll().catch(() => closed || flushIn(retryAfter));
    }, milliseconds);
  }

  return {
    note(entry) {
      if (closed) throw new StoreError("closed", "The audit trail is closed. Answer no more requests.");
      if (waiting >= capacity) {
        throw new StoreError("unavailable", "The store takes no audit entries, so nothing can be shown now.");
      }
      gathered.push(entry);
      waiting += 1;
      flushIn(gatherFor);
      // A failure is reported already, and the flush to come tries again.
      if (gathered.length > batchSize && !failing) flush("relaxed").catch(() => undefined);
    },
    async close() {
      closed = true;
      for (let attempt = 1; ; attempt++) {
        try {
          await flushAll();
          // What was gathered while a write before this one ran is in it, or comes now.
          if (waiting === 0) return;
        } catch (error) {
          if (attempt >= mostAttempts) throw error;
          await new Promise<void>((resolve) => schedule(resolve, retryAfter));
        }
      }
    },
  };
}

/** Those that are there already were written by an attempt whose answer got lost. */
async function write(store: Store, documents: readonly Document[], durability: Durability): Promise<void> {
  const expect = documents.map(({ collection, key }) => ({ kind: "absent", collection, key }) as const);
  await store.commit({ expect, put: documents, durability });
}
