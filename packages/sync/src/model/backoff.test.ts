import { describe, expect, it } from "vitest";
import { backoff, longestDelay, retryAfter } from "./backoff.ts";

describe("backoff", () => {
  it.each([
    [1, 0, 1_000],
    [2, 0, 2_000],
    [4, 0, 8_000],
    [1, 0.5, 750],
    [50, 0, longestDelay],
  ])("after %d failures, with %d, waits %d ms", (failures, random, delay) => {
    expect(backoff(failures, random)).toBe(delay);
  });
});

describe("retryAfter", () => {
  const now = new Date("2026-01-15T08:00:00Z");
  it.each([
    ["120", 120_000],
    ["Thu, 15 Jan 2026 08:02:00 GMT", 120_000],
    ["Thu, 15 Jan 2026 07:00:00 GMT", 0],
    ["99999999", 24 * 3_600_000],
    ["soon", null],
    ["", null],
    [null, null],
  ])("reads %s as %s", (header, delay) => {
    expect(retryAfter(header, now)).toBe(delay);
  });
});
