import type { Store, StoredDocument } from "@fieldroll/core";
import { acceptedIn, hasAccepted, hasLost } from "../device/accepted.ts";
import { settleWork } from "../device/commit.ts";
import { collections, everyDocument, unchanged } from "../device/documents.ts";
import {
  canaryOf,
  epochHere,
  epochKnown,
  type FeedState,
  feedDocument,
  feedKey,
  noteRefusal,
  readFeed,
  readFeeds,
  startOver,
  unread,
} from "../device/feed-state.ts";
import { entryOf } from "../device/outbox.ts";
import type { Work } from "../device/work.ts";
import { type Accepted, isUnversioned, unversioned } from "../model/accepted.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { compared, doubted } from "../model/put-away.ts";
import { caughtUp } from "../model/redo.ts";
import type { SyncContext } from "./context.ts";
import { type FeedFailure, isOnlyThis, ofFailure } from "./feed-failure.ts";
import { isRestarting } from "./restart.ts";
import { type Stop, stopOf } from "./stop.ts";

/**
 * Looks whether the server is still the one whose versions unsent work stands on, and starts over where it is not: a server that was
 * restored counts the same numbers again. Any of its feeds tells, for they have one epoch. One without a feed has none to tell it by.
 * Before anything was read, the epoch is noted first; what another state of the data accepted from here is looked at then. Work that
 * was put away is compared by itself.
 *
 * @returns what stands in the way of every request
 */
export async function checkServer(context: SyncContext, feeds: readonly string[]): Promise<Stop | null> {
  const { store } = context;
  const work = await standing(store);
  const epoch = await epochKnown(store, feeds);
  if (isPlainEpoch(epoch)) return compareAll(context, work.back, epoch);
  if (work.isNone && !(epoch === null && (await hasAccepted(store)))) return null;
  if (work.back.length === 0 && (await isRestarting(context, feeds))) return null;
  return ask(context, feeds, { work, epoch, canary: await canaryOf(store, context.newId) });
}

/** Compares what was put away, and could not be before the feeds were read: the server did not tell its state until then. */
export async function compareNow(context: SyncContext, feeds: readonly string[]): Promise<void> {
  const { back } = await standing(context.store);
  const epoch = back.length > 0 ? await epochHere(context.store, feeds) : null;
  if (epoch !== null) await compareAll(context, back, epoch);
}

/** What is known before the server is asked. */
interface Here {
  readonly work: Awaited<ReturnType<typeof standing>>;
  readonly epoch: string | null;
  readonly canary: string;
}

async function ask(context: SyncContext, feeds: readonly string[], here: Here): Promise<Stop | null> {
  const { store, api } = context;
  const { work, epoch, canary } = here;
  const stands = work.onVersions || epoch !== null;
  const all: Unsaid[] = [];
  for (const feed of feeds) {
    const { state, document } = await readFeed(store, feed);
    const known = state ?? unread(canary);
    const reply = await api.state({ feed, types: [], cursor: known.cursor, limit: 1 });
    if (reply.kind === "value")
      return told(context, feeds, { ...here, feed, document, known, now: reply.value.epoch });
    const stop = stopOf(reply);
    const failed = ofFailure(reply, known);
    if (failed.kind === "start-over") await startOver(store, feeds, canary);
    if (failed.kind === "start-over" || (stop && !(await isOnlyThis(context, stop)))) return stop;
    all.push(await unsaid(context, feed, { failed, known, stands }));
  }
  return untold(context, feeds, { ...here, stands, all });
}

/** Of one feed that does not tell the state of the server's data. */
interface Unsaid extends Pick<Stop, "detail" | "network"> {
  /** It failed, and did not refuse this caller. */
  readonly fails: boolean;
  readonly lasts: boolean;
}

async function unsaid(
  { store, clock }: SyncContext,
  feed: string,
  {
    failed,
    known,
    stands,
  }: {
    readonly failed: Exclude<FeedFailure, { kind: "start-over" }>;
    readonly known: FeedState;
    readonly stands: boolean;
  },
): Promise<Unsaid> {
  const { detail, fails, ...rest } = failed.kind === "stopped" ? { ...failed.stop, fails: true } : failed;
  // Where nothing stands on what it would have said, nothing waits for a feed that fails.
  const isNoted = stands || !fails;
  const lasts = isNoted && (await noteRefusal(store, feed, { known, at: clock(), fails }));
  return { detail, fails, lasts, ...("network" in rest && { network: rest.network }) };
}

async function told(
  context: SyncContext,
  feeds: readonly string[],
  {
    work,
    epoch,
    canary,
    ...said
  }: Here & {
    readonly feed: string;
    readonly document: StoredDocument | undefined;
    readonly known: FeedState;
    readonly now: string;
  },
): Promise<null> {
  const { store } = context;
  const { feed, document, known, now } = said;
  if (await isOther(store, epoch, now)) await startOver(store, feeds, canary);
  else if (epoch === null) await noteEpoch(store, feed, { document, next: { ...known, epoch: now } });
  return compareAll(context, work.back, now);
}

async function isOther(store: Store, known: string | null, epoch: string): Promise<boolean> {
  if (known !== null) return epoch !== known;
  return !isPlainEpoch(epoch) && hasLost(store, epoch);
}

/**
 * No feed tells which state the server's data is in: each is refused for this caller, or fails. What was read stands on a state that may be
 * another one by now, so that a request made of one of its versions would be taken for a conflict, or replace what it never saw: that is
 * waited out for a while, and after it everything meets its record first.
 */
async function untold(
  context: SyncContext,
  feeds: readonly string[],
  { work, epoch, canary, stands, all }: Here & { readonly stands: boolean; readonly all: readonly Unsaid[] },
): Promise<Stop | null> {
  const { store } = context;
  const isBlank = (await readFeeds(store, feeds)).some(({ state }) => state?.blank);
  if (isBlank && (await hasAccepted(store))) {
    // What was accepted from here has to be looked at before anything else is sent, or it would count as taken back.
    await startOver(store, feeds, canary);
    return null;
  }
  const waits = epoch !== null || (stands && all.some(({ fails }) => fails));
  if (waits && !all.every(({ lasts }) => lasts)) return stopAt(all.at(-1));
  await compareAll(context, work.back, null);
  await doubtAll(context);
  return null;
}

function stopAt({ detail, network }: Pick<Stop, "detail" | "network"> = { detail: "" }): Stop {
  return { why: "unavailable", detail, retryAfter: null, ...(network && { network }) };
}

/** Has all unsent work meet its record before it replaces it. */
export async function doubtAll({ store, clock }: SyncContext): Promise<void> {
  const at = clock().toISOString();
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const { type, key, base } = entryOf(document);
    if (!base || isUnversioned(base)) continue;
    await settleWork(store, { type, key, at }, ({ entry, local }) => ({
      entry: doubted(entry),
      local,
      ended: [],
    }));
  }
}

/** What the outbox has to do with versions: what was put away and not compared yet, and whether anything stands on one. */
async function standing(store: Store) {
  const back: OutboxEntry[] = [];
  let [isNone, onVersions] = [true, false];
  for await (const document of everyDocument(store, { collection: collections.outbox })) {
    const entry = entryOf(document);
    isNone = false;
    onVersions ||= entry.base !== null;
    if (entry.epoch !== undefined) back.push(entry);
  }
  return { back, isNone, onVersions };
}

/** Nothing stands in the way of work that was put away any more, once it is compared. */
async function compareAll(
  { store, clock }: SyncContext,
  back: readonly OutboxEntry[],
  epoch: string | null,
): Promise<null> {
  const at = clock().toISOString();
  for (const name of back) {
    await settleWork(store, { type: name.type, key: name.key, at }, ({ entry, local }, work) => {
      const after = compared(entry, epoch);
      if (!entry.base || after.base === entry.base) return { entry: after, local, ended: [] };
      const { held, shown } = caughtUp(
        entry.type,
        { held: entry.base, shown: local },
        { accepted: madeIn(work, entry.epoch), isThere: () => true },
      );
      return { entry: { ...after, base: unversioned(held) }, local: shown, ended: [] };
    });
  }
  return null;
}

/** What a state of the server's data accepted of a record from here, where it is known which. */
function madeIn(work: Work, epoch: string | null | undefined): readonly Accepted[] {
  return acceptedIn(work).filter((each) => each.epoch !== null && each.epoch === epoch);
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
