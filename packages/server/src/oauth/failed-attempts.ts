/** Counts failed attempts by key, in bounded memory. */
export interface FailedAttempts {
  /** Failures that a key may have within the window. */
  readonly most: number;
  /** Whole seconds until the key may try again; 0 when it may now. */
  secondsToWait(key: string): number;
  /** Whether the key failed within the window. */
  hasFailed(key: string): boolean;
  /**
   * Begins an attempt. Until it ends it takes the place of a failure, so that simultaneous attempts are no way round the limit. The
   * function given back ends it, as a failure or not.
   */
  begin(key: string): (failed: boolean) => void;
}

interface Key {
  /** Instants of its failures, oldest first, in milliseconds since 1970. */
  times: readonly number[];
  running: number;
}

/** Allows `most` failures within a sliding window of `windowSeconds` for each of `capacity` keys: contract section 7. */
export function createFailedAttempts(limit: {
  readonly clock: () => Date;
  readonly most: number;
  readonly windowSeconds: number;
  readonly capacity: number;
}): FailedAttempts {
  const { clock, most, windowSeconds, capacity } = limit;
  // The key that failed last is at the end.
  const keys = new Map<string, Key>();
  const recent = ({ times }: Key): readonly number[] => {
    const start = clock().getTime() - windowSeconds * 1000;
    return times.filter((at) => at > start);
  };
  const forget = (): void => {
    for (const [key, held] of keys) {
      if (held.running === 0 && (keys.size > capacity || recent(held).length === 0)) keys.delete(key);
      else if (held.running === 0) return;
    }
  };
  return {
    most,
    secondsToWait(key) {
      const held = keys.get(key);
      if (!held) return 0;
      const times = recent(held);
      if (times.length + held.running < most) return 0;
      // A running attempt ends within moments, perhaps as a success.
      const oldest = times.at(-most);
      if (oldest === undefined) return 1;
      return Math.max(1, Math.ceil((oldest + windowSeconds * 1000 - clock().getTime()) / 1000));
    },
    hasFailed(key) {
      const held = keys.get(key);
      return held !== undefined && recent(held).length > 0;
    },
    begin(key) {
      const held = keys.get(key) ?? { times: [], running: 0 };
      held.running += 1;
      keys.set(key, held);
      return (failed) => {
        held.running -= 1;
        if (failed) {
          held.times = [...recent(held), clock().getTime()];
          keys.delete(key);
          keys.set(key, held);
        } else if (held.running === 0 && held.times.length === 0) keys.delete(key);
        forget();
      };
    },
  };
}
