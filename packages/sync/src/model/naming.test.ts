import { describe, expect, it } from "vitest";
import { namesAs } from "./naming.ts";

const raw = (value: string) => `Individual/urn:t|${value}`;
const household = (...values: readonly string[]) => ({
  type: "Group",
  member: values.map((value) => ({ entity: { reference: raw(value) } })),
});
const called = (key: string, now: readonly string[], ...former: readonly string[]) => ({
  key,
  now: now.map(raw),
  former: former.map(raw),
});
const nothing = { type: "Group", told: [], entered: [], links: {} } as const;

describe("namesAs", () => {
  it.each([
    ["by the new number where that is there", ["2"], [["1"]], [called("k", ["2"], "1")], { 1: "2" }],
    ["by the old one where only that is there", ["1"], [["2"]], [called("k", ["2"], "1")], { 2: "1" }],
    ["by today's where neither is there", [], [["1"], ["2"]], [called("k", ["2"], "1")], { 1: "2" }],
    ["as before where nothing was corrected", ["3"], [["1"]], [called("k", ["1"]), called("l", ["3"])], {}],
    ["as there by either number that is good", ["1"], [["2"]], [called("k", ["1", "2"])], { 2: "1" }],
    ["as before by one that is good where neither is there", [], [["2"]], [called("k", ["1", "2"])], {}],
    ["as before where no name is shown any more", ["3"], [["1"]], [called("k", [], "1")], {}],
    ["as two who are side by side in one copy", ["2"], [["1", "2"]], [called("k", ["2"], "1")], {}],
    [
      "as whoever is there, where another has the number now",
      ["2"],
      [["1"]],
      [called("k", ["2"], "1"), called("l", ["1"])],
      { 1: "2" },
    ],
  ])("calls somebody %s", (...[, theirs, told, people, expected]) => {
    const names = namesAs(
      { ...nothing, theirs: household(...theirs), told: told.map((values) => household(...values)) },
      people,
    );
    expect(Object.fromEntries(names)).toEqual(
      Object.fromEntries(Object.entries(expected).map(([from, to]) => [raw(from), raw(to)])),
    );
  });

  it.each([
    ["k", 1],
    ["l", 0],
  ])("takes what was entered here for whom it leads to, %s", (key, size) => {
    const copies = { ...nothing, theirs: household("2"), told: [household()], entered: [household("1")] };
    const names = namesAs({ ...copies, links: { [raw("1")]: key } }, [called("k", ["2"], "1")]);
    expect(names.size).toBe(size);
  });
});
