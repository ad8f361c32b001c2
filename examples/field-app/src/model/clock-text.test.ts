import { describe, expect, it } from "vitest";
import { clockText, isClockWrong, rightTime } from "./clock-text.ts";

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

  it.each([
    [null, "2026-01-15T08:00:00.000Z"],
    [10 * minute, "2026-01-15T08:00:00.000Z"],
    [24 * 60 * minute, "2026-01-14T08:00:00.000Z"],
    [-24 * 60 * minute, "2026-01-16T08:00:00.000Z"],
  ] as const)("that is off by %s ms is put right to %s", (skew, right) => {
    expect(rightTime(new Date("2026-01-15T08:00:00Z"), skew).toISOString()).toBe(right);
  });
});
