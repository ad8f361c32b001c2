/** Counts failed attempts in a sliding window, in memory. */
export interface FailedAttempts {
  /** Whole seconds until `key` may try again; 0 when it may now. */
  secondsToWait(key: string): number;
  record(key: string): void;
}

/**
 * Allows `most` failures within `windowSeconds` for each key: contract section 7.
 * Keys whose failures are all past are forgotten as others fail.
 */
export function createFailedAttempts(options: {
  readonly clock: () => Date;
  readonly most: number;
  readonly windowSeconds: number;
}): FailedAttempts {
  const { clock, most, windowSeconds } = options;
  const failures = new Map<string, readonly number[]>();
  const recent = (key: string): readonly number[] => {
    const start = clock().getTime() - windowSeconds * 1000;
    return (failures.get(key) ?? []).filter((at) => at > start);
  };
  return {
    secondsToWait(key) {
      const times = recent(key);
      const oldest = times.at(-most);
      if (oldest === undefined) return 0;
      return Math.max(1, Math.ceil((oldest + windowSeconds * 1000 - clock().getTime()) / 1000));
    },
    record(key) {
      const times = [...recent(key), clock().getTime()];
      for (const other of failures.keys()) if (recent(other).length === 0) failures.delete(other);
      failures.set(key, times);
    },
  };
}
