import { bodyLimits } from "@fieldroll/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { faultOfJson } from "./json-text.ts";

describe("faultOfJson", () => {
  it.each([
    ["an array at the limit", "[".repeat(bodyLimits.depth) + "]".repeat(bodyLimits.depth)],
    ["the same key in sibling objects", '[{"a":1},{"a":2},{"b":{"a":1},"a":[{"a":3}]}]'],
    ["keys after nested values", '{"a":[1,2],"b":{"c":1},"d":"e"}'],
    ["the words as values", '{"a":"__proto__","b":"constructor"}'],
    ["braces inside strings", '{"a":"{{[[\\"}","b":1}'],
    [
      "50,000 values",
      `[${Array(49)
        .fill(`[${Array(1000).fill(" null ").join()}]`)
        .join()}]`,
    ],
    ["quotation marks and backslashes in strings", '{"\\"a\\\\":"\\\\\\",{[","b":"\\\\"}'],
    ["a whole surrogate pair", '"\\ud83d\\ude00"'],
  ])("accepts %s", (_name, text) => {
    JSON.parse(text);
    expect(faultOfJson(text)).toBeUndefined();
  });

  it.each([
    ["too deep", "[".repeat(bodyLimits.depth + 1) + "]".repeat(bodyLimits.depth + 1), "deeper"],
    ["a key twice", '{"a":1,"b":[{}],"a":2}', "twice"],
    ["a key twice, once escaped", '{"a":1,"\\u0061":2}', "twice"],
    ["a prototype key", '{"x":{"__proto__":{}}}', "__proto__"],
    ["an escaped prototype key", '{"__proto\\u005f_":{}}', "__proto__"],
    ["a constructor key", '{"constructor":1}', "constructor"],
    ["one level too deep, and no end", "[".repeat(8_000_000), "deeper"],
    ["a list of 1,001", `[${Array(1001).fill(1).join()}]`, "1000 entries, and has 1001"],
    [
      "an object of 1,001",
      `{${Array.from({ length: 1001 }, (_, i) => `"${i}":1`).join()}}`,
      "1000 members, and has 1001",
    ],
    [
      "50,001 values",
      `[${Array(51)
        .fill(`[${Array(990).fill("{}").join()}]`)
        .join()}]`,
      "50000 values",
    ],
  ])("finds %s", (_name, text, word) => {
    expect(JSON.stringify(faultOfJson(text))).toContain(word);
  });

  it.each([
    ["a member twice", '{"a":[{},{"b/c":1,"b/c":2}]}', "/a/1/b~1c", "Keep one of the two"],
    ["a member that no object may have", '{"a":[1,{"constructor":1}]}', "/a/1/constructor", "Take it away"],
    ["nesting", `{"a":[0,${"[".repeat(bodyLimits.depth)}`, `/a/1${"/0".repeat(30)}`, "Send less within"],
    ["a long list", `{"a":[{"b":[${Array(1002).fill(1).join()}]}]}`, "/a/0/b", "has 1002. Send fewer"],
    ["an endless list", `{"a":{"b":[${"{},".repeat(60_000)}`, "/a/b", "has at least 49997. Send fewer"],
  ])("names the place of %s, and what to do next", (_name, text, field, next) => {
    const problem = faultOfJson(text);
    expect(problem?.errors).toMatchObject([{ field }]);
    expect(problem?.detail).toContain(field);
    expect(problem?.detail).toContain(next);
  });

  it("finds nothing in texts that JSON.stringify wrote within the limits", () => {
    fc.assert(
      fc.property(fc.array(fc.dictionary(fc.string(), fc.string())), (value) => {
        const safe = JSON.stringify(value).replaceAll(/\\u0000|__proto__|constructor|prototype/g, "x");
        fc.pre(new Set(safe.match(/"[^"]*":/g)).size === (safe.match(/"[^"]*":/g) ?? []).length);
        expect(faultOfJson(safe)).toBeUndefined();
      }),
    );
  });
});
