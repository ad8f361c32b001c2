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
    [47 * 60 * minute, "47 hours ahead", true],
    [-48 * 60 * minute, "2 days behind", true],
    [9600 * 60 * minute, "400 days ahead", true],
  ] as const)("off by %s ms is told as %s", (skew, text, wrong) => {
    expect([clockText(skew), isClockWrong(skew)]).toEqual([text, wrong]);
  });
});
