import { failure, type Outcome, success } from "../problem.ts";
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
  for (const name of names) {
    const given = request[name];
    if (given === undefined) continue;
    const key = keyOf(given);
    if (key === undefined) return refusal(name, "must be a UUID, the ext_id of a record");
    conditions.push({ index: indexes[name], anyOf: [key] });
  }
  const states = request.state?.split(",");
  const known: readonly string[] = entitlementStates;
  if (states && !states.every((state) => known.includes(state))) {
    return refusal("state", `must be one of ${known.join(", ")}, or several separated by commas`);
  }
  return success(states ? [...conditions, { index: "state", anyOf: states }] : conditions);
}

function refusal(field: string, message: string): Outcome<never> {
  const errors = [{ field, code: "invalid_parameter", message }];
  return failure({ kind: "bad-request", detail: `${field}: ${message}.`, errors });
}
