import type { EnginePhase, SyncStatus } from "@fieldroll/sync";
import { texts } from "../texts.ts";

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

/** What the engine does, in words. Where it has nothing to do and something is not sent, that waits for its next attempt. */
export function phaseText({ phase, pending, sending }: SyncStatus): string {
  const waits = phase === "idle" && pending + sending > 0;
  return texts.sync.phases[waits ? "waiting" : phase];
}

/** What tells two moments of the status apart for a person. */
export function momentOf({ phase, pending, sending, parked, lastError }: SyncStatus): string {
  return JSON.stringify([phase, pending, sending, parked, lastError]);
}

/** What came of asking the server now, in a sentence. */
export function syncOutcome(status: SyncStatus): string {
  const { outcomes } = texts.sync;
  if (status.signedInAs === null || status.needsSignIn) return outcomes.signedOut;
  if (status.phase === "offline") return outcomes.offline;
  if (status.lastError !== null) return outcomes.failed(status.lastError);
  if (status.pending + status.sending > 0) return outcomes.waits;
  return status.parked > 0 ? outcomes.parked : outcomes.done;
}
