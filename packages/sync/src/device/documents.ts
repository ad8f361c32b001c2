import type { Document, Expectation, Failure, Json, Query, Store, StoredDocument } from "@fieldroll/core";

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
  /** When each record that was made here, and that no feed has told of, was last asked for. */
  untold: "untold",
  /** By which key the server knows a record that was made here and left: unsent work may mean it, and knows it by its key here. */
  departed: "departed",
  /** News that waits for a person to say whether two records are one. */
  waiting: "waiting",
  /** Unsent work of people who are not signed in. */
  sealed: "sealed",
  /** What the server accepted, to give it again to one that was restored: a document per record. */
  accepted: "accepted",
  /** The same of people who are not signed in. */
  acceptedSealed: "accepted-sealed",
} as const;

/** How often in turn a commit may fail that stands on what was just read: then something else than others' writes is in its way. */
export const mostFailures = 20;

/** Reads one of the engine's own documents. */
export async function readState(store: Store, key: string): Promise<StoredDocument | undefined> {
  const [document] = await store.get([{ collection: collections.sync, key }]);
  return document;
}

/** What replacing a document needs to know of it. */
export type Versioned = Pick<StoredDocument, "version">;

/** The next version of one of the engine's own documents. */
export function stateDocument(key: string, previous: Versioned | undefined, body: Json): Document {
  return { collection: collections.sync, key, version: (previous?.version ?? 0) + 1, body };
}

/** Expects one of the engine's own documents as it was read, present or not. */
export function stateUnchanged(key: string, found: Versioned | undefined): Expectation {
  return unchanged({ collection: collections.sync, key }, found);
}

/** Expects a document as it was read, present or not. */
export function unchanged(
  { collection, key }: { readonly collection: string; readonly key: string },
  document: Versioned | undefined,
): Expectation {
  return document
    ? { kind: "version", collection, key, version: document.version }
    : { kind: "absent", collection, key };
}

/** Whether a collection has no documents. */
export async function isEmpty(store: Store, collection: string): Promise<boolean> {
  return (await store.query({ collection, limit: 1 })).documents.length === 0;
}

/** Whether it is this expectation that did not hold. */
export function isOf(fence: Expectation): (failure: Failure) => boolean {
  return (failure) =>
    failure.kind === "expectation" &&
    failure.expectation.kind !== "free" &&
    fence.kind !== "free" &&
    failure.expectation.collection === fence.collection &&
    failure.expectation.key === fence.key;
}

/** A store whose commits go another way; `read` is given every answer of the others. */
export function committingBy(
  store: Store,
  commit: Store["commit"],
  read: <T>(answer: Promise<T>) => Promise<T> = (answer) => answer,
): Store {
  const find = store.find?.bind(store);
  return {
    get: (keys) => read(store.get(keys)),
    resolve: (claims) => read(store.resolve(claims)),
    ...(find && { find: (claim, naming) => read(find(claim, naming)) }),
    query: (query) => read(store.query(query)),
    changes: (request) => read(store.changes(request)),
    close: () => store.close(),
    commit,
  };
}

/** All documents of a collection that meet the conditions, a page at a time; `limit` is a page's. */
export async function* everyDocument(
  store: Store,
  query: Omit<Query, "limit" | "after"> & Partial<Pick<Query, "limit">>,
): AsyncGenerator<StoredDocument> {
  let after: Query["after"];
  do {
    const page = await store.query({ limit: 250, ...query, ...(after && { after }) });
    yield* page.documents;
    after = page.next;
  } while (after);
}
