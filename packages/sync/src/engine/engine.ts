import type { Store } from "@fieldroll/core";
import type { HostPorts } from "../ports.ts";
import type { Api } from "../transport/api.ts";
import type { Send, Session } from "../transport/session.ts";
import { createAlarm } from "./alarm.ts";
import type { SyncContext } from "./context.ts";
import { createLead, type LeadOptions } from "./lead.ts";
import { createMemory, startingState } from "./memory.ts";
import { createRunner } from "./runner.ts";
import {
  type EngineEffect,
  type EngineEvent,
  type EngineState,
  initialState,
  type Moment,
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
  /** Resolves when what survives a restart is written down. */
  settled(): Promise<void>;
  /** Says that this one is there, if it leads. */
  answer(): void;
  /** Ends all waiting for runs: another engine ran them. */
  releaseWaiting(): void;
  /**
   * Lets a run that is under way end, gives the lead back and stops.
   *
   * @param last called before another may have the lead, with whether this one has it
   */
  stop(last: (leads: boolean) => Promise<void>): Promise<void>;
}

export interface EngineOptions
  extends LeadOptions,
    Pick<HostPorts, "clock" | "random" | "newId">,
    Pick<SyncContext, "told" | "giveWay"> {
  readonly store: Store;
  /** The API as one run asks it. */
  readonly api: (send: Send) => Api;
  readonly session: Session;
  /** What this device keeps a copy of by now. */
  readonly feeds: () => Promise<readonly string[]>;
  readonly automatic: boolean;
  readonly pollInterval: number;
  readonly online: () => boolean;
  /** Whether photos are to be sent now. */
  readonly photos: () => boolean;
  /** Called after every change of the engine's state, and of what else the status shows. */
  readonly changed: () => void;
  /** Called when records on the device changed. */
  readonly landed: () => void;
  /** Brings back what is put away of the person who is signed in, unless its record has other unsent work. @returns how many records */
  readonly reclaim: () => Promise<number>;
  /** Called when a run ended. */
  readonly ran: () => void;
}

/** Time between two looks whether the engine still goes on, in milliseconds; never less. */
const leastWatch = 60_000;

/** Makes an engine. A new one on the same store goes on where another was killed: everything it needs is there. */
export function createEngine(options: EngineOptions): Engine {
  let state = initialState;
  const alarm = createAlarm(options.timers);
  const watch = createAlarm(options.timers);
  const waiting = createWaiters();
  const memory = createMemory(options.store, options.session);
  const runner = createRunner(options, { state: () => state, tell, settled: memory.settled });
  const lead = createLead(options, { state: () => state, tell });

  function tell(event: EngineEvent): void {
    const now = options.clock().getTime();
    const next = transition(state, event, momentOf(options, now));
    const before = state;
    state = next.state;
    for (const effect of next.effects) perform(effect, now);
    if (!state.started || state.paused || state.session !== "valid") waiting.take()();
    lead.met(event);
    if (state === before) return;
    if (state.leading) options.share(state);
    options.changed();
  }

  function perform(effect: EngineEffect, now: number): void {
    switch (effect.kind) {
      case "arm":
        alarm.set(effect.at === null ? null : effect.at - now, () => tell({ kind: "tick" }));
        return;
      case "remember":
        memory.remember(() => state);
        return;
      case "abandon":
        runner.abandon();
        lead.competeAnew();
        return;
      case "pass on":
        lead.passOn();
        return;
      case "run":
        alarm.clear();
        runner.run(effect.eager, waiting.take());
    }
  }

  function look(): void {
    tell({ kind: "watch", stalled: runner.isStalled() });
    watch.set(Math.max(options.pollInterval, leastWatch), look);
  }

  return {
    get state() {
      return state;
    },
    ...{ tell, settled: memory.settled, answer: lead.answer },
    releaseWaiting: () => waiting.take()(),
    async start() {
      tell({ kind: "started", state: await startingState(options) });
      lead.compete();
      look();
    },
    runNow() {
      const ran = waiting.add();
      tell({ kind: "woken", eager: true });
      return ran;
    },
    async stop(last) {
      const { leading } = state;
      tell({ kind: "stopped" });
      for (const timer of [alarm, watch]) timer.clear();
      await runner.ended();
      await memory.settled();
      await last(leading);
      lead.giveBack();
    },
  };
}

function momentOf({ random, pollInterval, automatic, session }: EngineOptions, now: number): Moment {
  return { now, random: random(), pollInterval, automatic, heard: session.heard() };
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
