import { describe, expect, it } from "vitest";
import { createBudget, createLongTexts } from "./budget.ts";

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

describe("long texts", () => {
  const megabyte = 1024 * 1024;
  const rests: (() => void)[] = [];
  const queue = () => createLongTexts(() => new Promise((resolve) => void rests.push(resolve)));
  const request = (longTexts: ReturnType<typeof queue>) =>
    createBudget({ ...limits, elapsed: () => 0, longTexts });
  /** Whether the promise is resolved by now, all else being done. */
  const isDone = (promise: Promise<unknown>) =>
    Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(() => resolve(false)))]);

  it("are handled by one request at a time, with a rest between two", async () => {
    const longTexts = queue();
    const [first, second, third] = [request(longTexts), request(longTexts), request(longTexts)];
    await first.handle(megabyte);
    await first.handle(megabyte);
    const [later, last] = [second.handle(megabyte), third.handle(megabyte)];
    expect(await isDone(later)).toBe(false);
    first.close();
    expect(await isDone(later)).toBe(false);
    rests.shift()?.();
    expect(await isDone(later)).toBe(true);
    expect(await isDone(last)).toBe(false);
    second.close();
    rests.shift()?.();
    expect(await isDone(last)).toBe(true);
    third.close();
    rests.shift()?.();
    expect(await isDone(request(longTexts).handle(megabyte))).toBe(true);
  });

  it("are handled side by side within one request", async () => {
    const longTexts = queue();
    const [first, second] = [request(longTexts), request(longTexts)];
    expect(await isDone(Promise.all([first.handle(megabyte), first.handle(megabyte)]))).toBe(true);
    const later = second.handle(megabyte);
    first.close();
    await new Promise(setImmediate);
    rests.shift()?.();
    expect(await isDone(later)).toBe(true);
  });

  it("let go of a turn that comes after the request has ended", async () => {
    const longTexts = queue();
    const [first, gone, last] = [request(longTexts), request(longTexts), request(longTexts)];
    await first.handle(megabyte);
    void gone.handle(megabyte);
    const later = last.handle(megabyte);
    gone.close();
    first.close();
    for (let rest = 0; rest < 2; rest++) {
      await new Promise(setImmediate);
      rests.shift()?.();
    }
    expect(await isDone(later)).toBe(true);
  });

  it("keep no short one waiting", async () => {
    const longTexts = queue();
    await request(longTexts).handle(megabyte);
    expect(await isDone(request(longTexts).handle(1000))).toBe(true);
  });

  it("are refused where too many wait", async () => {
    const longTexts = queue();
    await request(longTexts).handle(megabyte);
    const waiting = Array.from({ length: 16 }, () => request(longTexts).handle(megabyte));
    await expect(request(longTexts).handle(megabyte)).rejects.toMatchObject({
      problem: { kind: "too-many-requests", rateLimit: { seconds: 5 } },
    });
    expect(await isDone(Promise.race(waiting))).toBe(false);
  });
});
