import type { StoredDocument } from "@fieldroll/core";
import { commitParts } from "../device/commit.ts";
import { collections, stateDocument } from "../device/documents.ts";
import {
  canaryOf,
  type FeedState,
  feedDocument,
  feedKey,
  readFeed,
  startOver,
  unread,
} from "../device/feed-state.ts";
import { unchanged } from "../device/journal.ts";
import type { PulledItem } from "../device/locate.ts";
import { applyPage, applyWaiting } from "../device/page.ts";
import { needsScope } from "../device/scope.ts";
import { sweep } from "../device/sweep.ts";
import { storeIsEmpty } from "../device/vacancy.ts";
import type { CommitParts } from "../device/work.ts";
import type { Checked, PulledPage } from "../transport/api.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { SyncContext } from "./context.ts";
import { type Stop, stopOf } from "./stop.ts";

/** How a pull ended. */
export interface PullResult {
  readonly stop: Stop | null;
  /** What the server said of a feed that can't be read, in a sentence. */
  readonly refusal: string | null;
}

/** What else happens while a pull goes on. */
export interface PullTurns {
  /** Called after each page that changed something. */
  readonly landed: () => void;
  /** Called between two pages. */
  readonly between: () => Promise<Stop | null>;
}

/** A page stays within ten seconds of a poor network and well within any memory. */
const pageLimit = 200;

/**
 * Reads every feed up to its head. Each page is written, with its cursor, before the next is asked for, so that it goes on
 * where it was broken off.
 *
 * Edits do not wait for a long pull: between two pages `between` has its turn, and may stop the pull.
 */
export async function pull(
  context: SyncContext,
  feeds: readonly string[],
  turns: PullTurns,
): Promise<PullResult> {
  const canary = await canaryOf(context.store, context.newId);
  await checkStore(context, feeds, canary);
  let refusal: string | null = null;
  for (let again = true, rounds = 0; again && rounds < 3; rounds++) {
    again = false;
    for (const feed of feeds) {
      const result = await pullFeed(context, { feed, feeds, canary }, turns);
      if (result.kind === "stopped") return { stop: result.stop, refusal };
      if (result.kind === "refused") refusal = result.detail;
      if (result.kind === "start-over") {
        await startOver(context.store, feeds, canary);
        again = true;
        break;
      }
    }
  }
  if (!refusal) await finishRestart(context, feeds);
  await applyWaiting(context.store, context.clock().toISOString());
  return { stop: null, refusal };
}

/** A store that lost its records must not go on from a cursor that speaks of them. */
async function checkStore({ store }: SyncContext, feeds: readonly string[], canary: string): Promise<void> {
  const read = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
  const states = read.flatMap(({ state }) => (state ? [state] : []));
  const foreign = states.some((state) => state.canary !== canary);
  const lost = states.some((state) => state.records > 0) && (await storeIsEmpty(store));
  if (foreign || lost) await startOver(store, feeds, canary);
}

/** When every feed that was read anew has reached its head, what was not met again goes. */
async function finishRestart({ store, clock }: SyncContext, feeds: readonly string[]): Promise<void> {
  const read = await Promise.all(feeds.map((feed) => readFeed(store, feed)));
  if (!read.some(({ state }) => state?.restarting)) return;
  await sweep(store, clock().toISOString());
  const put = read.flatMap(({ state, document }, i) =>
    state ? [feedDocument(feeds[i] ?? "", document, { ...state, restarting: false })] : [],
  );
  await store.commit({ put });
}

type FeedResult =
  | { readonly kind: "head" | "start-over" }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "stopped"; readonly stop: Stop };

interface FeedJob {
  readonly feed: string;
  readonly feeds: readonly string[];
  readonly canary: string;
}

/** Pages that can't be written, because something else keeps changing the same records. */
const mostCollisions = 5;

async function pullFeed(context: SyncContext, job: FeedJob, turns: PullTurns): Promise<FeedResult> {
  for (let collisions = 0; collisions < mostCollisions; ) {
    const result = await pullPage(context, job, turns);
    if (typeof result !== "string") return result;
    if (result === "collided") collisions++;
    const stop = await turns.between();
    if (stop) return { kind: "stopped", stop };
  }
  const detail = "The records of a page keep changing on this device while they are written.";
  return { kind: "stopped", stop: { why: "unavailable", detail, retryAfter: null } };
}

/** Reads and writes one page; says how the feed ended, or that there is more. */
async function pullPage(
  context: SyncContext,
  job: FeedJob,
  turns: PullTurns,
): Promise<FeedResult | "more" | "collided"> {
  const { state, document } = await readFeed(context.store, job.feed);
  const known = state ?? unread(job.canary);
  const reply = await context.api.changes({ feed: job.feed, cursor: known.cursor, limit: pageLimit });
  if (reply.kind !== "value") return ofFailure(reply, known);
  const page = reply.value;
  if (known.epoch !== null && known.epoch !== page.epoch) return { kind: "start-over" };
  const written = await write(context, { job, page, known, document });
  if (page.items.length > 0) turns.landed();
  if (!written) return "collided";
  return page.more && page.cursor !== known.cursor ? "more" : { kind: "head" };
}

function ofFailure(reply: Exclude<Checked<PulledPage>, { kind: "value" }>, known: FeedState): FeedResult {
  if (reply.kind === "problem") return ofProblem(reply, known);
  const { detail } = reply;
  return { kind: "stopped", stop: stopOf(reply) ?? { why: "unavailable", detail, retryAfter: null } };
}

/** A cursor that the server does not know any more, or one made for another view of it. */
function ofProblem(problem: WireProblem, known: FeedState): FeedResult {
  const cursor = problem.errors.some(({ field }) => field === "cursor") || problem.problem === "gone";
  if (known.cursor !== null && (cursor || problem.problem === "bad-request")) return { kind: "start-over" };
  return { kind: "refused", detail: problem.detail };
}

function after(known: FeedState, page: PulledPage): FeedState {
  const landing = !known.complete || known.restarting;
  const landed = landing ? page.items.filter(({ change }) => change === "upsert").length : 0;
  return {
    ...known,
    cursor: page.cursor,
    epoch: page.epoch,
    complete: known.complete || !page.more,
    records: known.records + landed,
    pages: known.pages + 1,
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
  { store, clock }: SyncContext,
  landing: {
    readonly job: FeedJob;
    readonly page: PulledPage;
    readonly known: FeedState;
    readonly document: StoredDocument | undefined;
  },
): Promise<boolean> {
  const { job, page, known, document } = landing;
  const { feed } = job;
  const next = after(known, page);
  const note = known.restarting ? notePart(feed, next.pages, page.items) : [];
  const cursor: CommitParts = {
    expect: [unchanged({ collection: collections.sync, key: feedKey(feed) }, document)],
    put: [feedDocument(feed, document, next), ...note],
    remove: [],
  };
  if (page.items.length === 0) {
    if (next.cursor === known.cursor && next.complete === known.complete) return true;
    return !(await commitParts(store, [cursor], { durability: "relaxed" }));
  }
  const tracked = needsScope(job.feeds);
  const at = clock().toISOString();
  const { restarting } = known;
  return applyPage(store, page.items, { feed, at, restarting, tracked, with: cursor });
}
