import type { JsonObject } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { settleTogether } from "../device/together.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import type { Answered } from "./duplicate.ts";
import { resultOf, type StepResult } from "./result.ts";
import { type Judged, judged } from "./step.ts";
import { verdictOf } from "./verdict.ts";

/** The answer to one of the requests that travelled together. */
export interface Part {
  readonly entry: Answered;
  readonly reply: Checked<JsonObject>;
}

/** How an entry's request fared. */
export interface Fared {
  readonly entry: Answered;
  readonly result: StepResult;
}

/** Records fetched at once, where they can't be fetched together. */
const parallel = 4;

/**
 * Settles each answer in its own right: those that say it all in one step, then those that ask for a look at the other copy. Cut off
 * in between, the others are sent again, and answered alike.
 */
export async function settleParts(context: SyncContext, parts: readonly Part[]): Promise<readonly Fared[]> {
  const fared = [
    ...(await settleAll(
      context,
      parts.filter((part) => !needsLook(part)),
    )),
  ];
  const left = parts.filter(needsLook);
  const looking = await lookingAt(context, left);
  const atOnce = looking === context ? parallel : left.length;
  for (let taken = left.splice(0, atOnce); taken.length > 0; taken = left.splice(0, atOnce)) {
    const found = await settleAll(looking, taken);
    fared.push(...found);
    // What keeps one from being looked at keeps all.
    if (found.some(({ result }) => result.kind !== "sent")) break;
  }
  return [...fared, ...left.map(({ entry }): Fared => ({ entry, result: { kind: "waits" } }))];
}

/** Whether a verdict speaks of a copy that has to be fetched. */
function needsLook({ reply }: Part): boolean {
  if (reply.kind !== "problem") return false;
  return ["conflict", "precondition-required", "duplicate"].includes(reply.problem);
}

/** A context in which the records that conflict have been fetched already, all in one request. */
async function lookingAt(context: SyncContext, parts: readonly Part[]): Promise<SyncContext> {
  const { api } = context;
  const wanted = parts.flatMap(({ entry: { type, base, request } }) =>
    base ? [{ type, reference: request.path.slice(1) }] : [],
  );
  const answer = wanted.length > 1 ? await api.together.read(wanted) : { kind: "refused" as const };
  if (answer.kind !== "each") return context;
  const found = new Map(wanted.map(({ reference }, place) => [reference, answer.replies[place]]));
  const read: typeof api.read = async (name) => {
    const reply = found.get(name);
    // Who looks a second time wants to know what it is by then.
    found.delete(name);
    return reply ?? api.read(name);
  };
  return { ...context, api: { ...api, read } };
}

/** In one step; or one by one, where something comes in between. */
async function settleAll(context: SyncContext, parts: readonly Part[]): Promise<readonly Fared[]> {
  const { store, serverTime } = context;
  const found = await judge(context, parts);
  const at = serverTime().toISOString();
  const names = found.map(({ entry }) => entry);
  const together = await settleTogether(store, names, at, (known, place) => {
    const one = found[place];
    return one ? judged(known, one, at) : null;
  });
  for (const one of together ? [] : found) {
    const { type, key } = one.entry;
    await settleWork(store, { type, key, at }, (known) => judged(known, one, at));
  }
  return found.map(({ entry, reply, verdict }) => ({ entry, result: resultOf(reply, verdict) }));
}

function judge(context: SyncContext, parts: readonly Part[]): Promise<readonly Judged[]> {
  const { store, api, random } = context;
  const rest = { store, api, now: context.clock(), random, past: context.past() };
  return Promise.all(
    parts.map(async ({ entry, reply }) => ({ entry, reply, verdict: await verdictOf(entry, reply, rest) })),
  );
}
