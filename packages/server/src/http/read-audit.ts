import {
  type AuditEntry,
  type Commit,
  type Document,
  type ReadAudit,
  readAuditDocument,
  type Store,
  StoreError,
} from "@fieldroll/core";

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
/** Most entries of one document. */
const batchSize = 250;
/** Attempts of a close. */
const mostAttempts = 4;

/** Makes a keeper of the audit entries of reads: it gathers them and writes many at a time. */
export function createReadAudit(options: ReadAuditOptions): ReadAuditKeeper {
  const { store, newId, schedule, onFailure, capacity = 20_000 } = options;
  let gathered: AuditEntry[] = [];
  /** Documents made of entries and not known to be written. Their keys stay, so that writing one again adds nothing. */
  let unwritten: Document[] = [];
  let waiting = 0;
  let running: Promise<void> | undefined;
  let closed = false;
  let scheduled = false;
  let failing = false;

  /**
   * Writes documents until none is left. To wait until the disk has them costs many times as much as to write them, so only
   * the flush that the first entry asked for waits; of what comes faster, full documents are written without, and that flush
   * makes them last too: an entry always stays behind for it.
   */
  async function writeAll(durability: Durability): Promise<void> {
    for (;;) {
      if (unwritten.length === 0) {
        const count = durability === "strict" ? gathered.length : fullDocuments(gathered.length - 1);
        unwritten = documentsOf(gathered.slice(0, count), newId);
        gathered = gathered.slice(count);
      }
      const [next] = unwritten;
      if (!next) return;
      await write(store, next, durability);
      unwritten = unwritten.slice(1);
      waiting -= entriesIn(next);
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

/** How many of so many entries fill documents. */
function fullDocuments(entries: number): number {
  return entries - (entries % batchSize);
}

function documentsOf(entries: readonly AuditEntry[], newId: () => string): Document[] {
  const documents: Document[] = [];
  for (let from = 0; from < entries.length; from += batchSize) {
    documents.push(readAuditDocument(entries.slice(from, from + batchSize), newId()));
  }
  return documents;
}

function entriesIn({ body }: Document): number {
  return (body as { readonly entries: readonly unknown[] }).entries.length;
}

/** A document that is there already was written by an attempt whose answer got lost. */
async function write(store: Store, document: Document, durability: Durability): Promise<void> {
  const { collection, key } = document;
  await store.commit({ expect: [{ kind: "absent", collection, key }], put: [document], durability });
}
