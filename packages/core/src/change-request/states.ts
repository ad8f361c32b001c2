import { checkMove, type Moves } from "../benefits/states.ts";
import { failure, type Outcome } from "../problem.ts";
import type { ChangeRequestState } from "./types.ts";

/** Where a change request may go from each state: contract section 6. */
export const changeRequestMoves: Moves<ChangeRequestState> = {
  draft: ["pending"],
  pending: ["approved", "rejected", "revision"],
  approved: ["applied"],
  applied: [],
  rejected: [],
  revision: ["draft"],
};

const nextSteps: Readonly<Record<ChangeRequestState, string>> = {
  draft: "Change its data, or submit it",
  pending: "Approve it, reject it, or ask for a revision",
  approved: "Apply it",
  applied: "Submit a new one for another change",
  rejected: "Submit a new one",
  revision: "Change its data, which makes it a draft again, and submit that",
};

/** Whether a request may move; fails with `invalid-state`, naming both states, the allowed ones and what may be done. */
export function checkRequestMove(from: ChangeRequestState, to: ChangeRequestState): Outcome<void> {
  const allowed = checkMove(changeRequestMoves, { what: "change request", from, to });
  if (allowed.ok) return allowed;
  return failure({ ...allowed.problem, detail: `${allowed.problem.detail} ${nextSteps[from]}.` });
}
