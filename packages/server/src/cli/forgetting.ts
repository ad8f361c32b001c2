import type { Registry } from "@fieldroll/core";
import type { Logger } from "pino";
import { messageOf } from "./refusal.ts";

const sixHours = 6 * 3_600_000;

/**
 * Removes kept answers of idempotency keys that are past their 180 days (contract section 5), now and every six hours,
 * some hundreds at a time between requests. A store that fails meanwhile is asked again the next time.
 */
export function keepForgetting(registry: Pick<Registry, "forgetOldAnswers">, log: Logger) {
  let stopped = false;
  const pass = async (): Promise<void> => {
    let forgotten = 0;
    for (let some = -1; some !== 0 && !stopped; forgotten += some) some = await registry.forgetOldAnswers();
    if (forgotten > 0) log.info({ answers: forgotten }, "forgot answers older than 180 days");
  };
  const run = () => {
    running = pass().catch((error: unknown) =>
      log.warn({ cause: messageOf(error) }, "could not forget answers"),
    );
  };
  let running: Promise<void> = Promise.resolve();
  run();
  const timer = setInterval(run, sixHours);
  timer.unref();
  return {
    /** Ends it; resolves when a pass under way has let go of the store. */
    async stop(): Promise<void> {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
