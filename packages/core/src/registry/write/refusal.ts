import { invalid, type Problem } from "../../problem.ts";
import { recordClaims, type StoredRecord } from "../record/document.ts";
import { referenceTo } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { isRestricted } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Stamped } from "./commit-parts.ts";
import type { Draft } from "./draft.ts";
import { takenByAny } from "./taken.ts";

/** The first entry with faults, all of its faults at once. */
export function faultyDraft(drafts: readonly Draft[]): Problem | undefined {
  const entry = drafts.findIndex(({ faults }) => faults.length > 0);
  const faults = drafts[entry]?.faults;
  return faults && { ...invalid(faults), ...(drafts.length > 1 && { entry }) };
}

/** Two records of one transaction can't have the same identifier either. */
export function sharedClaim(
  settings: Settings,
  caller: Caller,
  stamped: readonly Stamped[],
): Problem | undefined {
  const holders = new Map<string, StoredRecord>();
  for (const [entry, { stored }] of stamped.entries()) {
    for (const claim of recordClaims(stored)) {
      const holder = holders.get(claim);
      if (holder && isRestricted(settings, caller)) return takenByAny;
      if (holder) {
        const existing = referenceTo(holder.type, holder.record);
        return {
          kind: "duplicate",
          detail: `Another entry of the transaction is the same: ${existing}.`,
          existing,
          entry,
        };
      }
      holders.set(claim, stored);
    }
  }
  return undefined;
}
