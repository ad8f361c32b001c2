/** The longest that anything runnable waits without the server having asked for it, in milliseconds. */
export const longestDelay = 5 * 60_000;

/** The longest `Retry-After` that is believed, in milliseconds: a mistyped header must not silence a device for good. */
export const longestRetryAfter = 24 * 60 * 60_000;

const firstDelay = 1_000;

/**
 * How long to wait after so many failures in a row: doubling from one second up to five minutes, less a random part of
 * up to a half, so that devices that failed together do not come back together.
 *
 * @param failures 1 or more
 * @param random from 0 up to 1
 * @returns milliseconds
 */
export function backoff(failures: number, random: number): number {
  const full = Math.min(longestDelay, firstDelay * 2 ** Math.min(failures - 1, 20));
  return Math.round(full * (1 - random / 2));
}

/**
 * Reads `Retry-After` (RFC 9110 section 10.2.3): seconds, or an HTTP date.
 *
 * @returns milliseconds from now, `null` when there is nothing usable
 */
export function retryAfter(header: string | null, now: Date): number | null {
  if (header === null || header.trim() === "") return null;
  const seconds = Number(header);
  const delay = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now.getTime();
  return Number.isFinite(delay) ? Math.min(Math.max(delay, 0), longestRetryAfter) : null;
}

/** A delay longer than any that is ever given was given by a clock that has been put back since: it does not count. */
export function isDue(nextAttemptAt: string | null, now: string): boolean {
  if (nextAttemptAt === null || nextAttemptAt <= now) return true;
  return Date.parse(nextAttemptAt) - Date.parse(now) > longestDelay;
}
