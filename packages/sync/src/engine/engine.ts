import { type Json, type Store, StoreError } from "@fieldroll/core";
import { readState, stateDocument } from "../device/documents.ts";
import type { HostPorts } from "../ports.ts";
import type { Api } from "../transport/api.ts";
import type { Session } from "../transport/session.ts";
import type { SyncContext } from "./context.ts";
import { pull } from "./pull.ts";
import { push } from "./push.ts";
import {
  type EngineEffect,
  type EngineEvent,
  type EngineState,
  initialState,
  type Remembered,
  type RunResult,
  transition,
} from "./state.ts";

/** Runs the decisions of {@link transition}: the only part of the engine that waits, sends and writes. */
export interface Engine {
  /** Starts competing for the lead. Resolves when the engine knows what it remembered. */
  start(): Promise<void>;
  readonly state: EngineState;
  /** Tells the engine of something; it decides what follows. */
  tell(event: EngineEvent): void;
  /** Resolves when a run that began after this call has ended, or can't be. */
  runNow(): Promise<void>;
  /** Ends all waiting for runs: another engine ran them. */
  releaseWaiting(): void;
  /** Lets a run that is under way end, gives the lead back and stops. */
  stop(): Promise<void>;
}

export interface EngineOptions extends Pick<HostPorts, "clock" | "random" | "newId" | "timers" | "lock"> {
  readonly store: Store;
  readonly api: Api;
  readonly session: Session;
  readonly feeds: readonly string[];
  readonly automatic: boolean;
  readonly pollInterval: number;
  readonly online: () => boolean;
  /** Called after every change of the engine's state. */
  readonly changed: () => void;
  /** Called when records on the device changed. */
  readonly landed: () => void;
  /** Called with the state of an engine that leads, for those that follow. */
  readonly share: (state: EngineState) => void;
  /** Called when a run ended. */
  readonly ran: () => void;
}

/** Makes an engine. A new one on the same store goes on where another was killed: everything it needs is there. */
export function createEngine(options: EngineOptions): Engine {
  let state = initialState;
  let cancelTimer: () => void = () => undefined;
  let giveBack: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();
  let remembering: Promise<void> = Promise.resolve();
  const waiting = createWaiters();

  function tell(event: EngineEvent): void {
    const now = options.clock().getTime();
    const { pollInterval, automatic } = options;
    const next = transition(state, event, { now, random: options.random(), pollInterval, automatic });
    const before = state;
    state = next.state;
    for (const effect of next.effects) perform(effect, now);
    if (!state.started || state.session !== "valid") waiting.take()();
    if (state.leading && state !== before) options.share(state);
    options.changed();
  }

  function perform(effect: EngineEffect, now: number): void {
    switch (effect.kind) {
      case "arm":
        cancelTimer();
        if (effect.at !== null) {
          cancelTimer = options.timers.set(Math.max(0, effect.at - now), () => tell({ kind: "tick" }));
        }
        return;
      case "remember":
        remembering = remembering.then(() => remember(options.store, state)).catch(() => undefined);
        return;
      case "run": {
        cancelTimer();
        const release = waiting.take();
        running = running
          .then(() =>
            runOnce({ ...options, lastSuccessAt: () => state.lastSuccessAt }, { eager: effect.eager, tell }),
          )
          .then((result) => tell({ kind: "ended", result }))
          .then(() => remembering)
          .finally(() => {
            release();
            options.ran();
          });
      }
    }
  }

  return {
    get state() {
      return state;
    },
    tell,
    releaseWaiting: () => waiting.take()(),
    async start() {
      tell({ kind: "started", state: await startingState(options) });
      void options.lock.acquire().then((release) => {
        if (!state.started) return release();
        giveBack = release;
        tell({ kind: "leading" });
      });
    },
    runNow() {
      const ran = waiting.add();
      tell({ kind: "woken", eager: true });
      return ran;
    },
    async stop() {
      tell({ kind: "stopped" });
      cancelTimer();
      await running.catch(() => undefined);
      await remembering;
      giveBack();
    },
  };
}

/** Those who wait for a run to end. */
function createWaiters() {
  let waiting: (() => void)[] = [];
  return {
    add: () => new Promise<void>((resolve) => waiting.push(resolve)),
    /** Takes those who wait now; the answer lets them go. */
    take() {
      const taken = waiting;
      waiting = [];
      return () => {
        for (const done of taken) done();
      };
    },
  };
}

/** One run: send until nothing runnable is left, read up to the head, and send what the reading freed. */
async function runOnce(
  options: EngineOptions & SyncContext,
  run: { readonly eager: boolean; readonly tell: (event: EngineEvent) => void },
): Promise<RunResult> {
  const context = options;
  try {
    const first = await push(context, run);
    if (first.stop) return { kind: "stopped", stop: first.stop };
    run.tell({ kind: "activity", activity: "pulling" });
    const between = async () => (await push(context, { eager: false })).stop;
    const pulled = await pull(context, options.feeds, { landed: options.landed, between });
    if (pulled.stop) return { kind: "stopped", stop: pulled.stop };
    run.tell({ kind: "activity", activity: "pushing" });
    const second = await push(context, { eager: false });
    if (second.stop) return { kind: "stopped", stop: second.stop };
    const nextAt = second.nextAt === null ? null : Date.parse(second.nextAt);
    return { kind: "done", nextAt, refusal: pulled.refusal };
  } catch (error) {
    return { kind: "stopped", stop: stopOfError(error) };
  }
}

/** A full store refuses edits until there is room; whatever else went wrong is tried again. */
function stopOfError(error: unknown) {
  const full = error instanceof StoreError && error.code === "quota";
  const detail = error instanceof Error ? error.message : String(error);
  return { why: full ? ("store" as const) : ("unavailable" as const), detail, retryAfter: null };
}

async function startingState({ store, session, online }: EngineOptions) {
  const [signedIn, remembered] = await Promise.all([session.current(), recall(store)]);
  return { ...remembered, session: signedIn ? ("valid" as const) : ("none" as const), online: online() };
}

const engineKey = "engine";

async function recall(store: Store): Promise<Remembered> {
  const found = await readState(store, engineKey);
  const fresh = { nextAttemptAt: null, asked: false, lastSuccessAt: null, lastError: null, failures: 0 };
  return found ? { ...fresh, ...(found.body as unknown as Remembered) } : fresh;
}

async function remember(store: Store, state: EngineState): Promise<void> {
  const { nextAttemptAt, asked, lastSuccessAt, lastError, failures } = state;
  const found = await readState(store, engineKey);
  const body: Json = { nextAttemptAt, asked, lastSuccessAt, lastError, failures };
  await store.commit({ put: [stateDocument(engineKey, found, body)], durability: "relaxed" });
}
