import type { Session } from "../transport/session.ts";

/** How far a clock may be from the server's before its time is not taken, in milliseconds. */
const farOff = 24 * 60 * 60_000;

/**
 * The server's time where this device's clock is known to be far from it, as its last answer showed; else this device's. A clock that has
 * since gone back, or on by as much as it was behind, may have been set right.
 */
export function serverClock(clock: () => Date, session: Pick<Session, "heard">): () => Date {
  return () => {
    const [now, { skew, at }] = [clock(), session.heard() ?? { skew: 0, at: 0 }];
    const since = now.getTime() - at;
    const isSame = since >= 0 && since < Math.abs(skew) - farOff / 2;
    return Math.abs(skew) < farOff || !isSame ? now : new Date(now.getTime() - skew);
  };
}
