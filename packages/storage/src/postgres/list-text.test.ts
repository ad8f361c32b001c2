import { describe, expect, it } from "vitest";
import { listText } from "./list-text.ts";

describe("listText", () => {
  it.each([
    ["nothing", [], "{}"],
    ["numbers and booleans", [1, -2, true, false], "{1,-2,true,false}"],
    ["texts", ["a", "", "NULL", "{a,b}", "é 😀"], '{"a","","NULL","{a,b}","é 😀"}'],
    ["quotes and backslashes", ['say "a\\b"'], String.raw`{"say \"a\\b\""}`],
  ])("writes %s", (_, list, text) => {
    expect(listText(list)).toBe(text);
  });

  it("escapes what lies about the ends of pieces", () => {
    for (const before of [65_534, 65_535, 65_536]) {
      const plain = "a".repeat(before);
      expect(listText([`${plain}"\\"b`]) === `{"${plain}${String.raw`\"\\\"b`}"}`).toBe(true);
    }
  });

  it("writes a text of 40 million quotes, of which one replacement would end the process", {
    timeout: 120_000,
  }, () => {
    const quotes = 40_000_000;
    expect(listText(['"'.repeat(quotes)])).toHaveLength(2 * quotes + 4);
  });

  it("refuses what is too long to be written, as a bad request", () => {
    const long = "a".repeat(2 ** 28);
    expect(() => listText([long, long])).toThrow(
      expect.objectContaining({
        code: "bad-request",
        message: expect.stringContaining("Put fewer documents"),
      }),
    );
  });
});
