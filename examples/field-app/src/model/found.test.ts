import { describe, expect, it } from "vitest";
import { mergedPages } from "./found.ts";

const page = (references: string, hasMore = false) => ({
  data: references.split("").map((reference) => ({ reference })),
  hasMore,
});
const shown = (pages: Parameters<typeof mergedPages>[0], limit: number) => {
  const { found, more } = mergedPages(pages, limit);
  return [found.map(({ reference }) => reference).join(""), more];
};

describe("mergedPages", () => {
  it.each([
    ["keeps each record where it comes first", [page("d"), page("bd"), page("abcd")], 9, ["dbac", false]],
    ["shows no more than are asked for, and says so", [page("c"), page("ab", true)], 2, ["ca", true]],
    ["knows of more by the widest search", [page("a"), page("ab", true)], 9, ["ab", true]],
    ["takes more of a closer search for more of the widest", [page("a", true), page("ab")], 9, ["ab", false]],
    ["finds nothing in nothing", [page(""), page("")], 9, ["", false]],
  ] as const)("%s", (_, pages, limit, expected) => {
    expect(shown(pages, limit)).toEqual(expected);
  });
});
