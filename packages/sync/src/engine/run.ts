import { StoreError } from "@fieldroll/core";
import { freeRefused } from "../device/refused.ts";
import { RunOver } from "../device/run.ts";
import { checkServer, compareNow, doubtAll } from "./check-server.ts";
import type { SyncContext } from "./context.ts";
import { lookAtTakers, lookAtUntold } from "./look-again.ts";
import { type PullResult, pull } from "./pull.ts";
import { push } from "./push.ts";
import { checkStore, isRestarting } from "./restart.ts";
import type { EngineEvent, RunResult } from "./state.ts";
import type { Stop } from "./stop.ts";

/** What a run works with. */
export interface RunContext extends Omit<SyncContext, "store" | "api"> {
  /** What this run alone reads, writes and sends by; `null` when nobody is signed in. */
  readonly begin: () => Promise<Pick<SyncContext, "store" | "api"> | null>;
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
  const { feeds } = context;
  let moved = false;
  const send = async (how: { readonly eager: boolean; readonly once?: boolean }) => {
    const pushed = await push(context, how);
    if (pushed.moved) await freeRefused(context.store, context.clock().toISOString());
    moved ||= pushed.moved;
    return pushed;
  };
  const sendUnlessRestarting = async (how: Parameters<typeof send>[0]) =>
    (await isRestarting(context, feeds)) ? null : send(how);
  const landed = () => {
    moved = true;
    context.landed();
  };
  try {
    await checkStore(context, feeds);
    // What was being taken in when the app was killed: some of the rest may refer to it.
    await context.reclaim();
    const stop = (await checkServer(context, feeds)) ?? (await sendUnlessRestarting(run))?.stop;
    if (stop) return { kind: "stopped", stop, moved };
    run.tell({ kind: "activity", activity: "pulling" });
    // Edits that keep coming must not keep the pull from going on.
    const between = async () => {
      if (!context.goesOn()) return { stop: stoppedHere, stale: true };
      const pushed = await sendUnlessRestarting({ eager: false, once: true });
      return { stop: pushed?.stop ?? null, stale: pushed?.moved === true };
    };
    const pulled = await pull(context, feeds, { landed, between });
    if (pulled.stop) return { kind: "stopped", stop: pulled.stop, moved };
    run.tell({ kind: "activity", activity: "pushing" });
    await compareNow(context, feeds);
    if (pulled.lasting) await doubtAll(context);
    const unasked = (await lookAtTakers(context)) ?? (await lookAtUntold(context));
    if (unasked) return { kind: "stopped", stop: unasked, moved };
    const second = await (pulled.lasting ? send : sendUnlessRestarting)({ eager: false });
    if (!second) return { kind: "stopped", stop: readAnewFirst(pulled), moved };
    if (second.stop) return { kind: "stopped", stop: second.stop, moved };
    const more = (await context.reclaim()) > 0 ? context.clock().toISOString() : second.nextAt;
    const nextAt = more === null ? null : Date.parse(more);
    return { kind: "done", nextAt, refusal: pulled.refusal };
  } catch (error) {
    return { kind: "stopped", stop: stopOfError(error), moved };
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
  const full = error instanceof StoreError && error.code === "quota";
  const detail = error instanceof Error ? error.message : String(error);
  return { why: full ? "store" : "unavailable", detail, retryAfter: null };
}
