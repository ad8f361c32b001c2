import type { EnginePhase, SyncStatus } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { plainWords } from "./plain-words.ts";

const resting: readonly EnginePhase[] = [
  "stopped",
  "idle",
  "signed-out",
  "paused",
  "offline",
  "waiting",
  "safe-mode",
];

/** Whether a change that was sent is not on its way now: its outcome is unknown until the server is asked again. */
export function isUnanswered(phase: EnginePhase): boolean {
  return resting.includes(phase);
}

/** Whether a sign-in would fail now, as far as this device knows: no network, or a server that did not answer the last time. */
export function isUnreached({ phase }: Pick<SyncStatus, "phase">, online: boolean): boolean {
  return !online || phase === "offline" || phase === "waiting";
}

/**
 * Whether all that is left waits for a decision: nothing went wrong, and to try again would do nothing. Photos wait for a network, and
 * what is put off for a reason of its own has told it as the last problem.
 */
export function isHeldByDecision({
  phase,
  pending,
  sending,
  parked,
  photos,
  lastError,
}: SyncStatus): boolean {
  return phase === "idle" && parked > 0 && lastError === null && pending + sending > photos;
}

/**
 * What the engine does, in words. Where it has nothing to do and something is not sent, that waits for its next attempt; where the
 * server wants another sign-in, the person is still there.
 */
export function phaseText(status: SyncStatus): string {
  const { phase, pending, sending, parked, signedInAs, lastError } = status;
  const needsDecision = phase === "idle" && parked > 0 && pending + sending === 0 && lastError === null;
  if (isHeldByDecision(status) || needsDecision) return texts.sync.held;
  if (phase === "signed-out" && signedInAs !== null) return texts.sync.signInAgain;
  const waits = phase === "idle" && pending + sending > 0;
  return texts.sync.phases[waits ? "waiting" : phase];
}

/** The last problem in words for people: what the server says of a token is for programs, and in the report for support. */
export function problemText({
  needsSignIn,
  lastError,
}: Pick<SyncStatus, "needsSignIn" | "lastError">): string | null {
  return needsSignIn ? texts.sync.signInRefused : lastError && plainWords(lastError);
}

/** What tells two moments of the status apart for a person. */
export function momentOf({ phase, pending, sending, parked, lastError }: SyncStatus): string {
  return JSON.stringify([phase, pending, sending, parked, lastError]);
}

/** What came of asking the server now, in a sentence. */
export function syncOutcome(status: SyncStatus): string {
  const { outcomes } = texts.sync;
  if (status.signedInAs === null) return outcomes.signedOut;
  if (status.needsSignIn) return texts.sync.signInRefused;
  if (status.phase === "offline") return outcomes.offline;
  if (status.lastError !== null) return outcomes.failed(plainWords(status.lastError));
  if (isHeldByDecision(status)) return outcomes.held;
  if (status.pending + status.sending > 0) return outcomes.waits;
  return status.parked > 0 ? outcomes.parked : outcomes.done;
}
