import type { Logger } from "pino";

/** Logs how far long work is, at most once for each further `step` of it. */
export function logProgress(
  log: Logger,
  { message, step }: { readonly message: string; readonly step: number },
): (done: number, all?: number) => void {
  let told = 0;
  return (done, all) => {
    if (done < told + step) return;
    told = done;
    log.info(all === undefined ? { done } : { done, all }, message);
  };
}
