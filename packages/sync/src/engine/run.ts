import { StoreError } from "@fieldroll/core";
import { hasUnsent } from "../device/outbox.ts";
import { freeRefused } from "../device/refused.ts";
import { RunOver } from "../device/run.ts";
import { checkServer, compareNow, doubtAll } from "./check-server.ts";
import type { SyncContext } from "./context.ts";
import { lookAtTakers, lookAtUntold } from "./look-again.ts";
import { lookAtParked } from "./look-at-parked.ts";
import { type PullResult, pull } from "./pull.ts";
import { push } from "./push.ts";
import { checkStore, isRestarting } from "./restart.ts";
import type { EngineEvent, RunResult } from "./state.ts";
import type { Stop } from "./stop.ts";

/** What a run works with. */
export interface RunContext extends Omit<SyncContext, "store" | "api" | "feeds"> {
  /** What this run alone reads, writes and sends by; `null` when nobody is signed in. */
  readonly begin: () => Promise<Pick<SyncContext, "store" | "api" | "feeds"> | null>;
  /** Brings back what is put away of the person who is signed in, unless its record has other unsent work. @returns how many records */
  readonly reclaim: () => Promise<number>;
  /** Called when records on the device changed. */
  readonly landed: () => void;
}

const stoppedHere: Stop = {
  why: "here",
  detail: "Somebody wants a pause, signed in or out, or the app is closing.",
  retryAfter: null,
};

const nobody: Stop = {
  why: "sign-in",
  detail: "Nobody is signed in on this device.",
  retryAfter: null,
};

/** One run: send until nothing runnable is left, read up to the head, and send what the reading freed. */
export async function runOnce(
  { begin, ...options }: RunContext,
  run: { readonly eager: boolean; readonly tell: (event: EngineEvent) => void },
): Promise<RunResult> {
  try {
    const begun = await begin();
    return begun
      ? await runIn({ ...options, ...begun }, run)
      : { kind: "stopped", stop: nobody, moved: false };
  } catch (error) {
    return { kind: "stopped", stop: stopOfError(error), moved: false };
  }
}

async function runIn(
  context: Omit<RunContext, "begin"> & SyncContext,
  run: Parameters<typeof runOnce>[1],
): Promise<RunResult> {
  const { feeds, store } = context;
  let [moved, wrote, read] = [false, false, false];
  const free = () => freeRefused(store, { at: context.clock().toISOString(), wrote });
  const tried = new Set<string>();
  const send = async (how: Parameters<typeof push>[1]) => {
    const pushed = await push(context, { ...how, tried });
    wrote ||= pushed.moved;
    moved ||= pushed.moved;
    if (pushed.moved) await free();
    // What waits for a person now, or for an answer, is shown so.
    if (pushed.moved || pushed.stop) context.landed();
    return pushed;
  };
  const stopped = (stop: Stop) => ({ kind: "stopped" as const, stop, moved, read, wrote });
  const sendUnlessRestarting = async (how: Parameters<typeof send>[0]) =>
    (await isRestarting(context, feeds)) ? null : send(how);
  /** Reading anew can't end while a feed fails: after a day of that, all unsent work meets its records first, and goes. */
  const stopAfter = async (pulled: PullResult) => {
    if (!pulled.failing || !(await isRestarting(context, feeds))) return pulled.stop;
    await doubtAll(context);
    const sent = await send({ eager: run.eager });
    return pulled.stop ?? sent.stop ?? readAnewFirst(pulled);
  };
  const landed = () => {
    moved = true;
    context.landed();
  };
  // What stops a run may be one request that always does: every other time the reading has its turn before those that failed.
  const { failures } = context.past();
  const fresh = failures > 2 && failures % 2 === 1;
  // Where reading goes on failing, nothing waits for it.
  const unread = failures < 3;
  try {
    await checkStore(context, feeds);
    // What was being taken in when the app was killed: some of the rest may refer to it.
    await context.reclaim();
    await free();
    const { eager } = run;
    const stop =
      (await checkServer(context, feeds)) ?? (await sendUnlessRestarting({ eager, fresh, unread }))?.stop;
    if (stop) return stopped(stop);
    run.tell({ kind: "activity", activity: "pulling" });
    // Edits that keep coming must not keep the pull from going on.
    const between = async () => {
      // What they look up now comes before the next page, which would be in its way for long.
      await context.told();
      if (!context.goesOn()) return { stop: stoppedHere, stale: true };
      if (!(await hasUnsent(store))) return { stop: null, stale: false };
      const pushed = await sendUnlessRestarting({ eager: false, once: true, unread });
      return { stop: pushed?.stop ?? null, stale: pushed?.moved === true };
    };
    const pulled = await pull(context, feeds, { landed, between });
    const unended = await stopAfter(pulled);
    if (unended) return stopped(unended);
    read = true;
    run.tell({ kind: "activity", activity: "pushing" });
    await compareNow(context, feeds);
    if (pulled.lasting) await doubtAll(context);
    const unasked =
      (await lookAtTakers(context)) ?? (await lookAtParked(context)) ?? (await lookAtUntold(context, eager));
    if (unasked) return stopped(unasked);
    // What was asked for by hand and could not be tried before the reading is tried now.
    const second = await (pulled.lasting ? send : sendUnlessRestarting)({ eager });
    if (!second) return stopped(readAnewFirst(pulled));
    if (second.stop) return stopped(second.stop);
    const more = (await context.reclaim()) > 0 ? context.clock().toISOString() : second.nextAt;
    const nextAt = more === null ? null : Date.parse(more);
    return { kind: "done", nextAt, refusal: pulled.refusal, read, wrote };
  } catch (error) {
    return stopped(stopOfError(error));
  }
}

/** What the server's data is by now is not known yet, so that what stands on its former versions can't be sent. */
function readAnewFirst({ refusal }: Pick<PullResult, "refusal">): Stop {
  const detail =
    refusal ?? "The server's records have changed too much to be read anew in one go; that goes on soon.";
  return { why: "unavailable", detail, retryAfter: null };
}

/** A full store refuses edits until there is room; whatever else went wrong is tried again. */
function stopOfError(error: unknown): Stop {
  if (error instanceof RunOver) return stoppedHere;
  const detail = error instanceof Error ? error.message : String(error);
  return { why: whyOf(error), detail, retryAfter: null };
}

function whyOf(error: unknown): Stop["why"] {
  if (!(error instanceof StoreError)) return "unavailable";
  return error.code === "quota" ? "store" : "unreadable";
}
