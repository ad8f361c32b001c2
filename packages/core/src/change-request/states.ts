import type { Moves } from "../benefits/states.ts";
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
