/** The states of an enrollment: contract section 2. `draft` is the initial one. */
export const membershipStatuses = [
  "draft",
  "enrolled",
  "paused",
  "exited",
  "not_eligible",
  "duplicated",
] as const;

export type MembershipStatus = (typeof membershipStatuses)[number];

/** Where an enrollment may go from each state. An exited one is reopened only through a change request. */
export const membershipTransitions: Readonly<Record<MembershipStatus, readonly MembershipStatus[]>> = {
  draft: ["enrolled", "not_eligible", "duplicated"],
  enrolled: ["paused", "exited", "not_eligible", "duplicated"],
  paused: ["enrolled", "exited", "not_eligible", "duplicated"],
  not_eligible: ["draft", "enrolled"],
  duplicated: ["draft"],
  exited: [],
};

/** The states in which an enrollment may be created. */
export const initialMembershipStatuses: readonly MembershipStatus[] = ["draft", "enrolled"];

/** The answer to a move: allowed, or where it might go instead. */
export type Transition =
  | { readonly ok: true }
  | { readonly ok: false; readonly allowed: readonly MembershipStatus[] };

/** Whether an enrollment may move between two states; `null` is one that does not exist yet. Staying is allowed. */
export function transition(from: MembershipStatus | null, to: MembershipStatus): Transition {
  if (from === to) return { ok: true };
  const allowed = from === null ? initialMembershipStatuses : membershipTransitions[from];
  return allowed.includes(to) ? { ok: true } : { ok: false, allowed };
}
