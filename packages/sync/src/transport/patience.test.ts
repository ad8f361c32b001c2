import { describe, expect, it } from "vitest";
import { createPatience, poorest, uploadRate } from "./patience.ts";

describe("uploadRate", () => {
  it.each([
    ["a short body shows nothing", { bytes: 4_095, took: 60_000 }, 1, 1],
    [
      "a fast upload is expected to be as fast as the poorest network",
      { bytes: 100_000, took: 100 },
      1,
      poorest,
    ],
    ["a slow upload is expected at half its rate", { bytes: 60_000, took: 60_000 }, poorest, 0.5],
    ["an upload that ran out of time has twice as long", { bytes: 60_000, took: null }, poorest, 1],
    ["no upload is expected to be slower than 2 kbit/s", { bytes: 60_000, took: null }, 0.25, 0.25],
    ["a clock that was put back shows a fast upload", { bytes: 60_000, took: -5 }, 1, poorest],
  ])("%s", (_, upload, before, after) => {
    expect(uploadRate(before, upload)).toBe(after);
  });
});

describe("createPatience", () => {
  function story() {
    let now = 0;
    let timer: { readonly at: number; readonly run: () => void } | null = null;
    const overs: number[] = [];
    const timers = {
      set(delay: number, run: () => void) {
        const mine = { at: now + delay, run };
        timer = mine;
        return () => {
          if (timer === mine) timer = null;
        };
      },
    };
    const patience = createPatience(
      { timers, clock: () => new Date(now) },
      { upload: 50_000, silence: 30_000 },
      (waited) => overs.push(waited),
    );
    const pass = (milliseconds: number) => {
      now += milliseconds;
      if (timer && timer.at <= now) timer.run();
    };
    return { overs, patience, pass, now: () => now };
  }

  it.each([
    { when: "the upload and the answer's beginning take longer than both may", at: [80_000], over: [80_000] },
    { when: "no piece follows for as long as one may take", at: [79_000, 30_000], over: [30_000] },
    { when: "pieces come in time", at: [79_000, 29_000, 29_000, 29_000], over: [] },
  ])("ends an exchange only where $when", ({ at, over }) => {
    const { overs, patience, pass } = story();
    for (const [nth, time] of at.entries()) {
      pass(time);
      if (overs.length === 0 && nth < at.length) patience.progressed();
    }
    expect(overs).toEqual(over);
  });

  it("ends an answer that comes in drops", () => {
    const { overs, patience, pass, now } = story();
    while (overs.length === 0 && now() < 3_600_000) {
      pass(20_000);
      if (overs.length === 0) patience.progressed();
    }
    expect(now()).toBe(660_000);
  });
});
