import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blockOf,
  collectionSpan,
  columnId,
  columnSpan,
  documentId,
  documentKey,
  feedPlace,
  feedPosition,
  feedSpan,
} from "./names.ts";

// Few letters, so that one string is often the start of another; the last two lie on either side of surrogates.
const text = fc.string({
  unit: fc.constantFrom("a", "b", "\u0001", "😀", "\ue000", "\uffff"),
  minLength: 1,
  maxLength: 4,
});

describe("names", () => {
  it("lie within the span of their own collection, feed or index alone", () => {
    const property = fc.property(text, text, text, (one, other, key) => {
      const within = (id: string, { from, below }: { from: string; below: string }) =>
        from <= id && id < below;
      const same = one === other;
      expect(within(documentId({ collection: one, key }), collectionSpan(other))).toBe(same);
      expect(within(feedPlace(one, 7), feedSpan(other, 6))).toBe(same);
      const column = columnId("c", one, { kind: "values", block: 9_999_999_999 });
      expect(within(column, columnSpan("c", other, "values"))).toBe(same);
      expect(within(column, columnSpan("c", one, "keys"))).toBe(false);
    });
    fc.assert(property);
  });

  it("give documents' keys, feeds' positions and blocks' numbers back", () => {
    const key = { collection: "people", key: "é😀" };
    expect(documentKey(documentId(key))).toEqual(key);
    expect(feedPosition(feedPlace("all", 1234))).toBe(1234);
    expect(feedPlace("all", 9) < feedPlace("all", 10)).toBe(true);
    expect(blockOf(columnId("people", "name", { kind: "values", block: 12 }))).toBe(12);
  });
});
