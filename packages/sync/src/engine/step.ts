import type { JsonObject } from "@fieldroll/core";
import { type Known, settleWork } from "../device/commit.ts";
import { withNews } from "../model/accept.ts";
import { withAnswer } from "../model/answers.ts";
import { nameIn, type OutboxEntry } from "../model/entry.ts";
import { entryAs } from "../model/in-names.ts";
import { afterNews, askedIfBack } from "../model/lost.ts";
import { settle } from "../model/settle.ts";
import type { Settled } from "../model/settled.ts";
import { anothersName, type Verdict } from "../model/verdict.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { type Answered, arrivedAlready, duplicateOf, givenAway } from "./duplicate.ts";
import { isForgotten } from "./forgotten.ts";
import { frozen } from "./frozen.ts";
import { resultOf, type StepResult } from "./result.ts";
import { seePhoto } from "./see-photo.ts";
import { answerIn, stopOf } from "./stop.ts";
import { lookByKey, verdictOf } from "./verdict.ts";

/** What is known of a request that was frozen just now, to be sent with others. */
export interface JustFrozen {
  /** Whether it did not leave since. */
  readonly unsent: boolean;
  /** Whether nothing of it that left may have been performed. */
  readonly isFirst: boolean;
}

/** One request of one record: freeze it durably, send it, settle what came of it. */
export async function step(context: SyncContext, id: string, known?: JustFrozen): Promise<StepResult> {
  const name = nameIn(id);
  const sight = await seePhoto(context, name);
  if (sight.kind === "unseen") {
    const stop = stopOf(sight.reply);
    return stop ? { kind: "stopped", stop } : { kind: "failed", weight: 1 };
  }
  const found = await frozen(context, name, sight.version);
  if (!found) return { kind: "sent" };
  const entry = {
    ...found,
    ...(known?.unsent && { repeated: false }),
    ...(known?.isFirst && { isFirst: true }),
  };
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
  const answer = { ...answerIn(reply), at };
  const isRefused = reply.kind === "problem" && reply.status === 403;
  const settled = settle(withAnswer(heard(entry, sent, isRefused), answer), local, verdict, at);
  const { type, key, request } = entry;
  const { accepted = [] } = known;
  const compared = afterNews(settled, { type, key, accepted }, { at, epoch: request?.epoch });
  return askedIfBack({ type, key, entry, local, accepted }, compared, at);
}

/** What is known of a request's attempts once one was answered; of one that was cut off, such as by the end of the app, nothing else tells. */
function heard(entry: OutboxEntry, { isFirst = false }: Answered, isRefused: boolean): OutboxEntry {
  if (!isFirst) return { ...entry, attempts: Math.max(1, entry.attempts) };
  const { unheard: _, ...rest } = entry;
  return isRefused ? rest : entry;
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
