import { bodySizes } from "../store/match.ts";
import type { DocumentKey, Position, Query, Store, StoredDocument } from "../store/port.ts";

const pageLimit = 500;

/** So many bytes of bodies are held at once where many documents are read. */
export const chunkBytes = 4 * 1024 * 1024;

/** Reads every document that a query finds, page by page; a page's bodies are no larger than a chunk. */
export async function* pagesOf(
  store: Pick<Store, "query">,
  query: Omit<Query, "limit" | "after">,
): AsyncGenerator<readonly StoredDocument[]> {
  let after: Position | undefined;
  do {
    const page = await store.query({
      bytes: chunkBytes,
      ...query,
      limit: pageLimit,
      ...(after && { after }),
    });
    yield page.documents;
    after = page.next;
  } while (after);
}

type OfIndex = Omit<Query, "limit" | "after"> & { index: string; anyOf: readonly string[] };

/** As {@link pagesOf}, for any number of values of one index; a document may come once for each of several hundred values. */
export async function* pagesWith(
  store: Pick<Store, "query">,
  { index, anyOf, ...query }: OfIndex,
): AsyncGenerator<readonly StoredDocument[]> {
  for (let at = 0; at < anyOf.length; at += pageLimit) {
    const where = [{ index, anyOf: anyOf.slice(at, at + pageLimit) }, ...(query.where ?? [])];
    yield* pagesOf(store, { ...query, where });
  }
}

/** Reads every document that a query finds for any number of values of one index; each comes once. */
export async function everyPageOf(
  store: Pick<Store, "query">,
  query: OfIndex,
): Promise<readonly StoredDocument[]> {
  const found = new Map<string, StoredDocument>();
  for await (const documents of pagesWith(store, query)) {
    for (const document of documents) found.set(document.key, document);
  }
  return [...found.values()];
}

const firstKeys = 10;
const mostKeys = 50;

/**
 * Reads documents by key, a few at a time: as many as fit into a chunk by the size of those before. Each part has one place per key,
 * in order.
 */
export async function* documentsOf(
  store: Pick<Store, "get">,
  keys: readonly DocumentKey[],
): AsyncGenerator<readonly (StoredDocument | undefined)[]> {
  let size = firstKeys;
  for (let at = 0; at < keys.length; ) {
    const documents = await store.get(keys.slice(at, at + size));
    yield documents;
    at += documents.length;
    if (at >= keys.length) return;
    let bytes = 0;
    for (const one of bodySizes(documents)) bytes += one;
    size = Math.max(1, Math.min(mostKeys, 2 * size, Math.floor((size * chunkBytes) / Math.max(1, bytes))));
  }
}
