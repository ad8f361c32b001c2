import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type EnginePlace, engineFault, engineMoves, enginePlace } from "./places.ts";
import { type EngineEvent, type EngineState, initialState, type RunResult, transition } from "./state.ts";

const moment = { now: 1_000_000, random: 0, pollInterval: 300_000, automatic: true };
const done: RunResult = { kind: "done", nextAt: null, refusal: null };
const memory: (EngineEvent & { kind: "started" })["state"] = {
  ...{ failures: 0, paused: false, asked: false, nextAttemptAt: null, lastSuccessAt: null, lastError: null },
  ...{ session: "valid", online: true },
};

const following: EngineState = { ...initialState, ...memory, started: true };
const resting: EngineState = { ...following, leading: true };
const pushing: EngineState = { ...resting, activity: "pushing" };
const states: Readonly<Record<EnginePlace, EngineState>> = {
  stopped: { ...following, started: false },
  ...{ following, resting, pushing },
  pulling: { ...pushing, activity: "pulling" },
};
const places = Object.keys(states) as EnginePlace[];
const moved = (state: EngineState, event: EngineEvent) => transition(state, event, moment);

interface Move {
  readonly from: EnginePlace;
  readonly by: EngineEvent;
  readonly to: EnginePlace;
  /** What else is so. */
  readonly where?: Partial<EngineState>;
}

const ended = { kind: "ended", result: done } as const;
const stuck = { kind: "watch", stalled: true } as const;
const lost = { kind: "lost" } as const;
const unread = { why: "unreadable", detail: "x", retryAfter: null } as const;
const unreadable = { kind: "ended", result: { kind: "stopped", stop: unread, moved: false } } as const;
const woken = { kind: "woken", eager: false } as const;
const moves: readonly Move[] = [
  { from: "stopped", by: ended, to: "stopped", where: { activity: "pulling" } },
  { from: "stopped", by: woken, to: "stopped" },
  { from: "stopped", by: { kind: "started", state: memory }, to: "following" },
  { from: "following", by: { kind: "stopped" }, to: "stopped" },
  { from: "following", by: { kind: "told", state: pushing }, to: "following" },
  { from: "following", by: { kind: "leading" }, to: "resting", where: { paused: true } },
  { from: "following", by: { kind: "leading" }, to: "pushing" },
  { from: "resting", by: { kind: "stopped" }, to: "stopped" },
  { from: "resting", by: { kind: "network", online: false }, to: "resting" },
  { from: "resting", by: lost, to: "following" },
  { from: "pushing", by: unreadable, to: "following" },
  { from: "pulling", by: lost, to: "following" },
  { from: "resting", by: woken, to: "resting", where: { session: "expired" } },
  { from: "resting", by: woken, to: "pushing" },
  { from: "pushing", by: { kind: "stopped" }, to: "stopped" },
  { from: "pushing", by: stuck, to: "following" },
  { from: "pushing", by: ended, to: "resting" },
  { from: "pushing", by: woken, to: "pushing" },
  { from: "pushing", by: ended, to: "pushing", where: { wanted: "eager" } },
  { from: "pushing", by: { kind: "activity", activity: "pulling" }, to: "pulling" },
  { from: "pulling", by: { kind: "stopped" }, to: "stopped" },
  { from: "pulling", by: stuck, to: "following" },
  { from: "pulling", by: ended, to: "resting" },
  { from: "pulling", by: ended, to: "pushing", where: { wanted: "due" } },
  { from: "pulling", by: { kind: "activity", activity: "pushing" }, to: "pushing" },
  { from: "pulling", by: { kind: "paused", paused: true }, to: "pulling" },
];

describe("the machine of the engine", () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(moves)("goes from $from to $to by $by.kind", ({ from, by, to, where }) => {
    expect(enginePlace(moved({ ...states[from], ...where }, by).state)).toBe(to);
  });

  it("has a case for each of its moves, and a word", () => {
    const told = places.flatMap((from) =>
      Object.entries(engineMoves[from]).map(([to, word]) => ({ way: `${from} ${to}`, word })),
    );
    expect(new Set(moves.map(({ from, to }) => `${from} ${to}`))).toEqual(
      new Set(told.map(({ way }) => way)),
    );
    expect(told.every(({ word }) => word !== "")).toBe(true);
  });

  it("knows no other way from one place to the next", () => {
    for (const from of places) {
      for (const to of places) {
        const fault = engineFault(states[from], { kind: "watch", stalled: false }, states[to]);
        expect(fault === null).toBe(engineMoves[from][to] !== undefined);
      }
    }
  });

  const strays: readonly (readonly [EnginePlace, EngineEvent])[] = [
    ["following", { kind: "started", state: memory }],
    ["resting", { kind: "leading" }],
    ["stopped", { kind: "leading" }],
    ["following", lost],
    ["resting", { kind: "activity", activity: "pulling" }],
    ["resting", ended],
    ["following", ended],
  ];

  it.each(strays)("that is %s takes no such event: %o", (place, event) => {
    expect(() => moved(states[place], event)).toThrow(
      `"${event.kind}" was told to an engine that is ${place}.`,
    );
  });

  it.each(strays)("that is %s stays as it was on a tablet, and tells of it: %o", (place, event) => {
    vi.stubEnv("NODE_ENV", "production");
    const { state, effects } = moved(states[place], event);
    expect({ ...state, lastError: null }).toEqual(states[place]);
    expect(state.lastError).toContain(`engine that is ${place}. This is a fault of the app`);
    expect(effects).toEqual([]);
  });

  it("meets no fault, and always runs, or waits for a time or for somebody, whatever comes in whatever order", () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 60 }), (told) => {
        const host = { state: initialState, armed: false, runs: 0 };
        for (const each of told) tellHost(host, each);
        const { started, leading, session, paused, activity } = host.state;
        const waits = !started || !leading || session !== "valid" || paused;
        expect(waits || (activity !== "none" && host.runs === 1) || host.armed).toBe(true);
        expect(host.runs).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});

const stops = fc.record({
  why: fc.constantFrom("network", "unavailable", "sign-in", "store", "unreadable", "here" as const),
  detail: fc.constant("x"),
  retryAfter: fc.constantFrom(null, 0, 5_000, 3_600_000),
});
const results: fc.Arbitrary<RunResult> = fc.oneof(
  fc.record({ kind: fc.constant("stopped" as const), stop: stops, moved: fc.boolean() }),
  fc.record({
    kind: fc.constant("done" as const),
    nextAt: fc.constantFrom(null, 0, moment.now + 10_000),
    refusal: fc.constantFrom(null, "x"),
  }),
);
const anything: fc.Arbitrary<EngineEvent> = fc.oneof(
  fc.constantFrom<EngineEvent>(
    { kind: "started", state: memory },
    { kind: "started", state: { ...memory, paused: true, failures: 3, nextAttemptAt: moment.now + 1e12 } },
    { kind: "leading" },
    lost,
    { kind: "stopped" },
    { kind: "tick" },
    { kind: "woken", eager: true },
    woken,
    stuck,
    { kind: "watch", stalled: false },
    { kind: "network", online: false },
    { kind: "network", online: true },
    { kind: "paused", paused: true },
    { kind: "paused", paused: false },
    { kind: "session", session: "expired" },
    { kind: "session", session: "valid" },
    { kind: "store", durable: false, fault: "no-space" },
    { kind: "told", state: pushing },
    { kind: "activity", activity: "pulling" },
    { kind: "activity", activity: "pushing" },
  ),
  results.map((result): EngineEvent => ({ kind: "ended", result })),
);

interface Host {
  state: EngineState;
  armed: boolean;
  /** Runs under way that are still listened to. */
  runs: number;
}

/** What can happen at all: an engine starts once at a time, only one that follows gets the lead, and only a run speaks of itself. */
function tellHost(host: Host, event: EngineEvent): void {
  const place = enginePlace(host.state);
  const able: Partial<Record<EngineEvent["kind"], boolean>> = {
    started: place === "stopped" && host.runs === 0,
    leading: place === "following",
    lost: host.state.leading,
    stopped: place !== "stopped",
    tick: host.armed,
    activity: host.runs > 0,
    ended: host.runs > 0,
  };
  if (able[event.kind] === false) return;
  if (event.kind === "tick") host.armed = false;
  if (event.kind === "ended") host.runs -= 1;
  const { state, effects } = transition(host.state, event, moment);
  host.state = state;
  for (const effect of effects) {
    if (effect.kind === "arm") host.armed = effect.at !== null;
    if (effect.kind === "run") host.runs += 1;
    if (effect.kind === "abandon") host.runs = 0;
  }
}
