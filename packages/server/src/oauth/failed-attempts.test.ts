import { expect, it } from "vitest";
import { createFailedAttempts } from "./failed-attempts.ts";

function attemptsAt(clock: { now: number }) {
  return createFailedAttempts({ clock: () => new Date(clock.now), most: 3, windowSeconds: 60 });
}

it("lets a key go on until it has failed as often as allowed", () => {
  const attempts = attemptsAt({ now: 0 });
  attempts.record("a");
  attempts.record("a");
  expect(attempts.secondsToWait("a")).toBe(0);
  attempts.record("a");
  expect(attempts.secondsToWait("a")).toBe(60);
});

it("keeps keys apart", () => {
  const attempts = attemptsAt({ now: 0 });
  for (let i = 0; i < 3; i++) attempts.record("a");
  expect(attempts.secondsToWait("b")).toBe(0);
});

it("opens again when the oldest failure leaves the window", () => {
  const clock = { now: 0 };
  const attempts = attemptsAt(clock);
  attempts.record("a");
  clock.now = 20_000;
  attempts.record("a");
  attempts.record("a");
  expect(attempts.secondsToWait("a")).toBe(40);
  clock.now = 59_999;
  expect(attempts.secondsToWait("a")).toBe(1);
  clock.now = 60_000;
  expect(attempts.secondsToWait("a")).toBe(0);
});
