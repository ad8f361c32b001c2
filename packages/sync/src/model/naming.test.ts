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
  who: {},
});
const nothing = { type: "Group", told: [], entered: [], links: {}, whom: {} } as const;

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
      { people, links: {} },
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
    const people = [called("k", ["2"], "1")];
    const names = namesAs({ ...copies, links: { [raw("1")]: key } }, { people, links: {} });
    expect(names.size).toBe(size);
  });

  const own = (key: string) => `Individual/urn:fieldroll:device|${key}`;
  it.each([
    ["two whose numbers were exchanged", ["1", "2"], { 1: "l", 2: "k" }, { 1: raw("2"), 2: raw("1") }],
    ["two of whom one got the other's", ["2", "4"], { 2: "k", 4: "l" }, { 1: raw("2"), 2: raw("4") }],
    ["one who is who he was", ["2", "4"], { 2: "l", 4: "k" }, { 1: raw("4") }],
    [
      "one who is not there, and whose number somebody else has",
      ["1", "2"],
      { 1: "k", 2: "m" },
      { 2: own("l") },
    ],
    ["one who is not there, nor is his number", ["1"], { 1: "k" }, {}],
  ])("knows %s by whom the names mean on both sides", (_, theirs, there, expected) => {
    const copy = household("1", "2");
    const links = { [raw("1")]: "k", [raw("2")]: "l" };
    const people = [called("k", ["1"]), called("l", ["2"]), called("m", [])];
    const by = Object.fromEntries(Object.entries(there).map(([value, key]) => [raw(value), key]));
    const naming = { ...nothing, theirs: household(...theirs), told: [copy], entered: [copy], links };
    expect(Object.fromEntries(namesAs(naming, { people, links: by }))).toEqual(
      Object.fromEntries(Object.entries(expected).map(([from, to]) => [raw(from), to])),
    );
  });
});
