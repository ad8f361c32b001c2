import { inTests } from "../model/machine.ts";
import type { EngineEvent, EngineState } from "./state.ts";

/** Where an engine stands. What keeps one that rests from running (a pause, no session, no network) is in its state. */
export type EnginePlace = "stopped" | "following" | "resting" | "pushing" | "pulling";

/** The machine of the engine: what moves it from one place to the next. Where there is no word, there is no way. */
export const engineMoves: Readonly<Record<EnginePlace, Partial<Record<EnginePlace, string>>>> = {
  stopped: {
    stopped: "the run that was under way ended, or somebody told it something too late",
    following: "started, and competes for the lead",
  },
  following: {
    stopped: "closed",
    following: "another one leads",
    resting: "took the lead, and waits for a time or for somebody",
    pushing: "took the lead, and runs",
  },
  resting: {
    stopped: "closed",
    following: "another one took the lead, for this one had not answered",
    resting: "nothing is due, or something keeps it from running",
    pushing: "a run began",
  },
  pushing: {
    stopped: "closed while it sent",
    following: "a run that was stuck or could not read the store was given up, and the lead with it",
    resting: "the run ended",
    pushing: "goes on sending, or the next run began at once",
    pulling: "sent what there was, and reads",
  },
  pulling: {
    stopped: "closed while it read",
    following: "a run that was stuck or could not read the store was given up, and the lead with it",
    resting: "the run ended",
    pushing: "sends what the reading freed, or the next run began at once",
    pulling: "goes on reading",
  },
};

/** Where events belong that can't come everywhere: what a run says comes from a run, also from one that outlasts the engine. */
const belongs: Partial<Record<EngineEvent["kind"], readonly EnginePlace[]>> = {
  started: ["stopped"],
  leading: ["following"],
  lost: ["resting", "pushing", "pulling"],
  activity: ["pushing", "pulling", "stopped"],
  ended: ["pushing", "pulling", "stopped"],
};

/** Where an engine stands. */
export function enginePlace({ started, leading, activity }: EngineState): EnginePlace {
  if (!started) return "stopped";
  if (!leading) return "following";
  return activity === "none" ? "resting" : activity;
}

/** What forbids an event or what it led to, in a sentence; `null` where all is right. */
export function engineFault(before: EngineState, event: EngineEvent, after: EngineState): string | null {
  const [from, to] = [enginePlace(before), enginePlace(after)];
  if (belongs[event.kind]?.includes(from) === false)
    return `"${event.kind}" was told to an engine that is ${from}.`;
  return engineMoves[from][to] === undefined ? `An engine went from ${from} to ${to}.` : null;
}

/**
 * Meets a fault of this software: tests fail by it, and on a tablet the engine stays as it was, with its timer, and tells of it.
 */
export function unmoved(state: EngineState, fault: string): EngineState {
  if (inTests()) throw new Error(fault);
  return { ...state, lastError: `${fault} This is a fault of the app; nothing is lost by it. Report it.` };
}
