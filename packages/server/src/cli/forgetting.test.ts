import { pino } from "pino";
import { expect, it } from "vitest";
import { type Forgetful, keepForgetting } from "./forgetting.ts";

/** A store with so much to forget, and what it was asked. */
function storeWith(answers: number, entries: number) {
  const left = { answers, entries };
  const asked: string[] = [];
  const some = (kind: keyof typeof left) => async () => {
    asked.push(kind);
    const taken = Math.min(200, left[kind]);
    left[kind] -= taken;
    return taken;
  };
  const registry: Forgetful = { forgetOldAnswers: some("answers"), forgetOldEntries: some("entries") };
  return { registry, left, asked };
}

const silent = pino({ enabled: false });

it("forgets everything that is due, with a rest after each commit", async () => {
  const { registry, left } = storeWith(450, 900);
  let rests = 0;
  const done = new Promise<void>((resolve) => {
    const forgetting = keepForgetting(registry, silent, async () => {
      rests += 1;
      if (rests === 8) forgetting.stop().then(resolve);
    });
  });
  await done;
  expect(left).toEqual({ answers: 0, entries: 0 });
});

it("leaves what is more than a pass may take to the next", async () => {
  const { registry, left } = storeWith(0, 1_000_000);
  const { promise, resolve } = withResolvers();
  let commits = 0;
  const forgetting = keepForgetting(registry, silent, async () => {
    commits += 1;
    if (commits === 500) resolve();
  });
  await promise;
  await forgetting.stop();
  expect(left.entries).toBe(1_000_000 - 500 * 200);
});

it("stops in a rest, and asks the store nothing more", async () => {
  const { registry, asked } = storeWith(0, 1_000_000);
  const { promise, resolve } = withResolvers();
  const forgetting = keepForgetting(registry, silent, () => {
    resolve();
    return new Promise(() => {});
  });
  await promise;
  await forgetting.stop();
  expect(asked).toEqual(["answers", "entries"]);
});

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
