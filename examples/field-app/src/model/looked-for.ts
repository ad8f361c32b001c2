/** The parameters of a search for what a person typed. */
export interface LookedFor {
  /** Each word must be in the name, in any order. */
  readonly name: readonly string[];
  /** The whole text as an identifier, in the cases in which one may be stored; commas separate alternatives. */
  readonly identifier: string;
}

/** What to look for; `null` where nothing was typed but blanks and commas. */
export function lookedFor(typed: string): LookedFor | null {
  const name = typed.split(/[\s,]+/).filter(Boolean);
  if (name.length === 0) return null;
  const whole = typed.trim().replaceAll(",", "\\,");
  const at = whole.lastIndexOf("|") + 1;
  const [system, value] = [whole.slice(0, at), whole.slice(at)];
  const cases = new Set([value, value.toUpperCase(), value.toLowerCase()]);
  return { name, identifier: [...cases].map((each) => system + each).join(",") };
}
