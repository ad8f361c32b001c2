/** What an answer's date shows of this device's clock. */
export interface Heard {
  /** How far it was ahead of the server's, in milliseconds. */
  readonly skew: number;
  /** When that was, by this device's clock, in milliseconds. */
  readonly at: number;
}

/** What is known of this device's clock now. */
export interface ClockState {
  /** What to take from this device's time, in milliseconds: 0 where the clock is right, or nothing is known. */
  readonly correction: number;
  /** Whether the skew that was heard still holds, as far as can be told. */
  readonly isKnown: boolean;
  /** Whether the clock may be wrong by more than a day, and nobody knows by how much. */
  readonly isDoubtful: boolean;
}

const day = 24 * 60 * 60_000;

/** A smaller skew is the delay of an answer: nothing is corrected by it, in milliseconds. */
const slight = 60_000;

/**
 * What the last answer still says of the clock. A clock that has since gone back, or on by as much as it was wrong, may have been set right:
 * then it is taken as it is. Example: 400 days ahead when it was heard, 400 days less now.
 */
export function clockState(now: Date, heard: Heard | null): ClockState {
  if (!heard) return { correction: 0, isKnown: false, isDoubtful: false };
  const { skew, at } = heard;
  const since = now.getTime() - at;
  const isFar = Math.abs(skew) >= day;
  if (since >= 0 && (!isFar || since < Math.abs(skew) - day / 2))
    return { correction: Math.abs(skew) < slight ? 0 : skew, isKnown: true, isDoubtful: false };
  // No clock that is right shows a time before the server's of then.
  const isBefore = since + skew < -day;
  return { correction: 0, isKnown: false, isDoubtful: isFar || isBefore };
}
