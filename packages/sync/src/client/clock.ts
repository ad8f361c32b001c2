import { clockState } from "../model/clock.ts";
import type { ClockReading, SyncStatus } from "../status-types.ts";

/** @param status the newest one; it tells what the last answer showed of the clock */
export function clockOf(clock: () => Date, status: () => SyncStatus): { readonly current: ClockReading } {
  return {
    get current() {
      const device = clock();
      const { clockSkew: skewMs, clockHeardAt: at } = status();
      const heard = skewMs === null || at === null ? null : { skew: skewMs, at: Date.parse(at) };
      const { correction, isKnown, isDoubtful } = clockState(device, heard);
      const now = new Date(device.getTime() - correction);
      return { now, today: dayOf(now), skewMs, isKnown, asks: isDoubtful };
    },
  };
}

/** The day where this device is. */
function dayOf(now: Date): string {
  const parts = [now.getFullYear(), now.getMonth() + 1, now.getDate()];
  return parts.map((part, i) => String(part).padStart(i === 0 ? 4 : 2, "0")).join("-");
}
