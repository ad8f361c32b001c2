import type { Span } from "./names.ts";
import { type FeedRow, type layout, type ShelfRow, type StateRow, shelfName } from "./rows.ts";

/** A running transaction. Inside one, nothing but its own requests may be awaited: it ends when it has none. */
export interface Work {
  readonly transaction: IDBTransaction;
  /** The host's key ranges. */
  readonly ranges: typeof IDBKeyRange;
}

/** A span as a native range. */
export function rangeOf({ ranges }: Work, { from, below }: Span, openFrom = false): IDBKeyRange {
  return ranges.bound(from, below, openFrom, true);
}

/** An object store of the layout. */
export function storeOf({ transaction }: Work, name: keyof typeof layout): IDBObjectStore {
  return transaction.objectStore(name);
}

/** Waits for a request. */
export function answered<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Waits until a transaction has been committed. */
export function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error ?? new DOMException("aborted", "AbortError"));
  });
}

/** How many rows IndexedDB may be asked for: it refuses a number of more than 32 bits, and no database has so many. */
export function mostOf(limit: number): number {
  return Math.min(limit, 0xffff_ffff);
}

/** Reads rows of feeds by place. */
export function readFeedRows(work: Work, range: IDBKeyRange, limit: number): Promise<FeedRow[]> {
  return answered<FeedRow[]>(storeOf(work, "feeds").index("place").getAll(range, mostOf(limit)));
}

/** The newest number given to a change or to a block; 0 before the first. */
export async function readCounter(work: Work, name: StateRow["name"]): Promise<number> {
  const row = await answered<StateRow | undefined>(storeOf(work, "state").get(name));
  return row?.value ?? 0;
}

/** The blocks of a collection. */
export async function readShelf(work: Work, collection: string): Promise<ShelfRow["blocks"]> {
  const row = await answered<ShelfRow | undefined>(storeOf(work, "state").get(shelfName(collection)));
  return row?.blocks ?? [];
}
