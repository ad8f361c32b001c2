import type { SyncStatus } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { instantText } from "./person-text.ts";

/** What every screen says of a pause: since when it is, and whether somebody else began it, as far as that was noted. */
export function pauseText(
  note: { readonly by: string; readonly at: string } | null,
  signedInAs: string | null,
): string {
  if (note === null) return texts.banner.paused("", "");
  const { since, byAnother } = texts.banner;
  return texts.banner.paused(since(instantText(note.at)), note.by === signedInAs ? "" : byAnother);
}

/**
 * What a sign-in tells of the person's own changes that are back, as long as any is not sent.
 *
 * @param count how many records have some
 */
export function restoredText(
  count: number,
  { phase, pending, sending, parked }: Pick<SyncStatus, "phase" | "pending" | "sending" | "parked">,
): string | undefined {
  const { restored, restoredThen } = texts.sync;
  if (pending + sending + parked === 0) return undefined;
  if (pending + sending === 0) return restored(count, restoredThen.decided);
  if (phase === "paused") return restored(count, restoredThen.paused);
  // In the moment of signing in it is not known yet whether there is a pause.
  const isKnown = phase !== "signed-out" && phase !== "stopped";
  return restored(count, isKnown ? restoredThen.sent : restoredThen.held);
}
