import { describe, expect, it } from "vitest";
import {
  type EngineEvent,
  type EngineState,
  initialState,
  phaseOf,
  type RunResult,
  transition,
} from "./state.ts";

const minute = 60_000;
const moment = { now: 1_000_000, random: 0, pollInterval: 5 * minute, automatic: true };
const ready: EngineState = { ...initialState, started: true, leading: true, session: "valid" };
const busy: EngineState = { ...ready, activity: "pushing" };
const done: RunResult = { kind: "done", nextAt: null, refusal: null };
const stopped = (
  why: "network" | "unavailable" | "sign-in" | "store",
  retryAfter: number | null = null,
): RunResult => ({
  kind: "stopped",
  stop: { why, detail: "x", retryAfter },
  moved: false,
});

function after(state: EngineState, ...events: readonly EngineEvent[]) {
  let current = state;
  let effects: ReturnType<typeof transition>["effects"] = [];
  for (const event of events) ({ state: current, effects } = transition(current, event, moment));
  return { state: current, effects, phase: phaseOf(current) };
}

const run = (eager: boolean) => ({ kind: "run", eager });
const arm = (delay: number | null) => ({ kind: "arm", at: delay === null ? null : moment.now + delay });

describe("transition", () => {
  it("tries again soon, however often it was stopped before, where something got through", () => {
    const again = [{ kind: "ended", result: stopped("network") }, { kind: "tick" }] as const;
    const late = after(busy, ...Array.from({ length: 8 }, () => again).flat()).state;
    expect(late.nextAttemptAt).toBe(moment.now + 128_000);
    const moved = { ...stopped("network"), moved: true } as RunResult;
    expect(after(late, { kind: "ended", result: moved }).state).toMatchObject({
      failures: 1,
      nextAttemptAt: moment.now + 1_000,
    });
  });

  it("tells what a run met of the network, until one ends well or somebody signs in", () => {
    const stop = { why: "unavailable", detail: "x", retryAfter: null, network: "captive-portal" } as const;
    const met = after(busy, { kind: "ended", result: { kind: "stopped", stop, moved: false } }).state;
    expect(met.network).toBe("captive-portal");
    expect(after({ ...met, activity: "pulling" }, { kind: "ended", result: done }).state.network).toBeNull();
    expect(after(met, { kind: "session", session: "valid" }).state.network).toBeNull();
    expect(after(met, { kind: "met", network: null }).state.network).toBeNull();
    const elsewhere = after({ ...met, activity: "pushing" }, { kind: "ended", result: stopped("store") });
    expect(elsewhere.state.network).toBeNull();
  });

  it("runs when it takes the lead", () => {
    expect(after({ ...ready, leading: false, wanted: "due" }, { kind: "leading" }).effects).toEqual([
      run(false),
    ]);
  });

  it("runs when an edit was made, and once more when another was made meanwhile", () => {
    const first = after(ready, { kind: "woken", eager: false });
    expect(first).toMatchObject({ effects: [run(false)], phase: "pushing" });
    const second = after(first.state, { kind: "woken", eager: false });
    expect(second.effects).toEqual([]);
    expect(after(second.state, { kind: "ended", result: done }).effects).toContainEqual(run(false));
  });

  it("always has a time for its next look, at most the interval away", () => {
    expect(after(busy, { kind: "ended", result: done }).effects).toEqual([
      { kind: "remember" },
      arm(5 * minute),
    ]);
    const due = { ...done, nextAt: moment.now + 3_000 };
    expect(after(busy, { kind: "ended", result: due }).effects).toContainEqual(arm(3_000));
  });

  it("looks again within the interval also when the clock was put back while it waited", () => {
    const failed = after(busy, { kind: "ended", result: stopped("network") }).state;
    const earlier = { ...moment, now: moment.now - 10 * 24 * 60 * minute };
    const { effects } = transition(failed, { kind: "watch", stalled: false }, earlier);
    expect(effects).toEqual([{ kind: "arm", at: earlier.now + 5 * minute }]);
  });

  it("never spins on work that can't be finished", () => {
    expect(after(busy, { kind: "ended", result: { ...done, nextAt: 0 } }).effects).toContainEqual(arm(1_000));
  });

  it("waits longer after each failure, and an edit does not cut that short", () => {
    const failed = after({ ...busy, failures: 3 }, { kind: "ended", result: stopped("network") });
    expect(failed).toMatchObject({ effects: [{ kind: "remember" }, arm(8_000)], phase: "waiting" });
    expect(after(failed.state, { kind: "woken", eager: false }).effects).toEqual([arm(8_000)]);
  });

  it("does as a person says at once", () => {
    const failed = after(busy, { kind: "ended", result: stopped("unavailable", 60 * minute) });
    expect(failed.effects).toContainEqual(arm(60 * minute));
    expect(after(failed.state, { kind: "woken", eager: true }).effects).toEqual([run(true)]);
  });

  it("forgets its own delay when the network is back, and keeps to the server's", () => {
    const own = after({ ...busy, online: false }, { kind: "ended", result: stopped("network") });
    expect(after(own.state, { kind: "network", online: true }).effects).toEqual([run(false)]);
    const asked = after({ ...busy, online: false }, { kind: "ended", result: stopped("unavailable", 9_000) });
    expect(after(asked.state, { kind: "network", online: true }).effects).toEqual([arm(9_000)]);
  });

  it("does not wait for a time that the server asked for on a clock that was put back since", () => {
    const later = { ...ready, failures: 1, asked: true, nextAttemptAt: moment.now + 20 * 24 * 60 * minute };
    expect(after(later, { kind: "session", session: "valid" }).effects).toContainEqual(run(false));
    const soon = { ...later, nextAttemptAt: moment.now + minute };
    expect(after(soon, { kind: "session", session: "valid" }).effects).toEqual([arm(minute)]);
  });

  it("keeps to the server's delay after a restart, unless the clock was put back", () => {
    const memory = {
      failures: 1,
      paused: false,
      asked: true,
      lastSuccessAt: null,
      lastError: null,
      session: "valid",
      online: true,
    } as const;
    const stopped = { ...ready, started: false, leading: false };
    const soon = { ...memory, nextAttemptAt: moment.now + 9_000 };
    const starting = (state: typeof soon) => after(stopped, { kind: "started", state }, { kind: "leading" });
    expect(starting(soon).effects).toEqual([arm(9_000)]);
    const far = { ...memory, nextAttemptAt: moment.now + 3 * 24 * 60 * minute };
    expect(starting(far).effects).toEqual([run(false)]);
    const hours = { ...memory, nextAttemptAt: moment.now + 14 * 60 * minute };
    expect(starting(hours).effects).toEqual([arm(14 * 60 * minute)]);
    const longer = { ...hours, askedFor: 2 * minute };
    expect(starting(longer).effects).toEqual([run(false)]);
  });

  it("waits for the network while the host says there is none, and tries now and then anyway", () => {
    const offline = after(ready, { kind: "network", online: false }, { kind: "woken", eager: false });
    expect(offline).toMatchObject({ effects: [arm(5 * minute)], phase: "offline" });
    expect(after(offline.state, { kind: "tick" }).effects).toEqual([run(false)]);
  });

  it("waits for a sign-in when the server asks for one, and runs after it", () => {
    const expired = after(busy, { kind: "ended", result: stopped("sign-in") });
    expect(expired).toMatchObject({ effects: [{ kind: "remember" }, arm(null)], phase: "signed-out" });
    expect(after(expired.state, { kind: "session", session: "valid" }).effects).toEqual([run(false)]);
  });

  it("leaves the running to another while it does not lead", () => {
    expect(after({ ...ready, leading: false }, { kind: "woken", eager: true }).effects).toEqual([arm(null)]);
  });

  it("says that edits can't be kept when the store is full, and goes on sending", () => {
    const full = after(busy, { kind: "ended", result: stopped("store") });
    expect(full).toMatchObject({ phase: "safe-mode" });
    expect(full.effects).toContainEqual(arm(1_000));
    expect(after(full.state, { kind: "store", durable: true }).phase).toBe("waiting");
  });

  it("does nothing in a pause, whoever asks, and what was asked for when it ends", () => {
    const paused = after(ready, { kind: "paused", paused: true });
    expect(paused).toMatchObject({ effects: [{ kind: "remember" }, arm(null)], phase: "paused" });
    for (const event of [
      { kind: "tick" },
      { kind: "woken", eager: true },
      { kind: "network", online: true },
    ] as const) {
      expect(after(paused.state, event)).toMatchObject({ effects: [arm(null)], phase: "paused" });
    }
    const resumed = after(paused.state, { kind: "woken", eager: true }, { kind: "paused", paused: false });
    expect(resumed.effects).toEqual([{ kind: "remember" }, run(true)]);
  });

  it("stays paused when it starts or takes the lead", () => {
    const memory = { ...ready, started: false, leading: false, paused: true } as const;
    const started = after({ ...initialState }, { kind: "started", state: memory }, { kind: "leading" });
    expect(started).toMatchObject({ effects: [arm(null)], phase: "paused" });
  });

  it("keeps to the server's delay through a pause", () => {
    const asked = after(busy, { kind: "ended", result: stopped("unavailable", 9_000) });
    const resumed = after(asked.state, { kind: "paused", paused: true }, { kind: "paused", paused: false });
    expect(resumed.effects).toContainEqual(arm(9_000));
  });

  it("believes no delay of a clock that was put back since, whoever set it", () => {
    for (const asks of [null, 9_000]) {
      const failed = after(busy, { kind: "ended", result: stopped("unavailable", asks) });
      const before = { ...moment, now: moment.now - 1_000_000 };
      expect(transition(failed.state, { kind: "woken", eager: false }, moment).effects).toEqual([
        arm(asks ?? 1_000),
      ]);
      expect(transition(failed.state, { kind: "woken", eager: false }, before).effects).toEqual([run(false)]);
    }
  });

  it("sets its timer anew at each look, and starts what a lost timer missed", () => {
    const idle = after(busy, { kind: "ended", result: done });
    expect(after(idle.state, { kind: "watch", stalled: true }).effects).toEqual([arm(5 * minute)]);
    const late = { ...moment, now: moment.now + 9 * minute };
    const { effects } = transition(idle.state, { kind: "watch", stalled: false }, late);
    expect(effects).toEqual([{ kind: "arm", at: moment.now + 5 * minute }]);
  });

  it("gives up a run that got stuck, and gives the lead to another, who runs at once", () => {
    expect(after(busy, { kind: "watch", stalled: false }).effects).toEqual([]);
    const following = after({ ...busy, leading: false }, { kind: "watch", stalled: true });
    expect(following.effects).toEqual([arm(null)]);
    const stuck = after(busy, { kind: "watch", stalled: true });
    expect(stuck.effects).toEqual([{ kind: "abandon" }, arm(null)]);
    expect(stuck.state).toMatchObject({ leading: false, failures: 1, activity: "none" });
    expect(stuck.state.lastError).toMatch(/got stuck/);
    expect(after(stuck.state, { kind: "leading" }).effects).toEqual([run(false)]);
  });

  it("runs by itself only when it is told to", () => {
    const manual = { ...moment, automatic: false };
    expect(transition(ready, { kind: "woken", eager: false }, manual).effects).toEqual([
      { kind: "arm", at: null },
    ]);
    expect(transition(ready, { kind: "woken", eager: true }, manual).effects).toEqual([run(true)]);
  });
});
