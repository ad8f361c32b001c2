import type { HostPorts } from "../ports.ts";
import { createAlarm } from "./alarm.ts";
import { type EngineEvent, type EngineState, shortestPause } from "./state.ts";

/** The lead among those that share a store. */
export interface Lead {
  compete(): void;
  /** Gives it back, and competes for it with the others. */
  competeAnew(): void;
  /** Lets another have it that may fare better, after a moment: two that can't lead must not throw it to and fro. */
  passOn(): void;
  giveBack(): void;
  /** To be called after each event, in the state that it led to. */
  met(event: EngineEvent): void;
  /** Says that this one is there, if it leads. */
  answer(): void;
}

export interface LeadOptions extends Pick<HostPorts, "lock" | "timers"> {
  /** Called with the state of an engine that leads, for those that follow. */
  readonly share: (state: EngineState) => void;
  /** Asks whoever leads to say so. */
  readonly ask: () => void;
}

/** Time until a lead that could not be asked for is asked for again, in milliseconds. */
const askAgainAfter = 60_000;

/** Time in which one that leads says that it is there, in milliseconds; far longer than a slow tablet needs. */
const longestSilence = 15_000;

/**
 * Competes for the lead, and finds out whether whoever has it is there still: a tab that the system has frozen keeps its lock, and
 * sends nothing. What such a one still does when it wakes is of a run that is over.
 */
export function createLead(
  { lock, timers, share, ask }: LeadOptions,
  engine: { readonly state: () => EngineState; readonly tell: (event: EngineEvent) => void },
): Lead {
  const silence = createAlarm(timers);
  let asked = false;
  let giveBack: () => void = () => undefined;
  let turn = 0;

  function compete(by: (lost: () => void) => Promise<() => void> = (lost) => lock.acquire(lost)): void {
    const mine = ++turn;
    const lost = () => {
      if (mine === turn && engine.state().leading) engine.tell({ kind: "lost" });
    };
    void by(lost).then(
      (release) => {
        // What was waited for may have been taken since.
        if (mine !== turn) return release();
        giveBack = release;
        if (!engine.state().started) return release();
        engine.tell({ kind: "leading" });
      },
      // Nothing would be sent from here for ever.
      () => {
        if (mine === turn) timers.set(askAgainAfter, () => compete());
      },
    );
  }

  function competeAnew(): void {
    giveBack();
    compete();
  }

  function takeFromSilent(): void {
    asked = false;
    compete((lost) => lock.take?.(lost) ?? lock.acquire(lost));
  }

  return {
    compete: () => compete(),
    competeAnew,
    passOn() {
      share(engine.state());
      timers.set(shortestPause, competeAnew);
    },
    giveBack: () => giveBack(),
    met({ kind }) {
      const { started, leading } = engine.state();
      if (!started || leading || kind === "told") {
        asked = false;
        silence.clear();
      } else if (lock.take && !asked && (kind === "woken" || kind === "watch")) {
        asked = true;
        silence.set(longestSilence, takeFromSilent);
        ask();
      }
    },
    answer() {
      if (engine.state().leading) share(engine.state());
    },
  };
}
