import type { ConsentStatus } from "./types.ts";

/** Where a consent may go from each state: contract section 2, "Consent". */
export const consentTransitions: Readonly<Record<ConsentStatus, readonly ConsentStatus[]>> = {
  requested: ["given", "refused"],
  given: ["withdrawn", "expired", "renewed", "invalidated"],
  renewed: ["withdrawn", "expired", "invalidated"],
  expired: ["renewed"],
  refused: [],
  withdrawn: [],
  invalidated: [],
};

/** A consent's state on a day: one that was given and whose last day is over has expired, whoever wrote that down. */
export function statusOn(
  { status, expiryDate }: { readonly status: ConsentStatus; readonly expiryDate?: string },
  today: string,
): ConsentStatus {
  const given = status === "given" || status === "renewed";
  return given && expiryDate !== undefined && expiryDate < today ? "expired" : status;
}
