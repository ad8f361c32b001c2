import { collections, unchanged } from "../device/documents.ts";
import {
  canaryOf,
  feedDocument,
  feedKey,
  isUncertain,
  notesOf,
  noteUnasked,
  readAgain,
  readFeed,
  readFeeds,
  startOver,
  unasked,
} from "../device/feed-state.ts";
import { sweep, type Unmet } from "../device/sweep.ts";
import { restoreUnsent, storeIsEmpty } from "../device/vacancy.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import type { SyncContext } from "./context.ts";
import { isUntoldThere, stillThere, type There, thereByKey } from "./still-there.ts";
import type { Stop } from "./stop.ts";

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

/** Whether a feed is being read anew: until that is done, nobody knows which version a record has, unless none was here before. */
export async function isRestarting({ store }: SyncContext, feeds: readonly string[]): Promise<boolean> {
  return (await readFeeds(store, feeds)).some(({ state }) => isUncertain(state));
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
  if (!(age >= 0 && age < listEvery)) await readAgain(store, feeds, canary);
}

/**
 * When every feed that was read anew has reached its head, what was not met again goes: at a server without feeds, and of what
 * was sent after its feed was read, only after the server said so itself.
 */
export async function finishRestart(context: SyncContext, feeds: readonly string[]): Promise<Stop | null> {
  const { store, clock } = context;
  const read = await readFeeds(store, feeds);
  if (!read.some(({ state }) => state?.restarting)) return null;
  const at = clock().toISOString();
  // Any of several feeds may be refused for ever.
  const former = read.map(({ state }) => state?.former).find((each) => each) ?? null;
  const epoch = read.map(({ state }) => state?.epoch).find((each) => each) ?? null;
  const plain = isPlainEpoch(epoch);
  const how = { at, restarting: true, ...(epoch !== null && !plain && { epoch }) };
  const isRestored = !plain && former !== null && !isPlainEpoch(former) && former !== epoch;
  const told = async (left: Unmet, there: There) => {
    const found = await waitedOut(context, there);
    if (found !== false) return found;
    const isUntold = await waitedOut(context, await isUntoldThere(context, left));
    return isUntold === true ? "hidden" : isUntold;
  };
  const ask = async (left: Unmet) => told(left, await stillThere(context, left, how));
  const find = async (left: Unmet) => told(left, await thereByKey(context, left, how));
  const stop = await sweep(store, { at, ask, find, asksAll: plain, epoch: plain ? null : epoch, isRestored });
  if (stop) return stop;
  const put = read.flatMap(({ state, document }, i) =>
    state
      ? [feedDocument(feeds[i] ?? "", document, { ...state, former: null, restarting: false, blank: false })]
      : [],
  );
  const expect = read.map(({ document }, i) =>
    unchanged({ collection: collections.sync, key: feedKey(feeds[i] ?? "") }, document),
  );
  await store.commit({ expect, put, remove: [...(await notesOf(store)), unasked] });
  return null;
}

/** A refusal of one question, or a failure of the server, may come once: it counts when it lasts. */
async function waitedOut({ store, clock }: SyncContext, there: There): Promise<boolean | Stop> {
  if (typeof there === "boolean" || "why" in there) return there;
  if (await noteUnasked(store, clock())) return false;
  return { why: "unavailable", detail: there.refused, retryAfter: null };
}
