import type { Json, JsonObject, Store, StoredDocument } from "@fieldroll/core";
import { collections, everyDocument, readState, stateDocument } from "./documents.ts";

/** How far one feed was read. Committed together with the page it comes from. */
export interface FeedState {
  /** Where to go on; `null` from the beginning. Only ever taken from an answer. */
  readonly cursor: string | null;
  readonly epoch: string | null;
  /** Whether the feed was once read to its head. */
  readonly complete: boolean;
  /** Records landed so far. */
  readonly records: number;
  /** Whether the feed is being read anew, so that older versions and absences count. */
  readonly restarting: boolean;
  /** Must equal the store's canary: else the store lost what this cursor speaks of. */
  readonly canary: string;
  /** Pages read, to name the notes of what they held. */
  readonly pages: number;
}

/** A feed of which nothing was read yet. */
export function unread(canary: string): FeedState {
  return { cursor: null, epoch: null, complete: false, records: 0, restarting: false, canary, pages: 0 };
}

export function feedKey(feed: string): string {
  return `feed:${feed}`;
}

/** What was read of a feed, with its document for the next commit. */
export async function readFeed(
  store: Store,
  feed: string,
): Promise<{ readonly state: FeedState | null; readonly document: StoredDocument | undefined }> {
  const document = await readState(store, feedKey(feed));
  return { state: document ? (document.body as unknown as FeedState) : null, document };
}

/** The document of a feed's next state. */
export function feedDocument(feed: string, previous: StoredDocument | undefined, state: FeedState) {
  return stateDocument(feedKey(feed), previous, state as unknown as Json);
}

/** The mark that a store carries from its first use on; made when it is not there. */
export async function canaryOf(store: Store, newId: () => string): Promise<string> {
  const found = await readState(store, "canary");
  if (found) return String(found.body);
  const canary = newId();
  const at = { collection: collections.sync, key: "canary" };
  await store.commit({
    expect: [{ kind: "absent", ...at }],
    put: [stateDocument("canary", undefined, canary)],
  });
  return String((await readState(store, "canary"))?.body ?? canary);
}

/** Sends every feed back to its beginning. The outbox and the records stay; what is not met again goes at the end. */
export async function startOver(store: Store, feeds: readonly string[], canary: string): Promise<void> {
  const found = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
  const put = feeds.map((feed, i) => {
    const { state, document } = found[i] ?? { state: null, document: undefined };
    const complete = state?.complete ?? false;
    return feedDocument(feed, document, { ...unread(canary), complete, restarting: true });
  });
  await store.commit({ put, remove: [...(await notesOf(store)), ...(await scopeNotes(store))] });
}

async function scopeNotes(store: Store) {
  const notes: { collection: string; key: string }[] = [];
  for await (const { collection, key } of everyDocument(store, { collection: collections.scope })) {
    notes.push({ collection, key });
  }
  return notes;
}

/** The notes of what a pull that starts over has met. */
export async function notesOf(store: Store) {
  const notes: { collection: string; key: string }[] = [];
  for await (const { collection, key } of everyDocument(store, { collection: collections.seen })) {
    notes.push({ collection, key });
  }
  return notes;
}

/** The server's keys of all records that a pull that starts over has met. */
export async function metKeys(store: Store): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  for await (const document of everyDocument(store, { collection: collections.seen })) {
    for (const key of (document.body as JsonObject).keys as readonly string[]) met.add(key);
  }
  return met;
}
