import { describe, expect, it } from "vitest";
import { costOfBytes, createRateLimits, type Quota, spentQuota } from "./rate-limit.ts";

interface Step {
  /** Milliseconds since the start. */
  readonly at: number;
  readonly act: (quota: Quota) => unknown;
  readonly gives?: unknown;
}

const take = (at: number, gives = 0): Step => ({ at, act: (quota) => quota.take(), gives });
const charge = (at: number, cost: number): Step => ({ at, act: (quota) => quota.charge(cost) });
const shows = (at: number, ...gives: readonly number[]): Step => ({
  at,
  act: (quota) => Object.values(quota.headers()).map(Number),
  gives,
});

describe("of two requests a second, and four at once, a client", () => {
  it.each<readonly [string, readonly Step[]]>([
    ["is told nothing at first", [shows(0)]],
    ["is told nothing until half of it is gone", [take(0), take(0), shows(0), take(0), shows(0, 4, 1, 2)]],
    ["has none after four", [take(0), take(0), take(0), take(0), take(0, 1), shows(0, 4, 0, 2)]],
    [
      "is given one each half second",
      [take(0), take(0), take(0), take(0), take(500), take(500, 1), take(1000)],
    ],
    ["is given no more than four", [take(0), ...[0, 0, 0, 0, 1].map((gives) => take(3_600_000, gives))]],
    ["owes what a request of several costs", [take(0), charge(0, 4), take(0, 1), take(500, 1), take(1000)]],
    ["owes no more than a burst", [take(0), charge(0, 1000), take(0, 1), take(1000)]],
    [
      "loses nothing by a clock that is put back",
      [take(10_000), take(0), take(0), shows(0, 4, 1, 2), take(500)],
    ],
  ])("%s", (_name, steps) => {
    let now = 0;
    const quotaOf = createRateLimits({ perSecond: 2, burst: 4 }, () => new Date(now));
    for (const { at, act, gives } of steps) {
      now = at;
      expect(act(quotaOf("a"))).toEqual(gives);
    }
  });
});

it("counts clients by themselves", () => {
  const quotaOf = createRateLimits({ perSecond: 1, burst: 1 }, () => new Date(0));
  expect([quotaOf("a").take(), quotaOf("a").take(), quotaOf("b").take()]).toEqual([0, 1, 0]);
});

it("forgets clients that rest before those that send", () => {
  let now = 0;
  const quotaOf = createRateLimits({ perSecond: 1, burst: 1 }, () => new Date(now));
  for (let i = 0; i < 9_999; i++) quotaOf(`${i}`).take();
  now = 1000;
  quotaOf("busy").take();
  for (let i = 0; i < 9_999; i++) quotaOf(`later ${i}`).take();
  expect(quotaOf("busy").take()).toBe(1);
});

it("counts nothing, and shows nothing, when it is off", () => {
  const quota = createRateLimits("off", () => new Date(0))("a");
  quota.charge(1_000_000);
  expect([quota.take(), quota.headers()]).toEqual([0, {}]);
});

it.each([
  [0, 0],
  [65_535, 0],
  [65_536, 1],
  [8 * 1024 * 1024, 128],
])("a body of %i bytes costs %i requests more", (bytes, cost) => {
  expect(costOfBytes(bytes)).toBe(cost);
});

it.each([
  [{ perSecond: 1, burst: 1 }, 0, "it may send 1 request a second, and 1 at once. Try again in 1 second."],
  [{ perSecond: 0.5, burst: 4 }, 4, "0.5 requests a second, and 4 at once. Try again in 4 seconds."],
  [{ perSecond: 100, burst: 1000 }, 1000, "100 requests a second, and 1000 at once. Try again in 1 second."],
])("a refusal says the limit and the wait: %o", (limit, cost, told) => {
  const quota = createRateLimits(limit, () => new Date(0))("a");
  quota.take();
  quota.charge(cost);
  expect(spentQuota(quota)?.problem.detail).toContain(told);
});
