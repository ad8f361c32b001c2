import { expect, it } from "vitest";
import { createFailedAttempts, type FailedAttempts } from "./failed-attempts.ts";

function attemptsAt(clock: { now: number }) {
  return createFailedAttempts({ clock: () => new Date(clock.now), most: 3, windowSeconds: 60 });
}

const fails = async () => undefined;
const succeeds = async () => "in";
const failed = { tried: true, result: undefined };

async function failTimes(attempts: FailedAttempts, key: string, times: number) {
  for (let i = 0; i < times; i++) expect(await attempts.attempt(key, fails)).toEqual(failed);
}

it("lets a key go on until it has failed as often as allowed", async () => {
  const attempts = attemptsAt({ now: 0 });
  await failTimes(attempts, "a", 2);
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: true, result: "in" });
  await failTimes(attempts, "a", 1);
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: false, secondsToWait: 60 });
});

it("keeps keys apart", async () => {
  const attempts = attemptsAt({ now: 0 });
  await failTimes(attempts, "a", 3);
  expect(await attempts.attempt("b", succeeds)).toEqual({ tried: true, result: "in" });
});

it("opens again when the oldest failure leaves the window", async () => {
  const clock = { now: 0 };
  const attempts = attemptsAt(clock);
  await failTimes(attempts, "a", 1);
  clock.now = 20_000;
  await failTimes(attempts, "a", 2);
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: false, secondsToWait: 40 });
  clock.now = 59_999;
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: false, secondsToWait: 1 });
  clock.now = 60_000;
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: true, result: "in" });
});

/** Attempts that end only when told to. */
function heldAttempts<T>(result: T) {
  const held: (() => void)[] = [];
  const run = () => new Promise<T>((resolve) => held.push(() => resolve(result)));
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const releaseAll = async () => {
    await turn();
    while (held.length > 0) {
      for (const release of held.splice(0)) release();
      await turn();
    }
  };
  return { held, run, turn, releaseAll };
}

it("runs no more failing attempts at once than may fail", async () => {
  const attempts = attemptsAt({ now: 0 });
  const { held, run, turn, releaseAll } = heldAttempts(undefined);
  const all = Array.from({ length: 40 }, () => attempts.attempt("a", run));
  await turn();
  expect(held).toHaveLength(3);
  await releaseAll();
  const tried = (await Promise.all(all)).map((attempted) => attempted.tried);
  expect(tried.filter(Boolean)).toHaveLength(3);
});

it("lets all of many simultaneous attempts succeed, some at a time", async () => {
  const attempts = attemptsAt({ now: 0 });
  const { held, run, turn, releaseAll } = heldAttempts("in");
  const all = Array.from({ length: 40 }, () => attempts.attempt("a", run));
  await turn();
  expect(held).toHaveLength(3);
  await releaseAll();
  for (const attempted of await Promise.all(all)) expect(attempted).toEqual({ tried: true, result: "in" });
});

it("does not count an attempt that rejects", async () => {
  const attempts = attemptsAt({ now: 0 });
  const breaks = async () => {
    throw new Error("no answer");
  };
  for (let i = 0; i < 5; i++) await expect(attempts.attempt("a", breaks)).rejects.toThrow("no answer");
  expect(await attempts.attempt("a", succeeds)).toEqual({ tried: true, result: "in" });
});
