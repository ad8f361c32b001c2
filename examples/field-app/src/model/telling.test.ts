import { describe, expect, it } from "vitest";
import { stillTold } from "./telling.ts";

/** Whether a message is still told after the counts that followed. */
const isTold = (...[first = 0, ...counts]: readonly number[]) =>
  counts.reduce<{ parked: number } | null>((told, parked) => told && stillTold(told, parked), {
    parked: first,
  }) !== null;

describe("what was just done", () => {
  it.each([
    ["stays told while nothing needs a decision", [0, 0], true],
    ["stays told when fewer need one", [2, 1, 1], true],
    ["goes when one more needs a decision", [0, 1], false],
    ["goes when what was sent again is refused again", [1, 0, 1], false],
    ["goes for good", [0, 1, 0], false],
  ] as const)("%s", (_, counts, told) => {
    expect(isTold(...counts)).toBe(told);
  });
});
