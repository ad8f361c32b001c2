import type { Timers } from "../ports.ts";

/** Bytes in a millisecond that an upload is expected to reach on the poorest network that is still of use. */
export const poorest = 2;

/** The least that an upload is ever expected to reach: 2 kbit/s. */
const least = 0.25;

/** Length of a body that shows a rate; what is shorter shows the delay of the network. */
const measurable = 4 * 1024;

/** How often an answer that comes in pieces may use up the time of its first one. */
const mostTimes = 20;

/**
 * The rate that the next upload is expected to reach, in bytes a millisecond. `fetch` shows no progress of an upload, so that its size has
 * to add to its time: at half the rate that was measured, and after an upload that ran out of time, at half the rate that it was given.
 *
 * @param took milliseconds until the answer began; `null` for an upload that ran out of time
 */
export function uploadRate(
  rate: number,
  { bytes, took }: { readonly bytes: number; readonly took: number | null },
): number {
  if (bytes < measurable) return rate;
  const next = took === null ? rate / 2 : bytes / Math.max(took, 1) / 2;
  return Math.min(Math.max(next, least), poorest);
}

/** A limit of time that progress moves on. */
export interface Patience {
  /** Some of the answer came: it has as long again for the next piece. */
  progressed(): void;
  end(): void;
}

/**
 * Calls `over` when an exchange has made no progress for long: before the answer begins, for the time of the upload and `silence`, then for
 * `silence` between two pieces. An answer that comes in drops ends after twenty such times.
 *
 * @param limits milliseconds
 */
export function createPatience(
  { timers, clock }: { readonly timers: Timers; readonly clock: () => Date },
  { upload, silence }: { readonly upload: number; readonly silence: number },
  over: (waited: number) => void,
): Patience {
  const last = clock().getTime() + upload + mostTimes * silence;
  const wait = (time: number) => timers.set(time, () => over(time));
  let cancel = wait(upload + silence);
  let ended = false;
  return {
    progressed() {
      if (ended) return;
      cancel();
      cancel = wait(Math.min(silence, Math.max(0, last - clock().getTime())));
    },
    end() {
      ended = true;
      cancel();
    },
  };
}
