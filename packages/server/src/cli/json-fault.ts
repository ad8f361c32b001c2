/** Where a text stops being JSON, counted from 1, and what would have to stand there. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

const text = '"(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*"';
const number = "-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?(?![\\w.])";
const token = new RegExp(`${text}|${number}|(?:true|false|null)(?!\\w)|[{}[\\]:,]`, "y");
const blank = /[ \t\r\n]*/y;

/** What may stand at a place, and how a person calls it. */
const expectations = {
  value: "a value: a text in double quotes, a number, true, false, null, [ or {",
  first: "a value or ]",
  item: "a value, for the comma before it says that one follows",
  name: "a name in double quotes or }",
  nextName: "a name in double quotes, for the comma before it says that one follows",
  colon: "a colon",
  inObject: "a comma or }",
  inArray: "a comma or ]",
  end: "nothing more",
} as const;
type Expected = keyof typeof expectations;
type Bracket = "{" | "[";

/**
 * Finds the first place where a text is no JSON (RFC 8259). The engine's own message can't be told: it quotes the text, and so
 * perhaps a secret, and says no place for a short one.
 *
 * @returns nothing where the text is JSON
 */
export function jsonFault(json: string): JsonFault | undefined {
  const open: Bracket[] = [];
  let expected: Expected = "value";
  for (let at = skip(json, 0); ; at = skip(json, token.lastIndex)) {
    token.lastIndex = at;
    const [found] = token.exec(json) ?? [];
    if (found === undefined && at >= json.length && expected === "end") return undefined;
    const next: Expected | undefined = found === undefined ? undefined : following(found, expected, open);
    if (next === undefined) return faultAt(json, at, expected);
    expected = next;
  }
}

function skip(json: string, from: number): number {
  blank.lastIndex = from;
  blank.exec(json);
  return blank.lastIndex;
}

/** What is expected after a token; nothing where the token may not stand here. */
function following(found: string, expected: Expected, open: Bracket[]): Expected | undefined {
  if (isEnd(found, expected)) {
    open.pop();
    return afterValue(open);
  }
  switch (expected) {
    case "name":
    case "nextName":
      return found.startsWith('"') ? "colon" : undefined;
    case "colon":
      return found === ":" ? "value" : undefined;
    case "inObject":
      return found === "," ? "nextName" : undefined;
    case "inArray":
      return found === "," ? "item" : undefined;
    case "end":
      return undefined;
    default:
      return afterBeginning(found, open);
  }
}

function isEnd(found: string, expected: Expected): boolean {
  if (found === "}") return expected === "name" || expected === "inObject";
  return found === "]" && (expected === "first" || expected === "inArray");
}

function afterBeginning(found: string, open: Bracket[]): Expected | undefined {
  if (/^[}\]:,]$/.test(found)) return undefined;
  if (found !== "{" && found !== "[") return afterValue(open);
  open.push(found);
  return found === "{" ? "name" : "first";
}

function afterValue(open: readonly Bracket[]): Expected {
  const within = open.at(-1);
  if (within === undefined) return "end";
  return within === "{" ? "inObject" : "inArray";
}

function faultAt(json: string, at: number, expected: Expected): JsonFault {
  const before = json.slice(0, at).split("\n");
  const isOpenText = json[at] === '"' && /^(value|first|item|name|nextName)$/.test(expected);
  return {
    line: before.length,
    column: (before.at(-1) ?? "").length + 1,
    expected: isOpenText
      ? "a text that ends on its line, with \\ before a quote or a \\ in it"
      : expectations[expected],
  };
}
