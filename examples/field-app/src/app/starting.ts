import type { SyncStatus } from "@fieldroll/sync";

/**
 * Whether the app has nothing to show yet but that it starts, or why it could not.
 * @param begun whether a worker was ready before, or the device holds nothing yet. The sign-in form starts another worker for another
 * area: it stays on the screen meanwhile, with what was typed. On a new device nobody waits for the worker to see the form.
 */
export function isStarting(
  status: Pick<SyncStatus, "phase" | "signedInAs" | "lastError">,
  begun: boolean,
): boolean {
  if (status.phase !== "stopped" || status.signedInAs !== null) return false;
  return !begun || status.lastError !== null;
}
