import type { Problem } from "../../problem.ts";
import { printRaw, quotedReference, type StoredReference } from "../../resource/reference.ts";
import type { Failure } from "../../store/port.ts";
import { storedRecord } from "../record/document.ts";
import { referenceTo } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { isRestricted } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { WritePlan } from "./plan-write.ts";

/** What to do where an identifier is taken. */
const advice = "by a record that is there: change that one, or give this one another identifier";

/**
 * What a restricted caller is told, whichever of its identifiers or enrollments is taken, and by whatever record: the rest would tell
 * what is hidden.
 */
export const takenByAny: Problem = {
  kind: "duplicate",
  detail:
    "An identifier that you give, or a place in a program, is taken by a record that is there. Nothing was written. Check what you send, or ask the register's operator.",
};

/** When only claims stood in the way, trying again would not help: someone else has the identifier or the place. */
export async function takenClaim(
  settings: Settings,
  caller: Caller,
  { failures, plan }: { readonly failures: readonly Failure[]; readonly plan: WritePlan },
): Promise<Problem | undefined> {
  const taken = failures.flatMap((found) => (found.kind === "claim-taken" ? [found] : []));
  const [first] = taken;
  if (!first || taken.length < failures.length) return undefined;
  if (isRestricted(settings, caller)) {
    await settings.governance?.duplicates.note(settings, caller, taken);
    return takenByAny;
  }
  const [holder] = await settings.store.get([first.holder]);
  if (!holder) return undefined;
  const stored = storedRecord(holder);
  const existing = referenceTo(stored.type, stored.record);
  const pair = first.claim.startsWith("enrollment:");
  const name = printRaw(first.claim as StoredReference);
  const what = pair
    ? "This beneficiary already has an enrollment in the program"
    : `${quotedReference(first.claim as StoredReference)} is taken`;
  const entry = plan.answers.length > 1 ? plan.claimants.get(first.claim) : undefined;
  return {
    kind: "duplicate",
    detail: existing === name ? `${what} ${advice}.` : `${what}: see ${existing}.`,
    existing,
    ...(entry !== undefined && { entry }),
  };
}
