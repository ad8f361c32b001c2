import type { FeedState } from "../device/feed-state.ts";
import { plainAnew } from "../model/plain-cursor.ts";
import type { WireProblem } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { SyncContext } from "./context.ts";
import { networkIn, type Stop, stopOf } from "./stop.ts";

/** How the reading of one feed ended. */
export type FeedResult = { readonly kind: "head" } | FeedFailure;

/** Why a page of it can't be had. */
export type FeedFailure =
  | { readonly kind: "start-over" }
  /** `fails`: the server could not tell; else it has no such feed for this caller, now at least. */
  | { readonly kind: "refused"; readonly detail: string; readonly fails: boolean }
  /** `alone`: what answered speaks of this feed; others may fare better. */
  | { readonly kind: "stopped"; readonly stop: Stop; readonly alone: boolean };

/** What it comes to that a page of a feed can't be had. */
export function ofFailure(
  reply: Exclude<Checked<unknown>, { kind: "value" }>,
  known: FeedState,
): FeedFailure {
  if (reply.kind === "problem") return ofProblem(reply, known);
  const { detail } = reply;
  const stop = stopOf(reply);
  return {
    kind: "stopped",
    stop: stop ?? { why: "unavailable", detail, retryAfter: null, ...networkIn(reply) },
    alone: stop === null,
  };
}

/** A cursor that the server does not know any more, or one made for another view of it. */
function ofProblem(problem: WireProblem, known: FeedState): FeedFailure {
  const cursor = problem.errors.some(({ field }) => field === "cursor") || problem.problem === "gone";
  const begun = known.cursor !== plainAnew(known.cursor);
  if (begun && (cursor || problem.problem === "bad-request")) return { kind: "start-over" };
  return { kind: "refused", detail: problem.detail, fails: failing.includes(problem.problem) };
}

const failing: readonly string[] = ["internal", "unavailable", "too-many-requests"];

/** Runs in a row that came to nothing after which it is worth a request to know whether that is one feed's doing. */
const manyFailures = 3;
/** A pause for which a server asks, in milliseconds, after which it is, too. */
const longPause = 600_000;

/**
 * Whether what seems to be in the way of all requests is in the way of one feed only: its pages take longer than any wait, or it alone
 * is to be left alone. Nothing tells that from no network but another request that is answered.
 */
export async function isOnlyThis(
  { api, past }: Pick<SyncContext, "api" | "past">,
  { why, retryAfter }: Stop,
): Promise<boolean> {
  const mayBe = why === "network" || why === "unavailable";
  const isLong = past().failures >= manyFailures || (retryAfter ?? 0) > longPause;
  return mayBe && isLong && (await api.answers());
}
