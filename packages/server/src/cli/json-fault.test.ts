import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFault } from "./json-fault.ts";

describe("jsonFault", () => {
  it.each<[string, string, readonly [line: number, column: number], RegExp]>([
    ["an empty text", "", [1, 1], /^a value/],
    ["a word that is none", '{"a": tru}', [1, 7], /^a value/],
    ["a missing value", '[{"id":}]', [1, 8], /^a value/],
    ["a missing colon", '{"a" 1}', [1, 6], /^a colon/],
    ["a missing comma", '{\n"a":1\n"b":2}', [3, 1], /^a comma, or the end/],
    ["a comma too many", "[\n1,\n]", [3, 1], /^a value/],
    ["a comma too many in an object", '{"a":1,}', [1, 8], /^a name in double quotes/],
    ["single quotes", "{'a':1}", [1, 2], /a name in double quotes$/],
    ["a text without end", '["a]', [1, 2], /^a text that ends on its line/],
    ["a missing end", '[{"a":1}', [1, 9], /^a comma or ]/],
    ["more than one value", "[] []", [1, 4], /^nothing more/],
    ["a number that is none", "[1.]", [1, 2], /^a number/],
    ["a comment", "// clients\n[]", [1, 1], /^no comment/],
    ["a mark of byte order", "\ufeff[]", [1, 1], /^a value/],
  ])("tells the place of %s", (_, text, [line, column], expected) => {
    expect(jsonFault(text)).toEqual({ line, column, expected: expect.stringMatching(expected) });
  });

  it("finds a fault where JSON.parse finds one, and in no other text", () => {
    const pieces = fc.constantFrom(..."[]{}:,", '"a"', '"', "1", "-", "true", " ", "\n", "e", "0", ".", "\\");
    const broken = fc.array(pieces, { maxLength: 12 }).map((list) => list.join(""));
    fc.assert(
      fc.property(fc.oneof(fc.json(), broken), (text) => {
        expect(jsonFault(text) === undefined).toBe(isJson(text));
      }),
      { numRuns: 3000, seed: 20261123 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
