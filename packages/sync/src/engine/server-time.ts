import type { Session } from "../transport/session.ts";

/** How far a clock may be from the server's before its time is not taken, in milliseconds. */
const farOff = 24 * 60 * 60_000;

/** The server's time where this device's clock is known to be far from it, as its last answer showed; else this device's. */
export function serverClock(clock: () => Date, session: Pick<Session, "skew">): () => Date {
  return () => {
    const [now, skew] = [clock(), session.skew() ?? 0];
    return Math.abs(skew) < farOff ? now : new Date(now.getTime() - skew);
  };
}
