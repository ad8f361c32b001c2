import { backoff, longestDelay, longestRetryAfter } from "../model/backoff.ts";
import type { Heard } from "../model/clock.ts";
import type { SafeModeCause } from "../safe-mode-cause.ts";
import type { EnginePhase, NetworkProblem } from "../status-types.ts";
import { engineFault, unmoved } from "./places.ts";
import type { Stop } from "./stop.ts";

/** What the engine knows of itself. Instants are milliseconds since the epoch. */
export interface EngineState {
  readonly started: boolean;
  /** Whether this engine is the one that talks to the server. */
  readonly leading: boolean;
  /** What the host says; a hint. */
  readonly online: boolean;
  readonly session: "none" | "valid" | "expired";
  /** Whether somebody signed in since the present run began: what it says of the session is not about this one. */
  readonly renewed?: boolean;
  /** Whether a person wants nothing to be sent or fetched for now. */
  readonly paused: boolean;
  /** Whether edits can be made durable. */
  readonly durable: boolean;
  /** Why they can't; former versions wrote none down. */
  readonly storeFault?: SafeModeCause;
  readonly activity: "none" | "pushing" | "pulling";
  /** Whether a run is wanted: as soon as it is due, or at once and without regard to delays. */
  readonly wanted: "no" | "due" | "eager";
  /** Runs in a row that were stopped. */
  readonly failures: number;
  readonly nextAttemptAt: number | null;
  /** Whether the server named `nextAttemptAt`, so that nothing but a person brings it forward. */
  readonly asked: boolean;
  /** How long it was to `nextAttemptAt` when that was set after a failure, in milliseconds; former versions wrote none down. */
  readonly askedFor?: number;
  readonly lastSuccessAt: number | null;
  /** When a run last read everything to its end, and when a request to write last had a verdict; former versions wrote none down. */
  readonly lastReadAt?: number | null;
  readonly lastWriteAt?: number | null;
  readonly lastError: string | null;
  /** What the last run, or sign-in, met of the network. */
  readonly network?: NetworkProblem["reason"] | null;
  /** What the last answer showed of this device's clock; not there before one. */
  readonly heard?: Heard | null;
}

export type EngineEvent =
  | { readonly kind: "started"; readonly state: Pick<EngineState, "session" | "online"> & Remembered }
  | { readonly kind: "leading" | "stopped" }
  /** Another one took the lead. */
  | { readonly kind: "lost" }
  /** Something may be there to send or to fetch; `eager`: a person asked. */
  | { readonly kind: "woken"; readonly eager: boolean }
  /** The timer went off. */
  | { readonly kind: "tick" }
  | { readonly kind: "network"; readonly online: boolean }
  /** A sign-in failed, and shows this of the network. */
  | { readonly kind: "met"; readonly network: NetworkProblem["reason"] | null }
  | { readonly kind: "paused"; readonly paused: boolean }
  /** Now and then: sets the timer anew, lest a lost one be missed; `stalled`: a run has got nowhere for long. */
  | { readonly kind: "watch"; readonly stalled: boolean }
  | { readonly kind: "session"; readonly session: EngineState["session"] }
  | { readonly kind: "store"; readonly durable: true }
  | { readonly kind: "store"; readonly durable: false; readonly fault: SafeModeCause }
  /** What the leading engine says of itself. */
  | { readonly kind: "told"; readonly state: EngineState }
  | { readonly kind: "activity"; readonly activity: "pushing" | "pulling" }
  | { readonly kind: "ended"; readonly result: RunResult };

/** What survives a restart. */
export type Remembered = Pick<
  EngineState,
  | "nextAttemptAt"
  | "asked"
  | "askedFor"
  | "lastSuccessAt"
  | "lastReadAt"
  | "lastWriteAt"
  | "lastError"
  | "failures"
  | "paused"
>;

/** What a run can know of those before it. */
export type Past = Pick<EngineState, "failures" | "lastReadAt" | "lastWriteAt">;

/** What got through in a run. */
export interface Reached {
  /** Whether everything was read to its end. */
  readonly read?: boolean;
  /** Whether a request to write had a verdict. */
  readonly wrote?: boolean;
}

/** How a run ended. */
export type RunResult =
  | (Reached & {
      readonly kind: "stopped";
      readonly stop: Stop;
      /** Whether something got through before: then it is worth trying again soon. */
      readonly moved: boolean;
    })
  | (Reached & {
      readonly kind: "done";
      /** When the first entry that was put off is due. */
      readonly nextAt: number | null;
      /** What could not be fetched, in a sentence. */
      readonly refusal: string | null;
    });

export type EngineEffect =
  | { readonly kind: "run"; readonly eager: boolean }
  /** Set the only timer; `null` clears it. */
  | { readonly kind: "arm"; readonly at: number | null }
  /** Write down what survives a restart. */
  | { readonly kind: "remember" }
  /** Wait for the run no longer, and let another tab lead that may fare better. */
  | { readonly kind: "abandon" }
  /** The run ended: let another tab lead that may fare better. */
  | { readonly kind: "pass on" };

/** What a decision needs besides state and event. */
export interface Moment {
  readonly now: number;
  /** From 0 up to 1. */
  readonly random: number;
  /** Longest time between two runs, in milliseconds. */
  readonly pollInterval: number;
  /** Whether runs start by themselves. */
  readonly automatic: boolean;
  /** What the last answer showed of this device's clock. */
  readonly heard?: Heard | null;
}

export const initialState: EngineState = {
  started: false,
  leading: false,
  online: true,
  session: "none",
  paused: false,
  durable: true,
  activity: "none",
  wanted: "no",
  failures: 0,
  nextAttemptAt: null,
  asked: false,
  lastSuccessAt: null,
  lastError: null,
};

/** What the engine is from now on, and what it does. */
export interface Transition {
  readonly state: EngineState;
  readonly effects: readonly EngineEffect[];
}

/**
 * Decides what the engine is and does next, along the moves of its machine. There is always a run, a timer, or somebody to
 * wait for.
 */
export function transition(state: EngineState, event: EngineEvent, moment: Moment): Transition {
  const next = decided(state, event, moment);
  const fault = engineFault(state, event, next.state);
  return fault === null ? next : { state: unmoved(state, fault), effects: [] };
}

function decided(state: EngineState, event: EngineEvent, moment: Moment): Transition {
  const moved = move(remembered(state, moment), event, moment);
  if (isStalled(state, event) || event.kind === "lost")
    return { state: moved, effects: [{ kind: "abandon" }, { kind: "arm", at: null }] };
  const remember: EngineEffect[] =
    event.kind === "ended" || event.kind === "paused" ? [{ kind: "remember" }] : [];
  if (isPassedOn(state, event)) {
    const following = { ...moved, leading: false };
    return { state: following, effects: [...remember, { kind: "pass on" }, { kind: "arm", at: null }] };
  }
  if (!canRun(moved)) return { state: moved, effects: [...remember, { kind: "arm", at: null }] };
  if (moved.activity !== "none") return { state: moved, effects: remember };
  if (isDue(moved, event, moment)) {
    const run: EngineEffect = { kind: "run", eager: moved.wanted === "eager" };
    const begun = { ...moved, wanted: "no", activity: "pushing", renewed: false } as const;
    return { state: begun, effects: [...remember, run] };
  }
  const latest = latestAttempt(moved, moment);
  const at = moment.automatic ? Math.min(moved.nextAttemptAt ?? latest, latest) : null;
  return { state: moved, effects: [...remember, { kind: "arm", at }] };
}

/**
 * The longest wait that makes sense, whatever was written down: a clock that is put back turns seconds into days. What the
 * server asked for may be longer than the interval; nothing else is.
 */
function latestAttempt({ asked, askedFor, failures }: EngineState, { now, pollInterval }: Moment): number {
  if (asked) return now + (askedFor ?? longestRetryAfter);
  return now + (failures > 0 ? Math.max(pollInterval, longestDelay) : pollInterval);
}

function canRun(state: EngineState): boolean {
  return state.started && state.leading && state.session === "valid" && !state.paused;
}

/** The activity of one that follows is the leader's. */
function isStalled({ leading, activity }: EngineState, event: EngineEvent): boolean {
  return event.kind === "watch" && event.stalled && leading && activity !== "none";
}

/** A tab of an earlier version can't read what a later one has upgraded. */
function isPassedOn({ started, leading }: EngineState, event: EngineEvent): boolean {
  if (!started || !leading || event.kind !== "ended" || event.result.kind !== "stopped") return false;
  return event.result.stop.why === "unreadable";
}

function isDue(state: EngineState, event: EngineEvent, { now, automatic }: Moment): boolean {
  if (state.wanted === "eager") return true;
  if (!automatic || state.wanted === "no") return false;
  if (event.kind === "tick") return true;
  const waiting = state.failures > 0 && state.nextAttemptAt !== null && state.nextAttemptAt > now;
  return !waiting && state.online;
}

function move(state: EngineState, event: EngineEvent, moment: Moment): EngineState {
  switch (event.kind) {
    case "started":
      return atOnce({ ...state, ...remembered(event.state, moment), ...heardAt(moment), started: true });
    case "leading":
      return { ...state, leading: true, activity: "none", wanted: atLeast(state.wanted, "due") };
    case "lost":
      return { ...state, leading: false, activity: "none", wanted: atLeast(state.wanted, "due") };
    case "stopped":
      return { ...state, started: false, leading: false };
    case "woken":
      return { ...state, wanted: atLeast(state.wanted, event.eager ? "eager" : "due") };
    case "tick":
      return { ...state, wanted: atLeast(state.wanted, "due") };
    case "network":
      return event.online ? atOnce({ ...state, online: true }) : { ...state, online: false };
    case "met":
      return { ...state, network: event.network };
    case "paused":
      return event.paused ? { ...state, paused: true } : atOnce({ ...state, paused: false });
    case "watch":
      return isStalled(state, event) ? stalled(state, moment) : state;
    case "session":
      return atOnce({
        ...state,
        session: event.session,
        renewed: state.activity !== "none",
        network: null,
      });
    case "store":
      return { ...state, durable: event.durable, ...(!event.durable && { storeFault: event.fault }) };
    case "told":
      return state.leading ? state : { ...event.state, ...own(state) };
    case "activity":
      return { ...state, activity: event.activity };
    case "ended":
      return ended(
        { ...state, activity: "none", ...heardAt(moment), ...reached(event.result, moment) },
        event.result,
        moment,
      );
  }
}

function heardAt({ heard }: Moment): Pick<EngineState, "heard"> {
  return heard ? { heard } : {};
}

function reached({ read, wrote }: Reached, { now }: Moment): Partial<EngineState> {
  return { ...(read && { lastReadAt: now }), ...(wrote && { lastWriteAt: now }) };
}

function atLeast(wanted: EngineState["wanted"], more: EngineState["wanted"]): EngineState["wanted"] {
  return wanted === "eager" ? "eager" : more;
}

/** A time further off than was asked for, or than any that is believed, was written by a clock that has been put back since. */
function remembered<T extends Remembered>(state: T, moment: Moment): T {
  const { nextAttemptAt } = state;
  const believed = nextAttemptAt === null || nextAttemptAt - moment.now <= longestWait(state, moment);
  return believed ? state : { ...state, nextAttemptAt: null };
}

function longestWait({ asked, askedFor, failures }: Remembered, { pollInterval }: Moment): number {
  if (asked) return askedFor ?? longestRetryAfter;
  return failures > 0 ? (askedFor ?? longestDelay) : pollInterval;
}

/** What an engine knows of itself alone; the rest it takes from the one that leads. */
function own({ started, leading, online, wanted }: EngineState) {
  return { started, leading, online, wanted };
}

/** What a delay of our own was waiting for may be there now. One that the server asked for stands. */
function atOnce(state: EngineState): EngineState {
  const nextAttemptAt = state.asked ? state.nextAttemptAt : null;
  return { ...state, nextAttemptAt, wanted: atLeast(state.wanted, "due") };
}

/** Work is never due sooner than this after a run, so that one that can't be finished does not spin. */
export const shortestPause = 1_000;

function ended(state: EngineState, result: RunResult, { now, random, pollInterval }: Moment): EngineState {
  if (result.kind === "done") {
    const poll = now + pollInterval;
    const due = result.nextAt === null ? poll : Math.max(result.nextAt, now + shortestPause);
    return {
      ...state,
      failures: 0,
      durable: true,
      nextAttemptAt: Math.min(due, poll),
      asked: false,
      lastSuccessAt: now,
      lastError: result.refusal,
      network: null,
    };
  }
  const { stop } = result;
  if (stop.why === "here" || (stop.why === "sign-in" && state.renewed)) return state;
  const failures = result.moved ? 1 : state.failures + 1;
  const delay = Math.max(stop.retryAfter ?? backoff(failures, random), shortestPause);
  return {
    ...state,
    failures,
    nextAttemptAt: now + delay,
    asked: stop.retryAfter !== null,
    askedFor: delay,
    lastError: stop.detail,
    network: stop.network ?? null,
    ...(stop.why === "sign-in" && { session: "expired" as const }),
    ...(stop.why === "store" && { durable: false, storeFault: "no-space" as const }),
  };
}

/** The lead is given back, and a run is due as soon as somebody has it. */
function stalled(state: EngineState, { now }: Moment): EngineState {
  const failures = state.failures + 1;
  return {
    ...state,
    leading: false,
    activity: "none",
    wanted: "due",
    failures,
    nextAttemptAt: now,
    lastError: stuck,
  };
}

const stuck = "Sending and fetching got stuck and was started anew; if that goes on, restart the app.";

/** What the engine is doing, in a word. */
export function phaseOf(state: EngineState): EnginePhase {
  if (!state.started) return "stopped";
  if (!state.durable) return "safe-mode";
  if (state.session !== "valid") return "signed-out";
  if (state.paused) return "paused";
  if (state.activity !== "none") return state.activity;
  if (!state.online) return "offline";
  return state.failures > 0 ? "waiting" : "idle";
}
