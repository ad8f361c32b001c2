import type { Document, DocumentKey, Json, JsonObject, Store, StoredDocument } from "@fieldroll/core";
import { plainAnew } from "../model/plain-cursor.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { collections, everyDocument, readState, stateDocument, unchanged } from "./documents.ts";
import { entryDocument, entryOf } from "./outbox.ts";
import type { CommitParts } from "./work.ts";

/** How far one feed was read. Committed together with the page it comes from. */
export interface FeedState {
  /** Where to go on; `null` from the beginning. Only ever taken from an answer. */
  readonly cursor: string | null;
  readonly epoch: string | null;
  /** While the feed is being read anew: the epoch of what was read before. */
  readonly former?: string | null;
  /** Whether the feed was once read to its head. */
  readonly complete: boolean;
  /** Records landed so far. */
  readonly records: number;
  /** Whether the feed is being read anew, so that older versions and absences count. */
  readonly restarting: boolean;
  /**
   * Whether unsent work need not wait for that: no record was here when it began, but such as work stands on that is compared by
   * itself, or the server's data are the same as before.
   */
  readonly blank?: boolean;
  /** Must equal the store's canary: else the store lost what this cursor speaks of. */
  readonly canary: string;
  /** Records a second that the last page brought; former versions wrote none down. */
  readonly rate?: number;
  /** Pages read, to name the notes of what they held. */
  readonly pages: number;
  /** When a server without feeds was last listed whole: a UTC instant. */
  readonly listedAt?: string;
  /** Since when it was refused every time: a UTC instant. */
  readonly refusedSince?: string;
  /** Since when something answered every time that was no page of it and no refusal: a UTC instant. */
  readonly failsSince?: string;
}

/** A feed of which nothing was read yet. */
export function unread(canary: string): FeedState {
  return { cursor: null, epoch: null, complete: false, records: 0, restarting: false, canary, pages: 0 };
}

/** When each record that waits for a person was last asked for, by its entry. */
export const looksKey = "looks";

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

/** Whether what is here came from a feed, which tells records by their keys. */
export async function isFedHere(store: Store): Promise<boolean> {
  for await (const { key, body } of everyDocument(store, { collection: collections.sync })) {
    const epoch = key.startsWith(feedKey("")) ? (body as unknown as FeedState).epoch : null;
    if (epoch !== null) return !isPlainEpoch(epoch);
  }
  return false;
}

/** Whether what is here may be of a state that the server's data are not in any more: then no version can be relied on. */
export function isUncertain(state: FeedState | null): boolean {
  return state?.restarting === true && !state.blank;
}

/** Whether a feed has yet to be read from its beginning, as after records were forgotten for somebody who did not come after all. */
export async function isUnread(store: Store, feeds: readonly string[]): Promise<boolean> {
  const read = await readFeeds(store, feeds);
  return read.some(({ state }) => !state || (state.cursor === null && !state.restarting));
}

/** What was read of several feeds. */
export function readFeeds(store: Store, feeds: readonly string[]) {
  return Promise.all(feeds.map((feed) => readFeed(store, feed)));
}

/** The state of the server's data, as any of the feeds last told it: some may be refused. */
export async function epochKnown(store: Store, feeds: readonly string[]): Promise<string | null> {
  const read = await readFeeds(store, feeds);
  return read.map(({ state }) => state?.epoch).find((epoch) => epoch) ?? null;
}

/** The same, also while everything is read anew: of what was read before then. `null` where nothing here is from a feed. */
export async function epochLastKnown(store: Store, feeds: readonly string[]): Promise<string | null> {
  const read = await readFeeds(store, feeds);
  return read.map(({ state }) => state?.epoch ?? state?.former).find((epoch) => epoch) ?? null;
}

/** The state of the server's data that versions on this device are of; `null` where that can't be told. */
export async function epochHere(store: Store, feeds: readonly string[]): Promise<string | null> {
  const read = await readFeeds(store, feeds);
  return read.some(({ state }) => isUncertain(state)) ? null : epochKnown(store, feeds);
}

/** How long something must have been refused until that counts as the last word, in milliseconds. */
const lastsAfter = 60 * 60_000;

/** The same of a feed that fails: servers are mended within a day, most often. */
const failsAfter = 24 * lastsAfter;

/** `undefined` where nothing is known, or only by a clock that was put back since. */
function hasLasted(since: string | undefined, at: Date, after = lastsAfter): boolean | undefined {
  const age = at.getTime() - Date.parse(since ?? "");
  return age >= 0 ? age >= after : undefined;
}

/**
 * Notes that a feed was refused. Something in between may do so once, or a right expire for a while: it lasts when it is so an hour
 * later, in another run; of one that `fails`, a day later. @returns whether it lasts
 */
export async function noteRefusal(
  store: Store,
  feed: string,
  { known, at, fails = false }: { readonly known: FeedState; readonly at: Date; readonly fails?: boolean },
): Promise<boolean> {
  const lasts = fails ? hasLasted(known.failsSince, at, failsAfter) : hasLasted(known.refusedSince, at);
  if (lasts !== undefined) return lasts;
  const { state, document } = await readFeed(store, feed);
  // Whoever signed in since the feed was asked may have sent it back to its beginning.
  const next = { ...(state ?? known), [fails ? "failsSince" : "refusedSince"]: at.toISOString() };
  await store.commit({
    expect: [unchanged({ collection: collections.sync, key: feedKey(feed) }, document)],
    put: [feedDocument(feed, document, next)],
  });
  return false;
}

/** Since when questions about single records are refused, while a pull that started over ends: a UTC instant. */
export const unasked: DocumentKey = { collection: collections.sync, key: "unasked" };

/**
 * Notes that a question about one record was refused, which {@link noteRefusal} does for a feed.
 *
 * @returns whether that lasts
 */
export async function noteUnasked(store: Store, at: Date): Promise<boolean> {
  const found = await readState(store, unasked.key);
  const lasts = hasLasted(found && String(found.body), at);
  if (lasts !== undefined) return lasts;
  await store.commit({
    expect: [unchanged(unasked, found)],
    put: [stateDocument(unasked.key, found, at.toISOString())],
  });
  return false;
}

/** Whether nothing on this device can be from this feed. */
export function broughtNothing({ complete, epoch, former, blank }: FeedState): boolean {
  return !complete && !blank && epoch === null && (former ?? null) === null;
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

/**
 * Sends every feed back to its beginning. The outbox and the records stay; what is not met again goes at the end. News that waits
 * goes at once: it is told again where it still holds, and a server that was restored may know nothing of it.
 *
 * @param blank whether all records were forgotten
 */
export async function startOver(
  store: Store,
  feeds: readonly string[],
  canary: string,
  blank = false,
): Promise<void> {
  const anew = { ...unread(canary), restarting: true, ...(blank && { blank }) };
  while (!(await store.commit(await sentBackParts(store, feeds, anew))).ok);
}

/**
 * Part of a commit that has all feeds read anew from a server whose data are the same, so that what is here and is not told again goes.
 * Nothing waits for that: versions here are still the server's.
 *
 * @param former the feeds that what is here was read from, where they are others
 */
export async function readAgainParts(
  store: Store,
  feeds: readonly string[],
  canary: string,
  former = feeds,
): Promise<CommitParts> {
  const isSure = !(await readFeeds(store, former)).some(({ state }) => isUncertain(state));
  const anew = { ...unread(canary), restarting: true, blank: isSure };
  return sentBackParts(store, feeds, anew, isSure ? await epochKnown(store, former) : undefined);
}

/** Has all feeds read anew as {@link readAgainParts} says. */
export async function readAgain(store: Store, feeds: readonly string[], canary: string): Promise<void> {
  while (!(await store.commit(await readAgainParts(store, feeds, canary))).ok);
}

/** @param epoch of what is here, where the server's data are known to be the same; `undefined` where they may not be */
async function sentBackParts(
  store: Store,
  feeds: readonly string[],
  anew: FeedState,
  epoch?: string | null,
): Promise<CommitParts> {
  const found = await readFeeds(store, feeds);
  const put = feeds.map((feed, i) => {
    const { state, document } = found[i] ?? { state: null, document: undefined };
    const complete = state?.complete ?? false;
    const cursor = plainAnew(state?.cursor ?? null);
    const former = (isUncertain(state) ? state?.former : state?.epoch) ?? null;
    const { refusedSince } = state ?? {};
    const epochs = epoch === undefined ? { former } : { epoch: epoch ?? state?.epoch ?? null };
    const next = { ...anew, ...epochs, cursor, complete, ...(refusedSince && { refusedSince }) };
    return feedDocument(feed, document, next);
  });
  const forgotten = [collections.seen, collections.scope, collections.waiting];
  const notes = await Promise.all(forgotten.map((collection) => notesOf(store, collection)));
  const entries = await withoutNews(store);
  const places = feeds.map((feed, i) =>
    unchanged({ collection: collections.sync, key: feedKey(feed) }, found[i]?.document),
  );
  return {
    expect: [...places, ...entries.map(({ before }) => unchanged(before, before))],
    put: [...put, ...entries.map(({ after }) => after)],
    remove: [...notes.flat(), unasked],
  };
}

/** Unsent work as it is without what a pull brought while a request was under way. */
async function withoutNews(store: Store) {
  const entries: { readonly before: StoredDocument; readonly after: Document }[] = [];
  for await (const before of everyDocument(store, { collection: collections.outbox })) {
    const entry = entryOf(before);
    if (entry.incoming) entries.push({ before, after: entryDocument({ ...entry, incoming: null }, before) });
  }
  return entries;
}

/** The names of all documents of a collection: of the notes of what a pull that starts over has met, if not of another. */
export async function notesOf(store: Store, collection: string = collections.seen): Promise<DocumentKey[]> {
  const notes: DocumentKey[] = [];
  for await (const { key } of everyDocument(store, { collection })) notes.push({ collection, key });
  return notes;
}

/** The server's keys of all records that a pull that starts over has met. */
export async function metKeys(store: Store): Promise<Set<string>> {
  const met = new Set<string>();
  for await (const document of everyDocument(store, { collection: collections.seen })) {
    for (const key of (document.body as JsonObject).keys as readonly string[]) met.add(key);
  }
  return met;
}
