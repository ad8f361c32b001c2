import { describe, expect, it } from "vitest";
import { createBudget } from "./budget.ts";

const limits = { records: 10, bytes: 100, milliseconds: 50 };

describe("a budget", () => {
  it.each([
    ["records", (now: { at: number }) => [10, 0, now] as const],
    ["bytes", (now: { at: number }) => [0, 100, now] as const],
    ["time", (now: { at: number }) => [0, 0, Object.assign(now, { at: 50 })] as const],
  ])("is spent when its %s are", (_what, spend) => {
    const now = { at: 0 };
    const budget = createBudget({ ...limits, elapsed: () => now.at });
    budget.spendRecords(9);
    budget.spendBytes(99);
    now.at = 49;
    expect(budget.isSpent()).toBe(false);
    const [records, bytes] = spend(now);
    budget.spendRecords(records);
    budget.spendBytes(bytes);
    expect(budget.isSpent()).toBe(true);
    expect(budget.recordsLeft()).toBeGreaterThanOrEqual(0);
    expect(budget.bytesLeft()).toBeGreaterThanOrEqual(0);
  });

  it("is spent when its caller is gone", () => {
    const signal = { aborted: false };
    const budget = createBudget({ ...limits, elapsed: () => 0, signal });
    expect([budget.isSpent(), budget.recordsLeft()]).toEqual([false, 10]);
    signal.aborted = true;
    expect([budget.isSpent(), budget.recordsLeft()]).toEqual([true, 0]);
  });

  it("lets others have their turn after ten milliseconds of work, and does not count their time", async () => {
    let now = 0;
    let turns = 0;
    const turn = async () => {
      turns += 1;
      now += 1000;
    };
    const budget = createBudget({ ...limits, elapsed: () => now, turn });
    now = 9;
    await budget.pause();
    expect(turns).toBe(0);
    now = 10;
    await budget.pause();
    await budget.pause();
    expect([turns, budget.isSpent()]).toEqual([1, false]);
    now = 1049;
    expect(budget.isSpent()).toBe(false);
    now = 1050;
    expect(budget.isSpent()).toBe(true);
  });
});
