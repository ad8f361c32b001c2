import type { Evidence } from "@fieldroll/core";
import { texts } from "../texts.ts";

/** Why someone may be a person, in words; what speaks against it too, and nothing of what is not known. */
export function likenessText(evidence: readonly Evidence[]): readonly string[] {
  const words: Readonly<Record<string, unknown>> = texts.likeness;
  const told = evidence.map((each) => words["match" in each ? `${each.kind}/${each.match}` : each.kind]);
  return told.filter((text) => typeof text === "string");
}
