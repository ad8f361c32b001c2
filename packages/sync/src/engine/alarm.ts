import type { Timers } from "../ports.ts";

/** One timer at most. */
export function createAlarm(timers: Timers) {
  let cancel: () => void = () => undefined;
  return {
    /** @param delay milliseconds; `null` for no timer */
    set(delay: number | null, run: () => void): void {
      cancel();
      if (delay !== null) cancel = timers.set(Math.max(0, delay), run);
    },
    clear: () => cancel(),
  };
}
