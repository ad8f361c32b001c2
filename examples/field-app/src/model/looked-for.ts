import type { SearchParameters } from "@fieldroll/core";
import { asciiDigits } from "./digits.ts";

/** The parameters of searches for what a person typed, the closest first. */
export interface LookedFor {
  /** The whole text as an identifier, in the cases and digits in which one may be stored; commas separate alternatives. */
  readonly byIdentifier: SearchParameters;
  /** The whole text as the whole name. */
  readonly byWholeName: SearchParameters;
  /** Each word as a whole word with which a name begins. */
  readonly byWords: SearchParameters;
  /** Each word as the beginning of a name. */
  readonly byBeginnings: SearchParameters;
  /** Each word anywhere in the name, in any order. */
  readonly byParts: SearchParameters;
}

/** What to look for; `null` where nothing was typed but blanks and commas. */
export function lookedFor(typed: string): LookedFor | null {
  const words = typed.split(/[\s,]+/).filter(Boolean);
  if (words.length === 0) return null;
  return {
    byIdentifier: { identifier: identifiersIn(typed) },
    byWholeName: { "name:exact": words.join(" ") },
    byWords: { "name:start": words.map((word) => `${word} `) },
    byBeginnings: { "name:start": words },
    byParts: { name: words },
  };
}

function identifiersIn(typed: string): string {
  const whole = typed.trim().replaceAll(",", "\\,");
  const at = whole.lastIndexOf("|") + 1;
  const [system, value] = [whole.slice(0, at), whole.slice(at)];
  const written = [value, asciiDigits(value)];
  const cases = new Set(written.flatMap((each) => [each, each.toUpperCase(), each.toLowerCase()]));
  return [...cases].map((each) => system + each).join(",");
}
