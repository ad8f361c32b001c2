import { expect, it } from "vitest";
import { createFailedAttempts, type FailedAttempts } from "./failed-attempts.ts";

function attemptsAt(clock: { now: number }, capacity = 10) {
  return createFailedAttempts({ clock: () => new Date(clock.now), most: 3, windowSeconds: 60, capacity });
}

function failTimes(attempts: FailedAttempts, key: string, times: number) {
  for (let i = 0; i < times; i++) {
    expect(attempts.secondsToWait(key)).toBe(0);
    attempts.begin(key)(true);
  }
}

it("lets a key go on until it has failed as often as allowed", () => {
  const attempts = attemptsAt({ now: 0 });
  failTimes(attempts, "a", 2);
  attempts.begin("a")(false);
  failTimes(attempts, "a", 1);
  expect(attempts.secondsToWait("a")).toBe(60);
});

it("keeps keys apart", () => {
  const attempts = attemptsAt({ now: 0 });
  failTimes(attempts, "a", 3);
  expect(attempts.secondsToWait("b")).toBe(0);
  expect([attempts.hasFailed("a"), attempts.hasFailed("b")]).toEqual([true, false]);
});

it("opens again when the oldest failure leaves the window", () => {
  const clock = { now: 0 };
  const attempts = attemptsAt(clock);
  failTimes(attempts, "a", 1);
  clock.now = 20_000;
  failTimes(attempts, "a", 2);
  expect(attempts.secondsToWait("a")).toBe(40);
  clock.now = 59_999;
  expect(attempts.secondsToWait("a")).toBe(1);
  clock.now = 60_000;
  expect(attempts.secondsToWait("a")).toBe(0);
  clock.now = 80_000;
  expect(attempts.hasFailed("a")).toBe(false);
});

it("counts running attempts as failures until they end", () => {
  const attempts = attemptsAt({ now: 0 });
  const ends = [1, 2, 3].map(() => attempts.begin("a"));
  expect(attempts.secondsToWait("a")).toBe(1);
  for (const end of ends) end(false);
  expect(attempts.secondsToWait("a")).toBe(0);
});

it("remembers no more keys than its capacity, and those that failed last", () => {
  const clock = { now: 0 };
  const attempts = attemptsAt(clock, 2);
  for (let i = 0; i < 100_000; i++) attempts.begin(`${i}`)(true);
  expect(["99999", "99998", "99997", "0"].map((key) => attempts.hasFailed(key))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
