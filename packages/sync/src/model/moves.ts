import { type Json, type MembershipStatus, membershipStatuses, transition } from "@fieldroll/core";

/**
 * Whether the server's state machine takes an enrollment from one status to another in one request.
 *
 * @param from `null` for an enrollment the server has not
 */
export function canMove(from: Json, to: Json): boolean {
  return isStatus(to) && (from === null || isStatus(from)) && transition(from, to).ok;
}

/**
 * The status from which the last request leads to another one, where several steps are allowed that one request would not be.
 *
 * @param steps the statuses that were gone through here; as many are left out as can be
 * @returns `from` where one request does, or none
 */
export function lastStepFrom(from: Json, steps: readonly Json[], to: Json): Json {
  for (let [at, left] = [from, steps]; ; ) {
    if (canMove(at, to)) return at;
    const present = at;
    const next = left.map((step) => step !== present && canMove(present, step)).lastIndexOf(true);
    if (next < 0) return from;
    at = left[next] ?? null;
    left = left.slice(next + 1);
  }
}

function isStatus(value: Json): value is MembershipStatus {
  return membershipStatuses.some((status) => status === value);
}
