import { clockState } from "../model/clock.ts";
import type { Session } from "../transport/session.ts";

/** The server's time, where this device's clock is known to be wrong; else this device's. */
export function serverClock(clock: () => Date, session: Pick<Session, "heard">): () => Date {
  return () => {
    const now = clock();
    return new Date(now.getTime() - clockState(now, session.heard()).correction);
  };
}

/** What a device's registry dates records by, and by how many seconds that corrects this device's own clock. */
export function correctedClock(clock: () => Date, session: Pick<Session, "heard">) {
  const skew = () => Math.round(clockState(clock(), session.heard()).correction / 1000);
  return { clock: serverClock(clock, session), skew };
}
