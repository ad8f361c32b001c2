import { failure, invalid, type Outcome, type Problem, success } from "../problem.ts";
import type { Meta } from "../resource/common.ts";
import { isCalendarDate } from "../resource/dates.ts";
import type { StoredConsent } from "./document.ts";
import { periodsAfter } from "./periods.ts";
import { expiredBeforeIt } from "./terms.ts";
import { consentTransitions, statusOn } from "./transitions.ts";
import type { ConsentStatus } from "./types.ts";

/** A move that somebody asks for. */
export interface ConsentMove {
  readonly to: ConsentStatus;
  readonly reason?: string;
  /** Of a renewal: its new last day. */
  readonly expiryDate?: string;
  /** Who asks, as a URN. */
  readonly by: string;
  /** YYYY-MM-DD. */
  readonly today: string;
  /** The instant of the move. */
  readonly at: string;
  readonly meta: Meta;
}

/**
 * Decides a move of the state machine (contract section 2, "Consent"). Of the terms only the last day changes, and only by a
 * renewal. Fails with `invalid-state`, or with `validation` for a last day that doesn't do.
 */
export function decideMove(stored: StoredConsent, move: ConsentMove): Outcome<StoredConsent> {
  const { consent } = stored;
  const { to, reason, by, today, at, meta } = move;
  const from = statusOn(consent, today);
  if (!consentTransitions[from].includes(to)) return failure(forbidden(from, to));
  const ended = to === "withdrawn" || to === "invalidated";
  const expiryDate = to === "renewed" ? (move.expiryDate ?? consent.expiryDate) : consent.expiryDate;
  if (to === "renewed" && expiryDate !== undefined && !(isCalendarDate(expiryDate) && expiryDate >= today)) {
    const message = `must be a date from today, ${today}, on`;
    return failure(invalid([{ field: "/expiryDate", code: "invalid_period", message }]));
  }
  const unordered = expiredBeforeIt({ effectiveDate: consent.effectiveDate, expiryDate });
  if (unordered) return failure(invalid([unordered]));
  const moved = {
    ...consent,
    status: to,
    ...(expiryDate !== undefined && { expiryDate }),
    ...(ended && { revocation: { date: today, by, ...(reason !== undefined && { reason }) } }),
    meta,
  };
  return success({
    ...stored,
    version: stored.version + 1,
    consent: moved,
    periods: periodsAfter(stored.periods, moved, at),
  });
}

/** The same consent without its evidence. */
export function withoutEvidence(stored: StoredConsent): StoredConsent {
  const { evidence: _, ...consent } = stored.consent;
  return { ...stored, consent };
}

function forbidden(from: ConsentStatus, to: ConsentStatus): Problem {
  const allowed = consentTransitions[from].join(", ");
  const refused = from === to ? `is ${from} already` : `is ${from} and can't become ${to}`;
  const next = allowed ? `; it may become ${allowed}.` : ". That is final: grant another consent instead.";
  return { kind: "invalid-state", detail: `The consent ${refused}${next}` };
}
