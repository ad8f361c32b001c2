import type { JsonObject, ResourceType } from "@fieldroll/core";
import { type Known, knownAfter, settleWork } from "../device/commit.ts";
import { epochKnown } from "../device/feed-state.ts";
import { withNews } from "../model/accept.ts";
import { withAnswer } from "../model/answers.ts";
import { versionOf } from "../model/content.ts";
import { nameIn, type OutboxEntry, type Settled } from "../model/entry.ts";
import { freeze } from "../model/freeze.ts";
import { seenPart } from "../model/hidden.ts";
import { entryAs } from "../model/in-names.ts";
import { afterNews } from "../model/lost.ts";
import { endAll } from "../model/rebase.ts";
import { settle } from "../model/settle.ts";
import { anothersName, type Verdict } from "../model/verdict.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { type Answered, arrivedAlready, duplicateOf, givenAway } from "./duplicate.ts";
import { isForgotten } from "./forgotten.ts";
import { resultOf, type StepResult } from "./result.ts";
import { seePhoto } from "./see-photo.ts";
import { answerIn, stopOf } from "./stop.ts";
import { lookByKey, verdictOf } from "./verdict.ts";

/**
 * One request of one record: freeze it durably, send it, settle what came of it.
 *
 * @param unsent whether it was frozen just now, and did not leave since
 */
export async function step(context: SyncContext, id: string, unsent = false): Promise<StepResult> {
  const name = nameIn(id);
  const sight = await seePhoto(context, name);
  if (sight.kind === "unseen") {
    const stop = stopOf(sight.reply);
    return stop ? { kind: "stopped", stop } : { kind: "failed", weight: 1 };
  }
  const found = await frozen(context, name, sight.version);
  if (!found) return { kind: "sent" };
  const entry = unsent ? { ...found, repeated: false } : found;
  const { reply, verdict } = await attempt(context, entry);
  const at = context.serverTime().toISOString();
  await settleWork(context.store, { ...name, at }, (current) =>
    judged(current, { entry, reply, verdict }, at),
  );
  return resultOf(reply, verdict);
}

/** What a request came to. */
export interface Judged {
  readonly entry: Answered;
  readonly reply: Checked<JsonObject>;
  readonly verdict: Verdict;
}

/** The record after a verdict; `null` where that speaks of a request that is not under way any more. */
export function judged(known: Known, { entry: sent, reply, verdict }: Judged, at: string): Settled | null {
  if (known.entry.request?.key !== sent.request.key) return null;
  const { entry, local } = verdict.kind === "conflict" ? calledThere(known, verdict) : known;
  const settled = settle(withAnswer(entry, { ...answerIn(reply), at }), local, verdict, at);
  const { type, key, request } = entry;
  return afterNews(settled, { type, key, accepted: known.accepted ?? [] }, { at, epoch: request?.epoch });
}

/** What a pull brought later stays beside the work, and says itself whom it means. */
function calledThere(known: Known, { theirs, there }: Verdict & { readonly kind: "conflict" }) {
  return there && withNews(theirs, known.entry) === theirs ? entryAs(known, theirs, there) : known;
}

/** Sends a frozen request, unless an earlier attempt turns out to have been answered, and says what came of it. */
async function attempt(context: SyncContext, entry: Answered) {
  const { store, api, clock, serverTime, random } = context;
  const doubtful =
    entry.repeated === true && (isForgotten(entry.request, serverTime()) || (await api.isPlain()));
  const isNamed = entry.request.recordKey !== undefined && (await api.isKeyed(false));
  const hindrance = isNamed ? null : await givenAway(entry, api);
  if (hindrance?.kind === "value") {
    await lookByKey(entry, { store, api, now: clock() });
    return { reply: hindrance, verdict: anothersName };
  }
  const arrived = doubtful && !hindrance ? await arrivedAlready(entry, api) : null;
  if (arrived) return { reply: arrived, verdict: duplicateOf(entry, arrived) };
  const reply = hindrance ?? (await api.write(entry, entry.request));
  const rest = { store, api, now: clock(), random, past: context.past(), doubtful };
  return { reply, verdict: await verdictOf(entry, reply, rest) };
}

/**
 * The entry with its request, frozen and durable before anything leaves; `null` when there is nothing to send.
 *
 * @param seen the version whose photo may be replaced
 */
export async function frozen(
  context: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
  seen: number | null = null,
): Promise<Answered | null> {
  const options = await freezing(context);
  let known: Known | null = null;
  const decided = await settleWork(context.store, { ...name, at: options.at }, (found) => {
    known = found;
    return freezeIn(found, options, seen);
  });
  return requested(decided ? knownAfter(decided) : known, !decided);
}

/** @param repeated whether its request was frozen before */
export function requested(known: Known | null, repeated: boolean): Answered | null {
  const { entry } = known ?? {};
  return entry?.request ? { ...entry, request: entry.request, repeated } : null;
}

/** What requests are frozen with; `at` is a UTC instant. */
export interface Freezing {
  readonly newId: () => string;
  readonly at: string;
  readonly serverAt?: string;
  readonly epoch: string | null;
  readonly photos: boolean;
  /** Whether keys go beside references. */
  readonly refersByKey?: boolean;
}

export async function freezing(context: SyncContext): Promise<Freezing> {
  const { store, feeds, api, newId, clock, serverTime, photos } = context;
  const epoch = await epochKnown(store, feeds);
  const refersByKey = await api.refersByKey(false);
  const [now, there] = [clock(), serverTime()];
  // Two looks at one clock are some milliseconds apart.
  const serverAt = Math.abs(there.getTime() - now.getTime()) > 60_000 && { serverAt: there.toISOString() };
  return { newId, at: now.toISOString(), ...serverAt, epoch, photos: photos(), refersByKey };
}

/** The record with its request; `null` where there is one already, or a decision to wait for. A photo never replaces one unseen. */
export function freezeIn(
  { entry, local, recordKey, keys = {} }: Known,
  { newId, refersByKey, ...options }: Freezing,
  seen: number | null = null,
): Settled | null {
  if (entry.request || entry.parked) return null;
  const photos = options.photos && (!entry.base || versionOf(entry.base) === seen);
  const work = freeze(entry, local, { key: newId(), ...options, photos, ...(refersByKey && { keys }) });
  if (work.kind === "request") {
    const request = { ...work.request, ...(entry.base && recordKey !== undefined && { recordKey }) };
    return { entry: { ...entry, request }, local, ended: [] };
  }
  return work.kind === "later" ? null : nothingLeft(entry);
}

/** The edits cancelled each other out, or the server has it all by now. */
function nothingLeft(entry: OutboxEntry): Settled {
  return { entry: null, local: entry.base && seenPart(entry.base), ended: endAll(entry.edits, "merged") };
}
