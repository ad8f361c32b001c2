import { failure, type Outcome, success } from "../problem.ts";
import type { CycleState, EntitlementState } from "./types.ts";

/** Where a thing may go from each of its states: contract section 6. */
export type Moves<State extends string> = Readonly<Record<State, readonly State[]>>;

export const cycleMoves: Moves<CycleState> = {
  draft: ["to_approve", "cancelled"],
  to_approve: ["approved", "cancelled"],
  approved: ["distributed"],
  distributed: ["ended"],
  ended: [],
  cancelled: [],
};

export const entitlementMoves: Moves<EntitlementState> = {
  draft: ["pending_validation", "cancelled"],
  pending_validation: ["approved", "rejected", "cancelled", "expired", "draft"],
  approved: ["transferred", "redeemed", "cancelled", "expired"],
  rejected: [],
  transferred: ["redeemed", "expired"],
  redeemed: [],
  cancelled: [],
  expired: [],
};

/** The states in which an entitlement takes its amount from the program's fund. */
const committing: ReadonlySet<EntitlementState> = new Set(["approved", "transferred", "redeemed"] as const);

/** Whether an entitlement in this state takes its amount from the program's fund. */
export function takesFromFund(state: EntitlementState): boolean {
  return committing.has(state);
}

/**
 * Whether a thing may move; fails with `invalid-state`, naming both states and the allowed ones.
 *
 * @param what names the thing in the sentence, such as `entitlement`
 */
export function checkMove<State extends string>(
  moves: Moves<State>,
  { what, from, to }: { readonly what: string; readonly from: State; readonly to: State },
): Outcome<void> {
  const allowed = moves[from];
  if (allowed.includes(to)) return success(undefined);
  const rest = allowed.length > 0 ? `from there it may become ${allowed.join(", ")}` : "nothing follows it";
  const refused = from === to ? `is ${from} already` : `is ${from} and can't become ${to}`;
  return failure({ kind: "invalid-state", detail: `The ${what} ${refused}; ${rest}.` });
}
