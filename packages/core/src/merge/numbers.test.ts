import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Conflict } from "./shape.ts";
import { resourceShapes } from "./shapes.ts";
import { merge } from "./three-way.ts";

const number = (value: string, system = "urn:x") => ({ system, value });
const corrected = { together: ["/identifier/2", "/identifier/1"] };

interface Case {
  readonly base: JsonObject;
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
  readonly merged: JsonObject;
  readonly conflicts?: readonly Conflict[];
}

const cases: Readonly<Record<string, Case>> = {
  "asks about both numbers when each side corrected one in its own way": {
    base: { identifier: [number("1"), number("7", "urn:y")] },
    ours: { identifier: [number("2"), number("7", "urn:y")] },
    theirs: { identifier: [number("3"), number("7", "urn:y")] },
    merged: { identifier: [number("7", "urn:y"), number("2")] },
    conflicts: [
      { path: "/identifier/2", theirs: number("3"), ...corrected },
      { path: "/identifier/1", ours: number("2"), ...corrected },
    ],
  },
  "asks about both numbers when each side gave one of a system that had none": {
    base: { identifier: [number("7", "urn:y")] },
    ours: { identifier: [number("7", "urn:y"), number("2")] },
    theirs: { identifier: [number("7", "urn:y"), number("3")] },
    merged: { identifier: [number("7", "urn:y"), number("2")] },
    conflicts: [
      { path: "/identifier/2", theirs: number("3"), ...corrected },
      { path: "/identifier/1", ours: number("2"), ...corrected },
    ],
  },
  "asks about no number that both sides corrected alike": {
    base: { identifier: [number("1")] },
    ours: { identifier: [number("2")] },
    theirs: { identifier: [number("2")] },
    merged: { identifier: [number("2")] },
  },
  "keeps corrections of different numbers": {
    base: { identifier: [number("1"), number("7", "urn:y")] },
    ours: { identifier: [number("2"), number("7", "urn:y")] },
    theirs: { identifier: [number("1"), number("8", "urn:y")] },
    merged: { identifier: [number("8", "urn:y"), number("2")] },
  },
  "keeps a number that was added beside one that was corrected": {
    base: { identifier: [number("1")] },
    ours: { identifier: [number("1"), number("2")] },
    theirs: { identifier: [number("3")] },
    merged: { identifier: [number("3"), number("2")] },
  },
  "keeps the numbers of both where nothing was before": {
    base: {},
    ours: { identifier: [number("2")] },
    theirs: { identifier: [number("3")] },
    merged: { identifier: [number("3"), number("2")] },
  },
};

describe("merging a record's identifiers", () => {
  it.each(Object.entries(cases))("%s", (_, { merged, conflicts = [], ...versions }) => {
    expect(merge({ ...versions, shape: resourceShapes.Individual })).toEqual({ merged, conflicts });
  });
});
