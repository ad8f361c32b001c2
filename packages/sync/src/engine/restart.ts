import type { Store, StoredDocument } from "@fieldroll/core";
import { hasAccepted } from "../device/accepted.ts";
import { collections, isEmpty, unchanged } from "../device/documents.ts";
import {
  canaryOf,
  type FeedState,
  feedDocument,
  feedKey,
  notesOf,
  readFeed,
  startOver,
  unread,
} from "../device/feed-state.ts";
import { sweep, type Unmet } from "../device/sweep.ts";
import { restoreUnsent, storeIsEmpty } from "../device/vacancy.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { ofFailure } from "./feed-failure.ts";
import { stillThere } from "./still-there.ts";
import { type Stop, stopOf } from "./stop.ts";

/** Time between two whole listings of a server that has no feeds, in milliseconds. */
const listEvery = 24 * 60 * 60_000;

/**
 * A store that lost its records must not go on from a cursor that speaks of them. To be called before anything else puts a record
 * into it.
 */
export async function checkStore(
  { store, clock, newId }: SyncContext,
  feeds: readonly string[],
): Promise<void> {
  const canary = await canaryOf(store, newId);
  const states = (await readFeeds(store, feeds)).flatMap(({ state }) => (state ? [state] : []));
  const foreign = states.some((state) => state.canary !== canary);
  const lost = states.some((state) => state.records > 0) && (await storeIsEmpty(store));
  if (foreign || lost) await startOver(store, feeds, canary);
  if (lost) await restoreUnsent(store, clock().toISOString());
}

/**
 * Looks whether the server is still the one whose versions unsent work stands on, and starts over where it is not: a server that was
 * restored counts the same numbers again. One without a feed has no epoch to tell it by. Before anything was read, the epoch is
 * noted first; what was accepted while there was none to be had may have been lost since, so that everything is looked at then.
 *
 * @returns what stands in the way of every request
 */
export async function checkServer(context: SyncContext, feeds: readonly string[]): Promise<Stop | null> {
  const { store, api, newId } = context;
  const [feed = "all"] = feeds;
  const found = await readFeed(store, feed);
  const canary = await canaryOf(store, newId);
  const known = found.state ?? unread(canary);
  const isNew = known.epoch === null;
  const isIdle = (await isEmpty(store, collections.outbox)) && !(isNew && (await hasAccepted(store)));
  if (known.restarting || isPlainEpoch(known.epoch) || isIdle) return null;
  const reply = await api.changes({ feed, types: [], cursor: known.cursor, limit: 1 });
  if (reply.kind !== "value") {
    if (ofFailure(reply, known).kind === "start-over") await startOver(store, feeds, canary);
    // Before anything was read, there is no version that unsent work could stand on.
    return isNew ? stopOf(reply) : unknownServer(reply, known);
  }
  const { epoch } = reply.value;
  const isOther = isNew ? !isPlainEpoch(epoch) && (await hasAccepted(store)) : epoch !== known.epoch;
  if (isOther) await startOver(store, feeds, canary);
  else if (isNew) await noteEpoch(store, feed, { ...found, next: { ...known, epoch } });
  return null;
}

/**
 * What stands in the way while a server does not tell which state its data is in: a request that stands on a version of another one
 * would be taken for a conflict, or replace what it never saw. That a feed is refused for this caller says nothing of that: the records
 * are sent all the same.
 */
function unknownServer(
  reply: Exclude<Checked<PulledPage>, { kind: "value" }>,
  known: FeedState,
): Stop | null {
  const failed = ofFailure(reply, known);
  if (failed.kind === "stopped") return failed.stop;
  const failing = ["internal", "unavailable", "too-many-requests"];
  if (reply.kind !== "problem" || !failing.includes(reply.problem)) return null;
  return { why: "unavailable", detail: reply.detail, retryAfter: null };
}

/** Unless something else has moved the feed on: then it has an epoch of its own. */
async function noteEpoch(
  store: Store,
  feed: string,
  { document, next }: { readonly document: StoredDocument | undefined; readonly next: FeedState },
): Promise<void> {
  await store.commit({
    expect: [unchanged({ collection: collections.sync, key: feedKey(feed) }, document)],
    put: [feedDocument(feed, document, next)],
  });
}

function readFeeds(store: Store, feeds: readonly string[]) {
  return Promise.all(feeds.map((feed) => readFeed(store, feed)));
}

/** Whether a feed is being read anew: until that is done, nobody knows which version a record has. */
export async function isRestarting({ store }: SyncContext, feeds: readonly string[]): Promise<boolean> {
  return (await readFeeds(store, feeds)).some(({ state }) => state?.restarting);
}

/** Searches do not tell what left: now and then everything is listed, and what is missing is looked at. */
export async function listAgain(
  { store, clock }: SyncContext,
  feeds: readonly string[],
  canary: string,
): Promise<void> {
  const { state } = await readFeed(store, feeds[0] ?? "");
  if (!state?.complete || state.restarting || !isPlainEpoch(state.epoch)) return;
  const age = clock().getTime() - Date.parse(state.listedAt ?? "");
  // Not the age of a clock that was put back since, either.
  if (!(age >= 0 && age < listEvery)) await startOver(store, feeds, canary);
}

/**
 * When every feed that was read anew has reached its head, what was not met again goes: at a server without feeds only after
 * it said so itself.
 */
export async function finishRestart(context: SyncContext, feeds: readonly string[]): Promise<Stop | null> {
  const { store, clock } = context;
  const read = await readFeeds(store, feeds);
  if (!read.some(({ state }) => state?.restarting)) return null;
  const at = clock().toISOString();
  const { former = null } = read[0]?.state ?? {};
  // The first of several feeds may be refused for ever.
  const epoch = read.map(({ state }) => state?.epoch).find((each) => each) ?? null;
  const plain = isPlainEpoch(epoch);
  const ask = plain ? (left: Unmet) => stillThere(context, left, at) : null;
  const isRestored = !plain && former !== null && !isPlainEpoch(former) && former !== epoch;
  const stop = await sweep(store, { at, ask, epoch: plain ? null : epoch, isRestored });
  if (stop) return stop;
  const put = read.flatMap(({ state, document }, i) =>
    state ? [feedDocument(feeds[i] ?? "", document, { ...state, former: null, restarting: false })] : [],
  );
  const expect = read.map(({ document }, i) =>
    unchanged({ collection: collections.sync, key: feedKey(feeds[i] ?? "") }, document),
  );
  await store.commit({ expect, put, remove: await notesOf(store) });
  return null;
}
