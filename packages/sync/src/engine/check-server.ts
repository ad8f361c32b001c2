import type { Store, StoredDocument } from "@fieldroll/core";
import { hasAccepted, hasLost } from "../device/accepted.ts";
import { settleWork } from "../device/commit.ts";
import { collections, everyDocument, unchanged } from "../device/documents.ts";
import {
  canaryOf,
  type FeedState,
  feedDocument,
  feedKey,
  isUncertain,
  readFeed,
  startOver,
  unread,
} from "../device/feed-state.ts";
import { entryOf } from "../device/outbox.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { compared } from "../model/put-away.ts";
import type { PulledPage } from "../transport/page-in.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { ofFailure } from "./feed-failure.ts";
import { type Stop, stopOf } from "./stop.ts";

/**
 * Looks whether the server is still the one whose versions unsent work stands on, and starts over where it is not: a server that was
 * restored counts the same numbers again. One without a feed has no epoch to tell it by. Before anything was read, the epoch is
 * noted first; what another state of the data accepted from here is looked at then. Work that was put away is compared by itself.
 *
 * @returns what stands in the way of every request
 */
export async function checkServer(context: SyncContext, feeds: readonly string[]): Promise<Stop | null> {
  const { store, api } = context;
  const { state, document } = await readFeed(store, feeds[0] ?? "all");
  const known = state ?? unread(await canaryOf(store, context.newId));
  const work = await standing(store);
  if (isPlainEpoch(known.epoch)) return compareAll(context, work.back, known.epoch);
  if (work.isNone && !(known.epoch === null && (await hasAccepted(store)))) return null;
  if (work.back.length === 0 && isUncertain(known)) return null;
  const reply = await api.changes({ feed: feeds[0] ?? "all", types: [], cursor: known.cursor, limit: 1 });
  if (reply.kind !== "value") return unanswered(context, feeds, { reply, known, work });
  const { epoch } = reply.value;
  if (await isOther(store, known, epoch)) await startOver(store, feeds, known.canary);
  else if (known.epoch === null)
    await noteEpoch(store, feeds[0] ?? "all", { document, next: { ...known, epoch } });
  return compareAll(context, work.back, epoch);
}

async function isOther(store: Store, known: FeedState, epoch: string): Promise<boolean> {
  if (known.epoch !== null) return epoch !== known.epoch;
  return !isPlainEpoch(epoch) && hasLost(store, epoch);
}

async function unanswered(
  context: SyncContext,
  feeds: readonly string[],
  {
    reply,
    known,
    work,
  }: {
    readonly reply: Unanswered;
    readonly known: FeedState;
    readonly work: Awaited<ReturnType<typeof standing>>;
  },
): Promise<Stop | null> {
  const { store } = context;
  const { kind } = ofFailure(reply, known);
  if (kind === "start-over") await startOver(store, feeds, known.canary);
  const stop = work.onVersions || known.epoch !== null ? unknownServer(reply, known) : stopOf(reply);
  if (stop || kind !== "refused") return stop;
  if (!known.blank || !(await hasAccepted(store))) return compareAll(context, work.back, null);
  // What was accepted from here has to be looked at before anything else is sent, or it would count as taken back.
  await startOver(store, feeds, known.canary);
  return null;
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
    await settleWork(store, { type: name.type, key: name.key, at }, (entry, local) => {
      return { entry: compared(entry, epoch), local, ended: [] };
    });
  }
  return null;
}

type Unanswered = Exclude<Checked<PulledPage>, { kind: "value" }>;

/**
 * What stands in the way while a server does not tell which state its data is in: a request that stands on a version of another one
 * would be taken for a conflict, or replace what it never saw. That a feed is refused for this caller says nothing of that: the records
 * are sent all the same.
 */
function unknownServer(reply: Unanswered, known: FeedState): Stop | null {
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
