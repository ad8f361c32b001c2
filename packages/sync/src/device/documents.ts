import type { Document, Json, Store, StoredDocument } from "@fieldroll/core";

/** Collections of a device's store besides those of the records themselves. */
export const collections = {
  /** One document per record with unsent work. */
  outbox: "outbox",
  /** Edits that left the outbox, and how. */
  history: "outbox-history",
  /** What the engine remembers: cursors, session, timing. */
  sync: "sync",
  /** Which feeds tell of a record, where several may. */
  scope: "scope",
  /** What a pull that starts over has met so far. */
  seen: "seen",
  /** News that waits for a person to say whether two records are one. */
  waiting: "waiting",
} as const;

/** Reads one of the engine's own documents. */
export async function readState(store: Store, key: string): Promise<StoredDocument | undefined> {
  const [document] = await store.get([{ collection: collections.sync, key }]);
  return document;
}

/** The next version of one of the engine's own documents. */
export function stateDocument(key: string, previous: StoredDocument | undefined, body: Json): Document {
  return { collection: collections.sync, key, version: (previous?.version ?? 0) + 1, body };
}

/** All documents of a collection that meet the conditions, a page at a time. */
export async function* everyDocument(
  store: Store,
  query: Omit<Parameters<Store["query"]>[0], "limit" | "after">,
): AsyncGenerator<StoredDocument> {
  let after: Parameters<Store["query"]>[0]["after"];
  do {
    const page = await store.query({ ...query, limit: 250, ...(after && { after }) });
    yield* page.documents;
    after = page.next;
  } while (after);
}
