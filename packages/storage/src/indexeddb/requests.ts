import type { Span } from "./names.ts";
import type { DocumentRow, FeedRow, StateRow } from "./rows.ts";

/** A running transaction. Inside one, nothing but its own requests may be awaited: it ends when it has none. */
export interface Work {
  readonly transaction: IDBTransaction;
  /** Makes a native key range of a span. */
  range(span: Span, options?: { readonly openFrom?: boolean; readonly openBelow?: boolean }): IDBKeyRange;
}

/** The `documents` object store. */
export function documentsOf({ transaction }: Work): IDBObjectStore {
  return transaction.objectStore("documents");
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

/** Reads rows of documents by primary key. */
export function readRows(work: Work, ids: readonly string[]): Promise<(DocumentRow | undefined)[]> {
  const documents = documentsOf(work);
  return Promise.all(ids.map((id) => answered<DocumentRow | undefined>(documents.get(id))));
}

/**
 * Leaves out primary keys that have no row, where that takes one request instead of many: new documents often lie
 * next to each other, in a part of the store that is nearly empty. Where it does not, all are kept.
 */
export async function presentAmong(work: Work, ids: readonly string[]): Promise<readonly string[]> {
  const sorted = [...ids].sort();
  const [from, to] = [sorted[0], sorted.at(-1)];
  if (from === undefined || to === undefined || ids.length < 10) return ids;
  const most = 2 * ids.length;
  const range = work.range({ from, below: to }, { openBelow: false });
  const keys = await answered(documentsOf(work).getAllKeys(range, most) as IDBRequest<string[]>);
  if (keys.length === most) return ids;
  const present = new Set(keys);
  return ids.filter((id) => present.has(id));
}

/** Reads who holds each claim, by primary key. */
export function readHolders(work: Work, claims: readonly string[]): Promise<(string | undefined)[]> {
  const index = documentsOf(work).index("claims");
  return Promise.all(claims.map((claim) => answered(index.getKey(claim) as IDBRequest<string | undefined>)));
}

/** Reads rows of feeds by primary key. */
export function readFeedRows(work: Work, range: IDBKeyRange, limit: number): Promise<FeedRow[]> {
  return answered<FeedRow[]>(work.transaction.objectStore("feeds").index("place").getAll(range, limit));
}

/** The newest position given to a change; 0 before the first. */
export async function readPosition({ transaction }: Work): Promise<number> {
  const row = await answered<StateRow | undefined>(transaction.objectStore("state").get("position"));
  return row?.value ?? 0;
}

/**
 * Walks an index backwards or key by key, as long as `visit` answers true.
 * Forwards over whole rows `getAll` is the faster way.
 */
export function walk<T extends IDBCursor>(
  request: IDBRequest<T | null>,
  visit: (cursor: T) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor && visit(cursor)) cursor.continue();
      else resolve();
    };
  });
}
