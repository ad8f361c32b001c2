import { endOfToken } from "./json-tokens.ts";

/** The first place where a text stops being JSON. */
export interface JsonFault {
  /** From 1. */
  readonly line: number;
  /** In UTF-16 code units, from 1. */
  readonly column: number;
  readonly expected: string;
  readonly found: string;
}

/** The fault as a message says it. It quotes at most one character, because the text may hold a secret. */
export function sentenceOf({ line, column, expected, found }: JsonFault): string {
  return `line ${line}, column ${column}: expected ${expected}, but found ${found}`;
}

const value = "a value: a text in double quotes, a number, true, false, null, [ or {";

/** The states of the reader: the tokens that it accepts next. */
const expectations = {
  value,
  firstValue: `${value}, or ]`,
  name: "a name in double quotes",
  firstName: "a name in double quotes, or }",
  colon: "a colon",
  afterEntry: "a comma or ]",
  afterMember: "a comma or }",
  end: "nothing more",
} as const;

type State = keyof typeof expectations;

const wholeText = 'a text that ends on its line, with \\ before each " and \\ in it';

/**
 * Finds the first place where a text is not JSON (RFC 8259). The message of `JSON.parse` is not used: it differs between versions of
 * Node, quotes the text, and often has no position.
 *
 * @returns `undefined` where the text is JSON
 */
export function jsonFault(text: string): JsonFault | undefined {
  const open: Kind[] = [];
  let state: State = "value";
  for (let at = nextToken(text, 0); ; ) {
    if (at === text.length) {
      return state === "end" ? undefined : faultAt(text, at, expectations[state]);
    }
    const end = endOfToken(text, at);
    const kind = kindOf(text.slice(at, end));
    const broken = text[at] === '"' ? brokenText(text, at, end) : undefined;
    const next = stateAfter(state, kind, open);
    if (!next) return faultAt(text, at, expectations[state]);
    if (broken !== undefined) return faultAt(text, broken, wholeText);
    state = next;
    at = nextToken(text, end);
  }
}

type Kind = "{" | "}" | "[" | "]" | "," | ":" | "text" | "scalar" | "unknown";

const scalar = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;

function kindOf(token: string): Kind {
  if (/^[{}[\],:]$/.test(token)) return token as Kind;
  if (token.startsWith('"')) return "text";
  return scalar.test(token) ? "scalar" : "unknown";
}

const values = { "{": "firstName", "[": "firstValue", text: "whole", scalar: "whole" } as const;

/** The state after each token that may stand. `whole`: a value ended; `closed`: with it the list or object that it ends. */
const transitions: Readonly<Record<State, Partial<Record<Kind, State | "whole" | "closed">>>> = {
  value: values,
  firstValue: { ...values, "]": "closed" },
  name: { text: "colon" },
  firstName: { text: "colon", "}": "closed" },
  colon: { ":": "value" },
  afterEntry: { ",": "value", "]": "closed" },
  afterMember: { ",": "name", "}": "closed" },
  end: {},
};

/** The state after a token, or `undefined` where the token may not stand. Keeps `open`, the lists and objects around it. */
function stateAfter(state: State, kind: Kind, open: Kind[]): State | undefined {
  const next = transitions[state][kind];
  if (next === "firstName" || next === "firstValue") open.push(kind);
  if (next === "closed") open.pop();
  return next === "whole" || next === "closed" ? stateAfterValue(open) : next;
}

function stateAfterValue(open: readonly Kind[]): State {
  const inner = open.at(-1);
  if (inner === undefined) return "end";
  return inner === "[" ? "afterEntry" : "afterMember";
}

/** The index of the first character that a string may not have, or of its start where it has no end. */
function brokenText(text: string, start: number, end: number): number | undefined {
  const inner = text.slice(start + 1, end - 1);
  // Whole escapes are matched too, so that `\\` is not read as the beginning of the next one.
  for (const { 0: match, index } of inner.matchAll(/\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\\|[^ -\uffff]/g)) {
    if (match.length === 1) return start + 1 + index;
  }
  return end - start > 1 && text[end - 1] === '"' ? undefined : start;
}

/** The index of the next character that is not white space. */
function nextToken(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\n\r".includes(text.charAt(at))) at += 1;
  return at;
}

function faultAt(text: string, at: number, expected: string): JsonFault {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < at; end = text.indexOf("\n", start)) {
    line += 1;
    start = end + 1;
  }
  const code = text.codePointAt(at);
  return { line, column: at - start + 1, expected, found: printed(code) };
}

function printed(code: number | undefined): string {
  if (code === undefined) return "the end";
  const character = String.fromCodePoint(code);
  // Control characters, invisible ones and halves of pairs can't be seen in a message.
  if (/[\p{C}\p{Z}]/u.test(character)) return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return character;
}
