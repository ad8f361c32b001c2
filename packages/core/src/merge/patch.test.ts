import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../json.ts";
import { applyMergePatch, diffMergePatch } from "./patch.ts";

const appendixA: readonly [target: Json, patch: Json, result: Json][] = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, null, null],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

const section3: readonly [Json, Json, Json] = [
  {
    title: "Goodbye!",
    author: { givenName: "John", familyName: "Doe" },
    tags: ["example", "sample"],
    content: "This will be unchanged",
  },
  { title: "Hello!", phoneNumber: "+01-123-456-7890", author: { familyName: null }, tags: ["example"] },
  {
    title: "Hello!",
    author: { givenName: "John" },
    tags: ["example"],
    content: "This will be unchanged",
    phoneNumber: "+01-123-456-7890",
  },
];

const name = fc.constantFrom("a", "b", "c", "toString", "__proto__", "a/b");

/** JSON objects; `nulls` says whether members outside arrays may be null. */
function objects(nulls: boolean): fc.Arbitrary<JsonObject> {
  const { object } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constantFrom<Json>("x", "y", 0, false, ...(nulls ? [null] : [])),
      fc.array(fc.constantFrom<Json>(1, "x", null, { a: null }), { maxLength: 2 }),
      tie("object"),
    ),
    object: fc
      .array(fc.tuple(name, tie("value")), { maxLength: 4 })
      .map((members) => Object.fromEntries(members) as JsonObject),
  }));
  return object;
}

describe("applyMergePatch", () => {
  it.each([...appendixA, section3])("follows RFC 7396: %j with %j", (target, patch, result) => {
    expect(applyMergePatch(target, patch)).toEqual(result);
  });

  it("makes an object of nothing", () => {
    expect(applyMergePatch(undefined, { a: { b: null, c: 1 } })).toEqual({ a: { c: 1 } });
  });

  it("returns the same object when nothing changes", () => {
    const target = { a: { b: [1, { c: 2 }] }, d: "e" };
    expect(applyMergePatch(target, { a: { b: [1, { c: 2 }] }, d: "e", gone: null })).toBe(target);
    expect(applyMergePatch(target, {})).toBe(target);
  });

  it("copies only the changed paths and leaves its arguments alone", () => {
    const target = Object.freeze({ a: Object.freeze({ x: 1 }), b: Object.freeze({ y: 1 }) });
    const result = applyMergePatch(target, { b: { y: 2 } }) as typeof target;
    expect(result).toEqual({ a: { x: 1 }, b: { y: 2 } });
    expect(result.a).toBe(target.a);
  });

  it("never touches a prototype", () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}');
    const result = applyMergePatch({ a: 1 }, patch) as object;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect((result as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype);
    expect(Object.hasOwn(result, "__proto__")).toBe(true);
  });
});

describe("diffMergePatch", () => {
  it("is undone by applying it, for targets without null members", () => {
    fc.assert(
      fc.property(objects(true), objects(false), (a, b) => {
        expect(applyMergePatch(a, diffMergePatch(a, b))).toEqual(b);
      }),
      { numRuns: 1000 },
    );
  });

  it("is empty between equal objects, whatever the order of their members", () => {
    expect(diffMergePatch({ a: 1, b: { c: [1], d: 2 } }, { b: { d: 2, c: [1] }, a: 1 })).toEqual({});
  });

  it.each<[string, JsonObject, JsonObject, JsonObject]>([
    ["names only what differs", { a: 1, b: 2 }, { a: 1, b: 3 }, { b: 3 }],
    ["removes with null", { a: 1, b: 2 }, { a: 1 }, { b: null }],
    ["goes into objects", { a: { b: 1, c: 2 } }, { a: { b: 1, c: 3 } }, { a: { c: 3 } }],
    ["replaces arrays whole", { a: [1, 2] }, { a: [1] }, { a: [1] }],
    [
      "reads a new null member as an absent one",
      { a: 1, c: {} },
      { a: null, b: null, c: { d: null } },
      { a: null },
    ],
  ])("%s", (_, from, to, patch) => {
    expect(diffMergePatch(from, to)).toEqual(patch);
  });
});
