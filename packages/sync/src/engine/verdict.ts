import { identifiersOf, type JsonObject } from "@fieldroll/core";
import { backoff, longestDelay } from "../model/backoff.ts";
import type { FrozenRequest, OutboxEntry } from "../model/entry.ts";
import { type Verdict, withoutVersion } from "../model/verdict.ts";
import type { Api, Checked } from "../transport/api.ts";
import type { WireProblem } from "../transport/reply.ts";

/** What reading a verdict needs besides the reply. */
export interface VerdictContext {
  readonly api: Api;
  readonly now: Date;
  readonly random: () => number;
  /** When a whole run last succeeded, in milliseconds; `null` for never. */
  readonly lastSuccessAt: number | null;
}

/** Attempts at one request that something in between answers, while everything else works. */
const mostWalled = 8;

/** The entry whose request was answered. */
export type Answered = OutboxEntry & { readonly request: FrozenRequest };

/**
 * Turns a reply to a frozen request into a verdict, fetching the other copy where the verdict speaks of one. While that can't
 * be had, the outcome stays unknown and the same request is repeated: it will be refused the same way.
 */
export async function verdictOf(
  entry: Answered,
  reply: Checked<JsonObject>,
  context: VerdictContext,
): Promise<Verdict> {
  switch (reply.kind) {
    case "value":
      return { kind: "accepted", record: reply.value };
    case "problem":
      return verdictOfProblem(entry, reply, context);
    case "broken": {
      const delay = Math.min(reply.retryAfter ?? backoff(entry.attempts + 1, context.random()), longestDelay);
      return unknown(reply.detail, context.now, delay);
    }
    case "no-answer": {
      if (reply.why === "not-the-api" && isWalled(entry, context)) {
        return { kind: "rejected", detail: reply.detail, errors: [] };
      }
      const delay = reply.why === "network" ? null : backoff(entry.attempts + 1, context.random());
      return unknown(reply.detail, context.now, delay);
    }
    case "unauthorized":
    case "unavailable":
      return unknown(reply.detail, context.now, null);
  }
}

/**
 * Whether a request never gets through while others do, as at a firewall that dislikes its content. Waiting would not help;
 * should it have had its effect after all, the next one meets that as a conflict or a duplicate.
 */
function isWalled({ attempts, request }: Answered, { lastSuccessAt }: VerdictContext): boolean {
  const works = lastSuccessAt !== null && lastSuccessAt > Date.parse(request.frozenAt);
  return works && attempts + 1 >= mostWalled;
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
  const { detail, errors } = problem;
  switch (problem.problem) {
    case "conflict":
    case "precondition-required":
      return conflict(entry, context);
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
      return { kind: "rejected", detail, errors };
  }
}

async function conflict(entry: Answered, context: VerdictContext): Promise<Verdict> {
  const reply = await context.api.read(entry.request.path.slice(1));
  if (reply.kind === "value" && reply.value.meta === undefined) return withoutVersion;
  if (reply.kind === "value") return { kind: "conflict", theirs: reply.value };
  if (reply.kind === "problem") return gone(reply, context);
  return unknown(reply.detail, context.now, backoff(entry.attempts + 1, context.random()));
}

function gone(problem: WireProblem, context: VerdictContext): Verdict {
  if (problem.missingScope) return unknown(problem.detail, context.now, longestDelay);
  return { kind: problem.problem === "authorization" ? "forbidden" : "gone", detail: problem.detail };
}

/** A lost answer to our own POST, or somebody else's record: the identifier that this device made tells them apart. */
async function duplicate(entry: Answered, problem: WireProblem, context: VerdictContext): Promise<Verdict> {
  const own = ownReference(entry);
  const existing = problem.existing ? referenceIn(problem.existing) : null;
  const address = existing ?? own;
  const reply = address === null ? null : await context.api.read(address);
  if (reply && reply.kind !== "value" && reply.kind !== "problem") {
    return unknown(reply.detail, context.now, backoff(entry.attempts + 1, context.random()));
  }
  const theirs = reply?.kind === "value" ? reply.value : null;
  return {
    kind: "duplicate",
    detail: problem.detail,
    existing: problem.existing,
    theirs,
    own: entry.base === null && theirs !== null && carriesOwn(entry, theirs),
  };
}

function referenceIn(address: string): string | null {
  const match = /(Individual|Group|Program|ProgramMembership)\/[^/].*$/.exec(address);
  return match ? match[0] : null;
}

function ownReference(entry: Answered): string | null {
  return entry.base === null ? entry.reference : null;
}

/** Systems in which devices make identifiers; nobody else can have made the same UUID. */
const deviceSystem = /^urn:[^:]+:(registrant|group|program-membership)$/;

function carriesOwn(entry: Answered, theirs: JsonObject): boolean {
  const held = new Set(identifiersOf(theirs).map(({ system, value }) => `${system}|${value}`));
  return identifiersOf(entry.request.sent).some(
    ({ system, value }) => deviceSystem.test(system) && held.has(`${system}|${value}`),
  );
}
