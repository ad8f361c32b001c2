import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { safeModeService } from "./browser/safe-mode.ts";
import { createSignal } from "./client/signal.ts";
import { rereadOn } from "./react/reading.ts";
import { createNews } from "./service/news.ts";
import type { SyncStatus } from "./status-types.ts";

/** Something that listeners hear of, and a way to make it tell something new. */
interface Told {
  readonly subscribe: (listener: () => void) => unknown;
  readonly tell: () => Promise<unknown> | void;
}

function signal(): Told {
  const { observable, set } = createSignal(0);
  return { subscribe: observable.subscribe, tell: () => set(observable.current + 1) };
}

function reading(): Told {
  const changed = createSignal(0);
  const read = rereadOn(changed.observable, async () => ({ ok: true, value: changed.observable.current }));
  return { subscribe: read.subscribe, tell: () => changed.set(changed.observable.current + 1) };
}

function news(): Told {
  let ids = 0;
  const made = createNews({
    readStatus: async () => ({ phase: "idle" }) as SyncStatus,
    timers: { set: () => () => undefined },
    newId: () => String(++ids),
  });
  return { subscribe: made.subscribe, tell: made.recordsChanged };
}

function safeMode(): Told {
  const { subscribe } = safeModeService("no-space", "The store can't be opened.");
  return { subscribe, tell: () => undefined };
}

const mistake = new Error("a mistake in the app");

describe("a listener that throws", () => {
  /** What would be reported as uncaught: run for real, it would end the test. */
  let late: (() => void)[] = [];
  beforeEach(() => {
    late = [];
    vi.stubGlobal("queueMicrotask", (run: () => void) => late.push(run));
  });
  afterEach(() => vi.unstubAllGlobals());

  it.each([
    ["a status of a client", signal],
    ["what a hook reads", reading],
    ["the news of a service", news],
    ["the news of a service in safe mode", safeMode],
  ])("of %s fails by itself: others are told, and whoever tells goes on", async (_, make) => {
    const { subscribe, tell } = make();
    await subscribe(() => {
      throw mistake;
    });
    let heard = 0;
    await subscribe(() => heard++);
    await tell();
    await expect.poll(() => heard).toBeGreaterThan(0);
    expect(late.length).toBeGreaterThan(0);
    for (const run of late) expect(run).toThrow(mistake);
  });
});

describe("what is no listener", () => {
  const refusal = new TypeError("subscribe: the listener must be a function that takes what is told.");
  it.each([[undefined], [null], [{}], ["idle"]])("is refused with words: %j", async (given) => {
    expect(() => createSignal(0).observable.subscribe(given as never)).toThrow(refusal);
    await expect(news().subscribe(given as never)).rejects.toThrow(refusal);
  });
});
