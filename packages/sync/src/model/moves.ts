import { type Json, type MembershipStatus, membershipStatuses, transition } from "@fieldroll/core";

/**
 * Whether the server's state machine takes an enrollment from one status to another in one request.
 *
 * @param from `null` for an enrollment the server has not
 */
export function canMove(from: Json, to: Json): boolean {
  return isStatus(to) && (from === null || isStatus(from)) && transition(from, to).ok;
}

function isStatus(value: Json): value is MembershipStatus {
  return membershipStatuses.some((status) => status === value);
}
