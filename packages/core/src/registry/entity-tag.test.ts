import { describe, expect, it } from "vitest";
import { readEntityTags } from "./entity-tag.ts";

describe("a list of entity tags", () => {
  it.each<[string, readonly string[] | undefined]>([
    ['"3"', ["3"]],
    [' "3" , W/"4" ', ["3", "4"]],
    ['"a,b"', ["a,b"]],
    [',,"3",', ["3"]],
    ['"3-gzip"', ["3"]],
    ["3", undefined],
    ['"3" "4"', undefined],
    ['"3', undefined],
    ["W/", undefined],
    [",", undefined],
    ["", undefined],
  ])("%j is read as %j", (text, tags) => {
    expect(readEntityTags(text, "required")).toEqual(tags);
  });

  it.each<[string, readonly string[] | undefined]>([
    ["3", ["3"]],
    ['3, "4", W/5', ["3", "4", "5"]],
    ["3 4", undefined],
    ['3"', undefined],
  ])("%j is read as %j where quotes may be left out", (text, tags) => {
    expect(readEntityTags(text, "optional")).toEqual(tags);
  });

  it.each([",", '"', '"a",', '"a"', " ", "a", "W/", '" ', ", "])(
    "takes time by its length, of %j",
    (part) => {
      const spent = (length: number) => {
        const text = part.repeat(length / part.length);
        const before = performance.now();
        readEntityTags(text, "optional");
        return performance.now() - before;
      };
      // Quadratic work on a million characters takes minutes.
      expect(Math.min(...[1, 2, 3].map(() => spent(1_000_000)))).toBeLessThan(2_000);
    },
  );
});
