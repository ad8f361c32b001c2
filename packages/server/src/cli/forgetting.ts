import type { Registry } from "@fieldroll/core";
import type { Logger } from "pino";
import { messageOf } from "./refusal.ts";

const sixHours = 6 * 3_600_000;
/** Commits of one pass: some hundred thousand documents. What is left has its turn at the next. */
const mostCommits = 500;
/** After each commit requests have the store to themselves for so many times as long as it took. */
const restFactor = 4;

/** What a store gathers that is to go in its time. */
export type Forgetful = Pick<Registry, "forgetOldAnswers" | "forgetOldEntries">;

/** Waits for so many milliseconds. */
type Wait = (milliseconds: number) => Promise<void>;

/**
 * Removes what is kept no longer, now and every six hours: answers of idempotency keys past their 180 days (contract section 5),
 * and audit entries past what `serve` was told to keep. Some hundreds at a time, with rests for requests in between. A store that
 * fails meanwhile is asked again the next time.
 */
export function keepForgetting(
  registry: Forgetful,
  log: Logger,
  wait: Wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds).unref()),
) {
  let stopped = false;
  const forget = async (step: () => Promise<number>): Promise<number> => {
    let forgotten = 0;
    for (let commits = 0; commits < mostCommits && !stopped; commits++) {
      const begun = performance.now();
      const some = await step();
      if (some === 0) break;
      forgotten += some;
      await Promise.race([wait((performance.now() - begun) * restFactor), stopping]);
    }
    return forgotten;
  };
  const pass = async (): Promise<void> => {
    const answers = await forget(() => registry.forgetOldAnswers());
    if (answers > 0) log.info({ answers }, "forgot answers older than 180 days");
    const entries = await forget(() => registry.forgetOldEntries());
    if (entries > 0) log.info({ entries }, "forgot audit entries that are kept no longer");
  };
  const run = () => {
    running = pass().catch((error: unknown) =>
      log.warn({ cause: messageOf(error) }, "could not forget what is kept no longer"),
    );
  };
  let stopNow = () => {};
  const stopping = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  let running: Promise<void> = Promise.resolve();
  run();
  const timer = setInterval(run, sixHours);
  timer.unref();
  return {
    /** Ends it; resolves when a pass under way has let go of the store. */
    async stop(): Promise<void> {
      stopped = true;
      stopNow();
      clearInterval(timer);
      await running;
    },
  };
}
