import { type ParseError, parse, printParseErrorCode } from "jsonc-parser";

/** Where a text stops being JSON, counted from 1, and what would have to stand there. */
export interface JsonFault {
  readonly line: number;
  readonly column: number;
  readonly expected: string;
}

const value = "a value: a text in double quotes, a number, true, false, null, [ or {";
const text = "a text that ends on its line, with \\ before a quote or a \\ in it";
const number = "a number such as 12 or -0.5";

/** How a person calls what the parser misses, by its names of faults. */
const expectations: Readonly<Record<string, string>> = {
  ValueExpected: value,
  InvalidSymbol: `${value}, or a name in double quotes`,
  PropertyNameExpected: "a name in double quotes",
  ColonExpected: "a colon",
  CommaExpected: "a comma, or the end of the list or the object",
  CloseBraceExpected: "a comma or }",
  CloseBracketExpected: "a comma or ]",
  EndOfFileExpected: "nothing more",
  InvalidNumberFormat: number,
  UnexpectedEndOfNumber: number,
  InvalidCommentToken: "no comment",
  UnexpectedEndOfComment: "no comment",
};

/**
 * Finds the first place where a text is no JSON (RFC 8259). The engine's own message can't be told: it quotes the text, and so
 * perhaps a secret, and says no place for a short one.
 *
 * @returns nothing where the text is JSON
 */
export function jsonFault(json: string): JsonFault | undefined {
  const errors: ParseError[] = [];
  parse(json, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const [first] = errors;
  if (!first) return undefined;
  const before = json.slice(0, first.offset).split("\n");
  const expected = expectations[printParseErrorCode(first.error)] ?? text;
  return { line: before.length, column: (before.at(-1) ?? "").length + 1, expected };
}
