import { type Outcome, type Problem, problemIn, success, together } from "../problem.ts";
import { badParameter, faultOfWords, limitOf } from "../registry/search/one-parameter.ts";
import type { Condition } from "../store/port.ts";
import { keyOf } from "./ext-id.ts";
import { type EntitlementListRequest, entitlementStates } from "./types.ts";

/** Parameters that hold an `ext_id`, with the index of entitlements that each looks at. */
const indexes = {
  program_ext_id: "program",
  cycle_ext_id: "cycle",
  registrant_ext_id: "registrant",
} as const;
const names = Object.keys(indexes) as readonly (keyof typeof indexes)[];

/** The conditions that a list of entitlements has to meet; a malformed parameter is a `bad-request`. */
export function conditionsOf(request: EntitlementListRequest): Outcome<readonly Condition[]> {
  const conditions: Condition[] = [];
  const faults: Problem[] = [];
  for (const name of names) {
    const given = request[name];
    if (given === undefined) continue;
    const key = keyOf(given);
    if (key === undefined) faults.push(badParameter(name, "must be a UUID, the ext_id of a record"));
    else conditions.push({ index: indexes[name], anyOf: [key] });
  }
  const states = request.state?.split(",");
  const refused = together([
    ...faults,
    faultOfWords("state", states, entitlementStates),
    problemIn(limitOf(request.limit)),
  ]);
  if (refused) return refused;
  return success(states ? [...conditions, { index: "state", anyOf: states }] : conditions);
}
