import { compareCodeUnits } from "@fieldroll/core";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  conditionSpans,
  documentId,
  documentKey,
  entryKeys,
  feedPlace,
  feedPosition,
  startingWith,
} from "./names.ts";

// Few letters, so that one string is often the start of another; the last two lie on either side of surrogates.
const text = fc.string({ unit: fc.constantFrom("a", "b", "\u0001", "😀", "\ue000", "\uffff"), maxLength: 4 });

describe("names", () => {
  it("start with a prefix exactly within its span", () => {
    const property = fc.property(text, text, (prefix, end) => {
      const other = `name${end}`;
      const span = startingWith(`name${prefix}`);
      expect(span.from <= other && other < span.below).toBe(other.startsWith(`name${prefix}`));
    });
    fc.assert(property);
  });

  it("sort as their values do and then as their keys", () => {
    const place = fc.record({ value: text, key: text.filter((key) => key !== "") });
    const property = fc.property(place, place, (a, b) => {
      const [one = "", two = ""] = [a, b].flatMap(({ value, key }) =>
        entryKeys({ collection: "people", key }, { name: [value] }),
      );
      const expected = compareCodeUnits(a.value, b.value) || compareCodeUnits(a.key, b.key);
      expect(compareCodeUnits(one, two)).toBe(expected);
    });
    fc.assert(property);
  });

  it("have no span for a range upside down", () => {
    expect(conditionSpans("x", { index: "name", from: "b", below: "a" })).toEqual([]);
  });

  it("mark the first value of an index and name each value once", () => {
    const keys = entryKeys({ collection: "c", key: "k" }, { n: ["x", "y", "x"] });
    expect(keys).toEqual(["c\u0000n\u00001x\u0000k", "c\u0000n\u00002y\u0000k"]);
  });

  it("give documents' keys and feeds' positions back", () => {
    const key = { collection: "people", key: "é😀" };
    expect(documentKey(documentId(key))).toEqual(key);
    expect(feedPosition(feedPlace("all", 1234))).toBe(1234);
    expect(feedPlace("all", 9) < feedPlace("all", 10)).toBe(true);
  });
});
