import { expect, it } from "vitest";
import { decideRotation } from "./key-rotation.ts";

const day = 24 * 60 * 60_000;
const rule = (now: number) => ({ now: now * day, signsFor: 90 * day, tokensLive: day });
const keys = (...days: readonly number[]) => days.map((at, i) => ({ key: `${i + 1}`, createdAt: at * day }));

it.each([
  ["makes the first key", keys(), 0, { make: true, remove: [] }],
  ["keeps a young key", keys(0), 89, { make: false, remove: [] }],
  ["replaces a key of 90 days", keys(0), 90, { make: true, remove: [] }],
  ["keeps the old key while a token of it may live", keys(0, 90), 91, { make: false, remove: [] }],
  ["removes the old key when none can", keys(0, 90), 91.1, { make: false, remove: ["1"] }],
  ["never removes the newest", keys(0), 1000, { make: true, remove: [] }],
  ["removes all that have long been followed", keys(0, 90, 180), 300, { make: true, remove: ["1", "2"] }],
])("%s", (_case, present, now, expected) => {
  expect(decideRotation(present, rule(now))).toEqual(expected);
});
