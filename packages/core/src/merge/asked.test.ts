import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { resourceShapes } from "./shapes.ts";
import { conflictPlaces, merge, resolveConflicts } from "./three-way.ts";

const shape = resourceShapes.Individual;
const phone = (value: string, more: object = {}) => ({ system: "phone", use: "mobile", value, ...more });

const family = "/member:name/member:family";
const rank = "/member:telecom/item:phone|mobile|1/member:rank";

/** A place that was asked about, and what it comes to: by the conflict's path, or by what is merged. */
const cases: readonly {
  name: string;
  asked: readonly string[];
  base: JsonObject;
  ours: JsonObject;
  theirs: JsonObject;
  paths: readonly string[];
  merged: JsonObject;
}[] = [
  {
    name: "is in conflict though ours is the base",
    asked: [family],
    base: { name: { family: "A", given: "X" } },
    ours: { name: { family: "A", given: "X" } },
    theirs: { name: { family: "B", given: "Y" } },
    paths: ["/name/family"],
    merged: { name: { family: "A", given: "Y" } },
  },
  {
    name: "is in conflict though theirs is the base",
    asked: [family],
    base: { name: { family: "A" } },
    ours: { name: { family: "B" } },
    theirs: { name: { family: "A" } },
    paths: ["/name/family"],
    merged: { name: { family: "B" } },
  },
  {
    name: "is in none where both say the same",
    asked: [family],
    base: { name: { family: "A" } },
    ours: { name: { family: "B" } },
    theirs: { name: { family: "B" } },
    paths: [],
    merged: { name: { family: "B" } },
  },
  {
    name: "is in conflict where ours has nothing, as the base has not",
    asked: ["/member:birthDate"],
    base: {},
    ours: {},
    theirs: { birthDate: "1990-01-01" },
    paths: ["/birthDate"],
    merged: {},
  },
  {
    name: "takes along what is decided together with it",
    asked: ["/member:birthDate"],
    base: { birthDate: "1980-01-01", birthDateEstimated: true },
    ours: { birthDate: "1980-01-01" },
    theirs: { birthDate: "1955-01-01", birthDateEstimated: true },
    paths: ["/birthDate", "/birthDateEstimated"],
    merged: { birthDate: "1980-01-01" },
  },
  {
    name: "leaves the rest of an item to the base",
    asked: [rank],
    base: { telecom: [phone("1", { rank: 1, note: "a" })] },
    ours: { telecom: [phone("1", { rank: 1, note: "a" })] },
    theirs: { telecom: [phone("1", { rank: 2, note: "b" })] },
    paths: ["/telecom/0/rank"],
    merged: { telecom: [phone("1", { rank: 1, note: "b" })] },
  },
];

describe("a place that is asked about", () => {
  it.each(cases)("$name", ({ asked, base, ours, theirs, paths, merged }) => {
    const request = { base, ours, theirs, shape, asked };
    const result = merge(request);
    expect(result.conflicts.map(({ path }) => path).sort()).toEqual(paths);
    expect(result.merged).toEqual(merged);
    const choices = Object.fromEntries(paths.map((path) => [path, "theirs" as const]));
    expect(resolveConflicts(request, choices)).toEqual({ merged: theirs, conflicts: [] });
  });

  it("is called by every merge of the record as by the one that found it", () => {
    const request = {
      base: { telecom: [phone("1", { rank: 1 })] },
      ours: { telecom: [phone("2"), phone("1", { rank: 2 })] },
      theirs: { telecom: [phone("1", { rank: 3 })] },
      shape,
    };
    expect(conflictPlaces(request)).toEqual([rank]);
  });

  it("is every one that differs, where all are", () => {
    const ours = { name: { family: "A", given: "X" }, birthDate: "1990-01-01", telecom: [phone("1")] };
    const theirs = { name: { family: "B", given: "X" }, telecom: [phone("1"), phone("2")] };
    expect(conflictPlaces({ base: ours, ours, theirs, shape, asked: "all" })).toEqual(
      expect.arrayContaining(["/member:birthDate", family]),
    );
    expect(conflictPlaces({ base: null, ours, theirs, shape, asked: "all" })).toHaveLength(3);
  });
});
