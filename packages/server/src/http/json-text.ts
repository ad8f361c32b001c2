/** Deepest nesting of a body: contract section 8. */
export const maxDepth = 32;

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]/g;
const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Finds what a correct JSON text may not hold here: nesting deeper than {@link maxDepth}, a key twice in one object,
 * keys that reach an object's prototype, U+0000 and lone surrogates.
 *
 * @param text a text that `JSON.parse` accepts
 * @returns what is wrong, to follow "The body", or `undefined`
 */
export function faultOfJson(text: string): string | undefined {
  const nesting: Nesting = { open: [], atKey: false };
  for (const [found] of text.matchAll(token)) {
    const fault = found.startsWith('"') ? visitString(nesting, found) : visitMark(nesting, found);
    if (fault) return fault;
  }
  return undefined;
}

/** Where a scan stands: the keys seen in each open object, `null` for an array, innermost last. */
interface Nesting {
  readonly open: (Set<string> | null)[];
  /** Whether a string here is a key. */
  atKey: boolean;
}

function visitMark(nesting: Nesting, mark: string): string | undefined {
  if (mark === "{" || mark === "[") nesting.open.push(mark === "{" ? new Set() : null);
  if (mark === "}" || mark === "]") nesting.open.pop();
  nesting.atKey = mark === "{" || (mark === "," && nesting.open.at(-1) instanceof Set);
  return nesting.open.length > maxDepth ? `is nested deeper than ${maxDepth} levels` : undefined;
}

function visitString(nesting: Nesting, quoted: string): string | undefined {
  const keys = nesting.atKey ? nesting.open.at(-1) : null;
  nesting.atKey = false;
  return faultOfString(quoted, keys);
}

function faultOfString(quoted: string, keys: Set<string> | null | undefined): string | undefined {
  if (!keys && !quoted.includes("\\u")) return undefined;
  const value = JSON.parse(quoted) as string;
  if (value.includes("\0")) return "holds the character U+0000";
  if (/\p{Surrogate}/u.test(value)) return "holds half of a surrogate pair";
  if (!keys) return undefined;
  if (forbiddenKeys.has(value)) return `has a member "${value}", which is not allowed`;
  if (keys.has(value)) return `has the member "${value}" twice in one object`;
  keys.add(value);
  return undefined;
}
