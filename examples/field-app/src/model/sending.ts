import type { EnginePhase } from "@fieldroll/sync";

const resting: readonly EnginePhase[] = [
  "stopped",
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
