import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { maxDepth, readPlain } from "./plain.ts";

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const cycle: Record<string, unknown> = {};
cycle.a = cycle;

describe("readPlain", () => {
  it("copies JSON and leaves undefined members out", () => {
    const body = { a: [1, "é", null, { b: true }], c: undefined, d: "😀" };
    const { value, errors } = readPlain(body);
    expect(errors).toEqual([]);
    expect(value).toEqual({ a: [1, "é", null, { b: true }], d: "😀" });
    expect(Object.keys(value as object)).toEqual(["a", "d"]);
  });

  it("accepts objects without a prototype", () => {
    expect(readPlain(Object.assign(Object.create(null), { a: 1 }))).toEqual({ value: { a: 1 }, errors: [] });
  });

  it(`accepts ${maxDepth} levels`, () => {
    expect(readPlain(nested(maxDepth)).errors).toEqual([]);
  });

  it.each([
    ["one level more", nested(maxDepth + 1), "too_deep"],
    ["a hundred thousand levels", nested(100_000), "too_deep"],
    ["a cycle", cycle, "too_deep"],
    ["a member named __proto__", JSON.parse('{"__proto__": {"admin": true}}'), "unknown_field"],
    ["a member named constructor below", { a: [{ constructor: 1 }] }, "unknown_field"],
    ["U+0000 in a string", ["a\0b"], "invalid_characters"],
    ["U+0000 in a name", { "a\0": 1 }, "invalid_characters"],
    ["half a surrogate pair", ["\udc00"], "invalid_characters"],
    ["a number that JSON has not", [Number.NaN], "invalid_type"],
    ["a function", { a: () => 1 }, "invalid_type"],
    ["a bigint", 1n, "invalid_type"],
    ["a date", { a: new Date(0) }, "invalid_type"],
    ["a map", new Map(), "invalid_type"],
    ["undefined in a list", [undefined], "invalid_type"],
  ])("refuses %s", (_name, body, code) => {
    expect(readPlain(body).errors.map((error) => error.code)).toEqual([code]);
  });

  it("points at the place", () => {
    expect(readPlain({ a: [{ "b/c": "\0" }] }).errors[0]?.field).toBe("/a/0/b~1c");
  });

  it("leaves the prototype of objects alone", () => {
    readPlain(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});
