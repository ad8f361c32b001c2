import { describe, expect, it } from "vitest";
import type { Json } from "../json.ts";
import { type FieldError, unwrap } from "../problem.ts";
import { bodyLimits, readPlain } from "./plain.ts";

function nested(depth: number): Json {
  let value: Json = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

function errorsOf(body: unknown): readonly FieldError[] {
  const read = readPlain(body);
  return read.ok ? [] : (read.problem.errors ?? []);
}

const cycle: Record<string, unknown> = {};
cycle.a = cycle;

describe("readPlain", () => {
  it("copies JSON and leaves undefined members out", () => {
    const body = { a: [1, "é", null, { b: true }], c: undefined, d: "😀" };
    const value = unwrap(readPlain(body));
    expect(value).toEqual({ a: [1, "é", null, { b: true }], d: "😀" });
    expect(Object.keys(value as object)).toEqual(["a", "d"]);
  });

  it("accepts objects without a prototype", () => {
    expect(unwrap(readPlain(Object.assign(Object.create(null), { a: 1 })))).toEqual({ a: 1 });
  });

  it(`accepts ${bodyLimits.depth} levels`, () => {
    expect(readPlain(nested(bodyLimits.depth)).ok).toBe(true);
  });

  it.each([
    ["one level more", nested(bodyLimits.depth + 1), "too_deep"],
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
    ["a name of 256 characters", { ["n".repeat(256)]: 1 }, "too_long"],
  ])("refuses %s", (_name, body, code) => {
    expect(errorsOf(body).map((error) => error.code)).toEqual([code]);
  });

  const shared = Array(1000).fill(Array(1000).fill(Array(1000).fill(0)));

  it.each([
    ["a list of a million", Array(1_000_000).fill({}), 1],
    [
      "an object of a million members",
      Object.fromEntries(Array.from({ length: 1_000_000 }, (_, i) => [i, 1])),
      1,
    ],
    ["lists in lists", Array(900).fill(Array(900).fill(1)), 0],
    ["the same list again and again", shared, 0],
  ])("refuses %s as a whole", (_name, body, faults) => {
    const read = readPlain(body);
    expect(read).toMatchObject({ ok: false, problem: { kind: "payload-too-large" } });
    expect(read.ok ? [] : (read.problem.errors ?? [])).toHaveLength(faults);
  });

  it.each([
    ["list", { a: [{ b: Array(1001).fill(1) }] }, "/a/0/b: must have at most 1000 entries, and has 1001"],
    [
      "object",
      [Object.fromEntries(Array(1002).entries())],
      "/0: must have at most 1000 members, and has 1002",
    ],
  ])("names the %s that is too wide, its limit and its size", (_kind, body, detail) => {
    expect(readPlain(body)).toMatchObject({ problem: { detail: `${detail}. Send fewer.` } });
  });

  it("points at the place", () => {
    expect(errorsOf({ a: [{ "b/c": "\0" }] })[0]?.field).toBe("/a/0/b~1c");
  });

  it("leaves the prototype of objects alone", () => {
    readPlain(JSON.parse('{"__proto__": {"admin": true}}'));
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });
});
