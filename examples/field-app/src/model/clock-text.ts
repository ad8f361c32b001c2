import { texts } from "../texts.ts";

/** From here on a wrong clock is worth a person's while: the times they read are wrong by as much. */
const worthTelling = 10 * 60_000;

/**
 * Says how far this device's clock is from the server's.
 *
 * @param skew milliseconds ahead, negative when behind; `null` when not known
 */
export function clockText(skew: number | null): string {
  if (skew === null) return texts.sync.clock.unknown;
  if (!isClockWrong(skew)) return texts.sync.clock.right;
  const span = spanText(Math.round(Math.abs(skew) / 60_000));
  return skew > 0 ? texts.sync.clock.ahead(span) : texts.sync.clock.behind(span);
}

/** In the largest unit of which there are two. */
function spanText(minutes: number): string {
  const { minutes: inMinutes, hours, days } = texts.sync.clock;
  if (minutes < 120) return inMinutes(minutes);
  return minutes < 48 * 60 ? hours(Math.round(minutes / 60)) : days(Math.round(minutes / 60 / 24));
}

/** Whether a person should be told. */
export function isClockWrong(skew: number | null): boolean {
  return skew !== null && Math.abs(skew) > worthTelling;
}
