import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jsonFault, sentenceOf } from "./json-fault.ts";

describe("jsonFault", () => {
  it.each([
    ["an empty text", "", "line 1, column 1: expected a value", "the end"],
    ["a word that is none", '{"a": tru}', "line 1, column 7: expected a value", "t"],
    ["a missing value", '[{"id":}]', "line 1, column 8: expected a value", "}"],
    ["a missing colon", '{"a" 1}', "line 1, column 6: expected a colon", "1"],
    ["a missing comma", '{\n"a":1\n"b":2}', "line 3, column 1: expected a comma or }", '"'],
    ["a comma too many", "[\n1,\n]", "line 3, column 1: expected a value", "]"],
    ["a comma too many in an object", '{"a":1,}', "line 1, column 8: expected a name", "}"],
    ["single quotes", "{'a':1}", "line 1, column 2: expected a name", "'"],
    ["the other end", '{"a":[1}', "line 1, column 8: expected a comma or ]", "}"],
    ["a text without end", '["a]', "line 1, column 2: expected a text that ends on its line", '"'],
    ["a line break in a text", '{"a":\n"b\nc"}', "line 2, column 3: expected a text that ends", "U+000A"],
    ["an escape that is none", '["\\\\\\x"]', "line 1, column 5: expected a text", "\\"],
    ["a missing end", '[{"a":1}', "line 1, column 9: expected a comma or ]", "the end"],
    ["more than one value", "[] []", "line 1, column 4: expected nothing more", "["],
    ["a number that is none", "[1.]", "line 1, column 2: expected a value", "1"],
    ["a comment", "// clients\n[]", "line 1, column 1: expected a value", "/"],
    ["a mark of byte order", "\ufeff[]", "line 1, column 1: expected a value", "U+FEFF"],
    ["a character outside the first plane", "[\u{1F600}]", "line 1, column 2: expected a value", "\u{1F600}"],
  ])("tells the place of %s, and what is there", (_, text, begins, found) => {
    const fault = jsonFault(text);
    const sentence = fault ? sentenceOf(fault) : "";
    expect(sentence.slice(0, begins.length)).toBe(begins);
    expect(sentence.endsWith(`, but found ${found}`)).toBe(true);
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
