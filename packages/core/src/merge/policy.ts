import { type Json, pointer } from "../json.ts";
import { type Place, patternOf } from "./place.ts";
import type { Choice, ConflictPolicies, Policy, Verdict, Versions } from "./shape.ts";

/** The side that was changed later, where that is known. */
export type Newest = "ours" | "theirs" | undefined;

/** The value that a choice stands for. */
export function chosen(choice: Choice, versions: Versions): { readonly value: Json | undefined } {
  if (choice === "ours" || choice === "theirs") return { value: versions[choice] };
  return { value: choice.value };
}

/** Which of two UTC instants is later; `undefined` when they are equal or one is missing or no instant. */
export function newestOf(ours: unknown, theirs: unknown): Newest {
  if (typeof ours !== "string" || typeof theirs !== "string") return undefined;
  const difference = Date.parse(ours) - Date.parse(theirs);
  if (Number.isNaN(difference) || difference === 0) return undefined;
  return difference > 0 ? "ours" : "theirs";
}

/** What the policies say about a conflict at a place: the longest place that holds it speaks. */
export function verdictAt(
  policies: ConflictPolicies,
  newest: Newest,
  place: Place | null,
  versions: Versions,
): Verdict {
  const pattern = patternOf(place);
  for (let length = pattern.length; length >= 0; length--) {
    const at = pointer(pattern.slice(0, length));
    const policy = Object.hasOwn(policies, at) ? policies[at] : undefined;
    if (policy !== undefined) return verdictOf(policy, newest, versions, pointer(pattern));
  }
  return "ask";
}

function verdictOf(policy: Policy, newest: Newest, versions: Versions, pattern: string): Verdict {
  if (typeof policy === "function") return policy(versions, pattern);
  return policy === "newest" ? (newest ?? "ask") : policy;
}
