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
 * What a sign-in tells of the person's own changes that are back, as long as any is not sent: how many records still wait by now, and
 * how many need a decision.
 */
export function restoredText({
  phase,
  pending,
  sending,
  parked,
}: Pick<SyncStatus, "phase" | "pending" | "sending" | "parked">): string | undefined {
  const { restored, restoredThen, restoredSome, restoredOthers } = texts.sync;
  const waits = pending + sending;
  if (waits + parked === 0) return undefined;
  if (waits === 0) return restored(parked, restoredThen.decided(parked));
  const fate = fateIn(phase);
  if (parked === 0) return restored(waits, restoredThen[fate](waits));
  return restored(waits + parked, restoredOthers(restoredSome[fate](waits), parked));
}

/** In the moment of signing in it is not known yet whether there is a pause. */
function fateIn(phase: SyncStatus["phase"]): "paused" | "held" | "sent" {
  if (phase === "paused") return "paused";
  return phase === "signed-out" || phase === "stopped" ? "held" : "sent";
}
