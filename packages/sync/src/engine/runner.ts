import type { Store } from "@fieldroll/core";
import { hasUnsent } from "../device/outbox.ts";
import { firstPace } from "../model/pace.ts";
import type { Api } from "../transport/api.ts";
import { poorest } from "../transport/patience.ts";
import type { Send, Session } from "../transport/session.ts";
import type { RunContext } from "./run.ts";
import { runOnce } from "./run.ts";
import { serverClock } from "./server-time.ts";
import type { EngineEvent, EngineState } from "./state.ts";

/** Does one run after the other, and knows whether they get anywhere. */
export interface Runner {
  /** @param release lets those go who wait for the run to end */
  run(eager: boolean, release: () => void): void;
  /** Ends the present run at once, and waits for it no longer; what it still has to say is not heard. */
  abandon(): void;
  /** Whether the present run has got nowhere for long. */
  isStalled(): boolean;
  /** Resolves when the present run has ended. */
  ended(): Promise<void>;
}

/** Time without any progress after which a run is given up, in milliseconds; an upload has the time that its size takes besides. */
const stallAfter = 10 * 60_000;

export function createRunner(
  options: Omit<RunContext, "past" | "goesOn" | "serverTime" | "begin" | "pace"> & {
    readonly store: Store;
    readonly session: Pick<Session, "heard" | "begin" | "regain">;
    readonly api: (send: Send) => Api;
    /** What this device keeps a copy of by now; once something else is to be kept, the run is over. */
    readonly feeds: () => Promise<readonly string[]>;
    /** Called when a run ended. */
    readonly ran: () => void;
  },
  engine: {
    readonly state: () => EngineState;
    readonly tell: (event: EngineEvent) => void;
    /** Resolves when what survives a restart is written down. */
    readonly settled: () => Promise<void>;
  },
): Runner {
  let running: Promise<void> = Promise.resolve();
  let present = new AbortController();
  let abandoned = 0;
  let progressAt = 0;
  let uploadUntil = 0;
  const progressed = () => {
    progressAt = options.clock().getTime();
  };
  /** Nothing shows the progress of an upload but its end. */
  const sending =
    (send: Send): Send =>
    (request) => {
      const until = options.clock().getTime() + (request.body?.length ?? 0) / poorest;
      uploadUntil = Math.max(uploadUntil, until);
      return send(request);
    };
  const context: Omit<RunContext, "begin"> = {
    ...options,
    serverTime: serverClock(options.clock, options.session),
    past: engine.state,
    pace: { current: firstPace },
    goesOn() {
      const { started, paused, session } = engine.state();
      return started && !paused && session === "valid";
    },
    landed() {
      progressed();
      options.landed();
    },
    changed() {
      progressed();
      options.changed();
    },
  };
  return {
    run(eager, release) {
      const mine = abandoned;
      const over = new AbortController();
      const begin = async () => {
        if (eager && (await hasUnsent(options.store))) await options.session.regain();
        const begun = await options.session.begin(over);
        return (
          begun && { store: begun.store, api: options.api(sending(begun.send)), feeds: await options.feeds() }
        );
      };
      present = over;
      const tell = (event: EngineEvent) => {
        progressed();
        if (mine === abandoned) engine.tell(event);
      };
      progressed();
      uploadUntil = 0;
      running = running
        .then(() => runOnce({ ...context, begin }, { eager, tell }))
        .then((result) => tell({ kind: "ended", result }))
        .then(engine.settled)
        .finally(() => {
          release();
          options.ran();
        });
    },
    abandon() {
      abandoned++;
      present.abort();
      running = Promise.resolve();
    },
    isStalled: () => options.clock().getTime() - Math.max(progressAt, uploadUntil) > stallAfter,
    ended: () => running.catch(() => undefined),
  };
}
