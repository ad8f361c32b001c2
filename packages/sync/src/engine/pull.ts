import type { ResourceType, StoredDocument } from "@fieldroll/core";
import { forgetOld } from "../device/accepted.ts";
import { commitParts } from "../device/commit.ts";
import { collections, stateDocument, unchanged } from "../device/documents.ts";
import {
  broughtNothing,
  canaryOf,
  epochKnown,
  type FeedState,
  feedDocument,
  feedKey,
  isUncertain,
  noteRefusal,
  readFeed,
  startOver,
  unread,
} from "../device/feed-state.ts";
import type { PulledItem } from "../device/locate.ts";
import { applyPage, applyWaiting } from "../device/page.ts";
import { keyItems } from "../device/plain-keys.ts";
import { needsScope } from "../device/scope.ts";
import { hasLeft, waitingItems } from "../device/waiting.ts";
import { giveWithheld } from "../device/withheld.ts";
import type { CommitParts } from "../device/work.ts";
import { referredFirst } from "../model/content.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { SyncContext } from "./context.ts";
import { type FeedResult, isOnlyThis, ofFailure } from "./feed-failure.ts";
import { createPageReader, type PageReader } from "./page-reader.ts";
import { withPhotosThere } from "./photos-there.ts";
import { finishRestart, listAgain } from "./restart.ts";
import type { Stop } from "./stop.ts";

/** How a pull ended. */
export interface PullResult {
  readonly stop: Stop | null;
  /** What the server said of a feed that can't be read, in a sentence. */
  readonly refusal: string | null;
  /** Whether every feed is refused for good, so that reading everything anew would never end. */
  readonly lasting: boolean;
  /** Whether each of those that can't be read is so for good, or has failed for a day. */
  readonly failing: boolean;
}

/** What else happens while a pull goes on. */
export interface PullTurns {
  /** Called after each page that changed something. */
  readonly landed: () => void;
  /** Called between two pages. Says what stops the pull, and whether what was asked before says nothing any more. */
  readonly between: () => Promise<{ readonly stop: Stop | null; readonly stale: boolean }>;
}

/**
 * Reads every feed up to its head. Each page is written together with its cursor, one after the other, so that it goes on
 * where it was broken off; the next one is on its way meanwhile.
 *
 * Edits do not wait for a long pull: between two pages `between` has its turn, and may stop the pull. A page that was asked for
 * before something was sent, or before somebody signed out, is asked for again: it would tell of the time before.
 */
export async function pull(
  context: SyncContext,
  feeds: readonly string[],
  turns: PullTurns,
): Promise<PullResult> {
  const canary = await canaryOf(context.store, context.newId);
  await listAgain(context, feeds, canary);
  let read = await readAll(context, { feeds, canary }, turns);
  for (let rounds = 1; read.again && rounds < 3; rounds++) {
    read = await readAll(context, { feeds, canary }, turns);
  }
  // What left one feed may have joined another one that had been read before.
  const isLeaving = !read.stop && [...(await waitingItems(context.store)).values()].some(hasLeft);
  if (isLeaving) read = await readAll(context, { feeds, canary }, turns);
  const { stop, refusal, lasting, failing, again, isWhole } = read;
  const unfinished = stop ?? (isWhole && !again ? await finishRestart(context, feeds) : null);
  if (unfinished) return { stop: unfinished, refusal, lasting, failing };
  const at = context.clock().toISOString();
  const epoch = await epochKnown(context.store, feeds);
  await applyWaiting(context.store, { at, isRead: isWhole || lasting, epoch });
  await giveWithheld(context.store, feeds, at);
  // One answer may have any date, and so may this device: what both call old is old.
  const both = [context.clock(), context.serverTime()].map((time) => time.getTime());
  await forgetOld(context.store, new Date(Math.min(...both)));
  return { stop: null, refusal, lasting, failing };
}

/** Reads every feed to its head. @returns whether something kept sending them back to their beginnings */
async function readAll(
  context: SyncContext,
  { feeds, canary }: Omit<FeedJob, "feed">,
  turns: PullTurns,
): Promise<PullResult & { readonly again: boolean; readonly isWhole: boolean }> {
  let refusal: string | null = null;
  const refused: Refused[] = [];
  const unread = { lasting: false, failing: false, isWhole: false };
  let failed: Stop | null = null;
  for (const feed of feeds) {
    const result = await pullFeed(context, { feed, feeds, canary }, turns);
    if (result.kind === "stopped") {
      const isAlone = result.alone || (await isOnlyThis(context, result.stop));
      if (!isAlone) return { stop: result.stop, refusal, again: false, ...unread };
      // What one feed asks for is no reason to leave the others alone.
      failed ??= { ...result.stop, retryAfter: null };
      refused.push(await weighed(context, feed, { fails: true, canary }));
    }
    if (result.kind === "refused") {
      refusal = result.detail;
      refused.push(await weighed(context, feed, { ...result, canary }));
    }
    if (result.kind === "start-over") {
      await startOver(context.store, feeds, canary);
      return { stop: null, refusal, again: true, ...unread };
    }
  }
  const isNone = refused.length === feeds.length;
  return { stop: failed, refusal, again: false, ...inAll(refused, isNone, failed !== null) };
}

/** What several feeds that can't be read come to. What one told of that fails may be there still, however long it does. */
function inAll(refused: readonly Refused[], isNone: boolean, isStopped: boolean) {
  const isRefused = ({ lasting, fails }: Refused) => lasting && !fails;
  return {
    lasting: isNone && refused.every(isRefused),
    failing: refused.some(({ fails }) => fails) && refused.every((each) => each.lasting || each.isNews),
    isWhole: !isStopped && !isNone && refused.every((each) => isRefused(each) || each.isNews),
  };
}

/** A feed that was refused: whether for good, and whether nothing here is from it, so that nothing is missed by its absence. */
interface Refused {
  readonly lasting: boolean;
  readonly fails: boolean;
  readonly isNews: boolean;
}

async function weighed(
  { store, clock }: SyncContext,
  feed: string,
  { fails, canary }: { readonly fails: boolean; readonly canary: string },
): Promise<Refused> {
  const known = (await readFeed(store, feed)).state ?? unread(canary);
  const lasting = await noteRefusal(store, feed, { known, at: clock(), fails });
  return { lasting, fails, isNews: broughtNothing(known) };
}

interface FeedJob {
  readonly feed: string;
  readonly feeds: readonly string[];
  readonly canary: string;
}

/** Pages that can't be written, because something else keeps changing the same records. */
const mostCollisions = 5;

async function pullFeed(context: SyncContext, job: FeedJob, turns: PullTurns): Promise<FeedResult> {
  const pages = createPageReader(context, { feed: job.feed, types: plainTypes(job) });
  for (let collisions = 0; collisions < mostCollisions; ) {
    const result = await pullPage(context, { ...job, pages }, turns);
    if (typeof result !== "string") return result;
    if (result === "collided") collisions++;
    const { stop, stale } = await turns.between();
    if (stop) return { kind: "stopped", stop, alone: false };
    if (stale) pages.drop();
  }
  const detail = "The records of a page keep changing on this device while they are written.";
  return { kind: "stopped", stop: { why: "unavailable", detail, retryAfter: null }, alone: false };
}

/** Reads and writes one page; says how the feed ended, or that there is more. */
async function pullPage(
  context: SyncContext,
  { pages, ...job }: FeedJob & { readonly pages: PageReader },
  turns: PullTurns,
): Promise<FeedResult | "more" | "collided"> {
  const { state, document } = await readFeed(context.store, job.feed);
  const known = state ?? unread(job.canary);
  const version = document?.version ?? 0;
  const reply = await pages.read({ cursor: known.cursor, version });
  if (reply.kind !== "value") return ofFailure(reply, known);
  const epoch = known.epoch ?? (await epochKnown(context.store, job.feeds));
  if (epoch !== null && epoch !== reply.value.epoch) return { kind: "start-over" };
  const page = await keyed(context, reply.value);
  if (page.restored && !isUncertain(known)) return { kind: "start-over" };
  const goesOn = page.more && page.cursor !== known.cursor;
  if (goesOn) pages.ahead({ cursor: page.cursor, version: version + 1 });
  const seen = await withPhotosThere(context, page, known.restarting);
  await context.giveWay();
  const written = await write(context, { job, page: seen, known, document });
  if (page.items.length > 0) turns.landed();
  if (!written) return "collided";
  return goesOn ? "more" : { kind: "head" };
}

/** A server without feeds is read whole, once, whatever feeds are wanted; programs alone can be told apart. */
function plainTypes({ feed, feeds }: FeedJob): readonly ResourceType[] {
  if (feed !== feeds[0]) return [];
  return feeds.every((name) => name === "programs") ? ["Program"] : referredFirst;
}

async function keyed(
  { store, newId }: SyncContext,
  page: PulledPage,
): Promise<PulledPage & { readonly restored: boolean }> {
  if (!page.plain) return { ...page, restored: false };
  return { ...page, ...(await keyItems(store, page.items, newId)) };
}

function after(
  { refusedSince: _, failsSince: _f, ...known }: FeedState,
  page: PulledPage,
  { at, rate }: { readonly at: string; readonly rate: number | null },
): FeedState {
  const listed = page.plain && !page.more && (known.restarting || !known.complete);
  const landing = !known.complete || known.restarting;
  const landed = landing ? page.items.filter(({ change }) => change === "upsert").length : 0;
  return {
    ...known,
    cursor: page.cursor,
    epoch: page.epoch,
    complete: known.complete || !page.more,
    records: known.records + landed,
    pages: known.pages + 1,
    ...(rate !== null && { rate }),
    ...(listed && { listedAt: at }),
  };
}

function notePart(feed: string, page: number, items: readonly PulledItem[]) {
  const keys = items.filter(({ change }) => change === "upsert").map(({ key }) => key);
  return [
    { ...stateDocument("", undefined, { keys }), collection: collections.seen, key: `${feed}/${page}` },
  ];
}

/** Writes a page and the cursor after it. @returns whether nothing came in between */
async function write(
  { store, clock, pace }: SyncContext,
  landing: {
    readonly job: FeedJob;
    readonly page: PulledPage;
    readonly known: FeedState;
    readonly document: StoredDocument | undefined;
  },
): Promise<boolean> {
  const { job, page, known, document } = landing;
  const { feed } = job;
  const at = clock().toISOString();
  const next = after(known, page, { at, rate: pace.current.rate });
  const note = known.restarting ? notePart(feed, next.pages, page.items) : [];
  const cursor: CommitParts = {
    expect: [unchanged({ collection: collections.sync, key: feedKey(feed) }, document)],
    put: [feedDocument(feed, document, next), ...note],
    remove: [],
  };
  if (page.items.length === 0) {
    const isNoNews = next.cursor === known.cursor && next.complete === known.complete;
    if (isNoNews && (known.refusedSince ?? known.failsSince) === undefined) return true;
    return !(await commitParts(store, [cursor], { durability: "relaxed" }));
  }
  const tracked = !page.plain && needsScope(job.feeds);
  const { restarting, complete } = known;
  const { epoch, plain } = page;
  const first = !complete && !restarting && !plain;
  const news = { feed, at, restarting, tracked, first, with: cursor };
  return applyPage(store, page.items, { ...news, ...(!plain && { epoch }) });
}
