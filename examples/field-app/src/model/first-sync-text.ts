import type { SyncStatus } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { type Rights, rightsOf } from "./rights.ts";

type FirstSync = Pick<SyncStatus, "phase" | "signedInAs" | "firstSync" | "scopes">;

/**
 * Whether records are missing here that the first download has yet to bring: who is not found may be registered already. A sign-in
 * that may see none waits for none.
 */
export function isUnfinished({ signedInAs, firstSync, scopes }: FirstSync): boolean {
  return signedInAs !== null && !firstSync.complete && seesAny(rightsOf(scopes));
}

function seesAny({ seesRecords, seesPrograms }: Rights): boolean {
  return seesRecords || seesPrograms;
}

/**
 * What is said where no program is offered.
 *
 * @param found whether there is none on this device at all, and whether the first download is not finished
 * @param otherwise where there are some, of which none is left to offer
 */
export function noProgramsText(
  found: { readonly none: boolean; readonly unfinished: boolean },
  otherwise: string,
): string {
  const { notYet, none } = texts.enroll.nothing;
  if (found.none) return found.unfinished ? notYet : none;
  return otherwise;
}

/** How fast it goes, as long as that is known. */
function rateText(perSecond: number | null): string {
  return perSecond === null ? "" : texts.banner.rate(Math.max(1, Math.round(perSecond * 60)));
}

/** What every screen says of a first download that is not finished, under way or not; else nothing. */
export function firstSyncText(status: FirstSync): string | undefined {
  if (!isUnfinished(status)) return undefined;
  const { phase, firstSync } = status;
  if (phase === "pulling" || phase === "pushing")
    return texts.banner.firstSync(firstSync.records, rateText(firstSync.rate));
  const { goesOn } = texts.banner;
  return texts.banner.firstSyncRests(firstSync.records, goesOn[phase] ?? goesOn.otherwise);
}
