import { describe, expect, it } from "vitest";
import { clockText, isClockWrong } from "./clock-text.ts";

const minute = 60_000;

describe("the clock of a device", () => {
  it.each([
    [null, "Not known yet", false],
    [0, "Right", false],
    [10 * minute, "Right", false],
    [-11 * minute, "11 minutes behind", true],
    [90 * minute, "90 minutes ahead", true],
    [-49 * 60 * minute, "49 hours behind", true],
  ] as const)("off by %s ms is told as %s", (skew, text, wrong) => {
    expect([clockText(skew), isClockWrong(skew)]).toEqual([text, wrong]);
  });
});
