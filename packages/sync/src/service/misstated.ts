import { isJsonObject, type Problem } from "@fieldroll/core";
import { wrongCall } from "./problems.ts";

/**
 * Refuses what is no decision, as plain JavaScript may give it: what is no choice would be taken for one that takes the place
 * away.
 */
export function misstatedDecision(decision: unknown): Problem | undefined {
  const { kind, revision, choices }: Readonly<Record<string, unknown>> = Object(decision);
  if (kind === "retry" || kind === "discard") return undefined;
  if (kind !== "choose" && kind !== "adopt") {
    return wrongCall("The decision's", ["kind"], 'must be "choose", "adopt", "retry" or "discard"');
  }
  if (typeof revision !== "string") {
    return wrongCall("The decision's", ["revision"], "must be the parked record's");
  }
  if (kind === "adopt" && choices === undefined) return undefined;
  if (!isJsonObject(choices)) {
    return wrongCall("The decision's", ["choices"], "must have a choice for each of the record's conflicts");
  }
  const wrong = Object.keys(choices).filter((path) => !isChoice(choices[path]));
  if (wrong.length === 0) return undefined;
  return wrongCall("The choice for", wrong, 'must be "ours", "theirs" or { value }');
}

function isChoice(given: unknown): boolean {
  return given === "ours" || given === "theirs" || (isJsonObject(given) && given.value !== undefined);
}
