import type { JsonObject, Store } from "@fieldroll/core";
import { backoff, longestDelay } from "../model/backoff.ts";
import { tellsVersion, versionOf } from "../model/content.ts";
import { isCarried } from "../model/undone.ts";
import { anothersName, type Verdict, withoutVersion } from "../model/verdict.ts";
import type { Api } from "../transport/api.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";
import { type Answered, duplicateOf, isOther, madeAnother, readTaker } from "./duplicate.ts";
import { namesThere } from "./names-there.ts";
import type { Past } from "./state.ts";
import { thereByKey } from "./still-there.ts";
import { inTheEnd } from "./unheard.ts";

/** What reading a verdict needs besides the reply. */
export interface VerdictContext {
  readonly store: Store;
  readonly api: Api;
  readonly now: Date;
  readonly random: () => number;
  readonly past: Past;
  /** Whether an earlier attempt may have had its effect without the server remembering it. */
  readonly doubtful?: boolean;
}

/**
 * Turns a reply to a frozen request into a verdict, fetching the other copy where the verdict speaks of one. While that can't
 * be had, the outcome stays unknown and the same request is repeated: it will be refused the same way.
 */
export async function verdictOf(
  entry: Answered,
  reply: Checked<JsonObject>,
  context: VerdictContext,
): Promise<Verdict> {
  const verdict = await said(entry, reply, context);
  if (verdict.kind === "gone") await lookByKey(entry, context);
  return inTheEnd({ ...entry, since: entry.request.frozenAt }, { reply, verdict }, context);
}

async function said(entry: Answered, reply: Checked<JsonObject>, context: VerdictContext): Promise<Verdict> {
  switch (reply.kind) {
    case "value":
      if (reply.isOther) return madeAnother(entry, reply.value, context.api);
      return { kind: "accepted", record: reply.value, recordKey: reply.recordKey };
    case "problem":
      return verdictOfProblem(entry, reply, context);
    case "broken": {
      const delay = Math.min(reply.retryAfter ?? backoff(entry.attempts + 1, context.random()), longestDelay);
      return unknown(reply.detail, context.now, delay);
    }
    case "no-answer": {
      const delay = reply.why === "network" ? null : backoff(entry.attempts + 1, context.random());
      return unknown(reply.detail, context.now, delay);
    }
    case "unauthorized":
    case "unavailable":
      return unknown(reply.detail, context.now, null);
  }
}

function unknown(detail: string, now: Date, delay: number | null): Verdict {
  const nextAttemptAt = delay === null ? null : new Date(now.getTime() + delay).toISOString();
  return { kind: "unknown", detail, nextAttemptAt };
}

async function verdictOfProblem(
  entry: Answered,
  problem: WireProblem,
  context: VerdictContext,
): Promise<Verdict> {
  const { detail, errors, households } = problem;
  switch (problem.problem) {
    case "conflict":
    case "precondition-required":
      if (errors.some(({ code }) => code === "other_record")) return anothersName;
      return entry.base ? conflict(entry, context) : duplicate(entry, problem, context);
    case "duplicate":
      return duplicate(entry, problem, context);
    case "authorization":
      if (problem.missingScope) return unknown(detail, context.now, longestDelay);
      return { kind: "forbidden", detail };
    case "not-found":
    case "gone":
      return { kind: "gone", detail };
    case "too-many-requests":
    case "unavailable":
    case "internal":
    case "authentication":
      return unknown(detail, context.now, backoff(entry.attempts + 1, context.random()));
    default:
      return { kind: "rejected", detail, errors, ...(households && { households }) };
  }
}

/** A record that is not there by its name may have another one: then it is news that the edits go on upon. */
export async function lookByKey(
  { type, key, base }: Answered,
  context: Pick<VerdictContext, "api" | "store" | "now">,
): Promise<void> {
  const how = { at: context.now.toISOString(), restarting: false };
  if (base) await thereByKey(context, { type, key, record: base }, how);
}

async function conflict(entry: Answered, context: VerdictContext): Promise<Verdict> {
  const reply = await context.api.read(entry.request.path.slice(1));
  if (reply.kind === "value" && isOther(entry, reply)) return anothersName;
  if (reply.kind === "value" && (await isUnread(entry, reply.value, context)))
    return unknown(
      "The server takes no keys of records; the request is sent again without.",
      context.now,
      null,
    );
  if (reply.kind === "value" && !tellsVersion(reply.value)) return withoutVersion;
  // What is in a file as well may have been sent by another device, under this key or, merged, under another.
  const doubtful = context.doubtful === true || isCarried(entry);
  const found =
    reply.kind === "value"
      ? await namesThere(entry, reply.value, { ...context, at: context.now.toISOString() })
      : reply;
  if (found.kind === "names") return { ...found, kind: "conflict", doubtful };
  if (found.kind === "problem") return gone(found, context);
  return unknown(found.detail, context.now, backoff(entry.attempts + 1, context.random()));
}

/** Whether the version that the server refused is the one that it has: then it may not know the key that came with it. */
async function isUnread(
  { request }: Answered,
  theirs: JsonObject,
  { api }: VerdictContext,
): Promise<boolean> {
  const isSame = tellsVersion(theirs) && String(versionOf(theirs)) === request.ifMatch;
  return (
    isSame && request.recordKey !== undefined && (await api.isKeyed(false)) && !(await api.isKeyed(true))
  );
}

function gone(problem: WireProblem, context: VerdictContext): Verdict {
  if (problem.missingScope) return unknown(problem.detail, context.now, longestDelay);
  return { kind: problem.problem === "authorization" ? "forbidden" : "gone", detail: problem.detail };
}

/** A lost answer to our own POST, or somebody else's record: what it says tells them apart. */
async function duplicate(entry: Answered, problem: WireProblem, context: VerdictContext): Promise<Verdict> {
  const reply = await readTaker(entry, problem, context.api);
  if (reply && reply.kind !== "value" && reply.kind !== "problem") {
    return unknown(reply.detail, context.now, backoff(entry.attempts + 1, context.random()));
  }
  const remembers = !(await context.api.isPlain());
  return duplicateOf(entry, reply?.kind === "value" ? reply : null, { ...problem, remembers });
}
