/** What became of an attempt: how it ended, or the whole seconds until its key may try again. */
export type Attempted<T> =
  | { readonly tried: true; readonly result: T | undefined }
  | { readonly tried: false; readonly secondsToWait: number };

/** Holds back whoever fails too often, in memory. */
export interface FailedAttempts {
  /**
   * Makes an attempt unless the key has failed too often. One that resolves to `undefined` has failed; one that
   * rejects tells nothing of the key and does not count. Of simultaneous attempts no more run than may still fail;
   * the others wait for how those end.
   */
  attempt<T>(key: string, run: () => Promise<T | undefined>): Promise<Attempted<T>>;
}

interface Limit {
  readonly clock: () => Date;
  readonly most: number;
  readonly windowSeconds: number;
}

/** Allows `most` failures within a sliding window of `windowSeconds` for each key: contract section 7. */
export function createFailedAttempts(limit: Limit): FailedAttempts {
  const failures = countFailures(limit);
  const running = new Map<string, number>();
  const waiting = new Map<string, (() => void)[]>();
  const enter = async (key: string): Promise<boolean> => {
    for (;;) {
      const room = failures.room(key);
      const ahead = running.get(key) ?? 0;
      if (room === 0) return false;
      if (ahead < room) {
        // At once with the check: whoever comes meanwhile has to see it.
        running.set(key, ahead + 1);
        return true;
      }
      // Those ahead may all fail, so their places count as taken until they have ended.
      await new Promise<void>((resolve) => waiting.set(key, [...(waiting.get(key) ?? []), resolve]));
    }
  };
  const leave = (key: string): void => {
    const left = (running.get(key) ?? 1) - 1;
    if (left > 0) running.set(key, left);
    else running.delete(key);
    const resumed = waiting.get(key) ?? [];
    waiting.delete(key);
    for (const resume of resumed) resume();
  };
  return {
    async attempt(key, run) {
      if (!(await enter(key))) return { tried: false, secondsToWait: failures.secondsToWait(key) };
      try {
        const result = await run();
        if (result === undefined) failures.record(key);
        return { tried: true, result };
      } finally {
        leave(key);
      }
    },
  };
}

/** Keys whose failures are all past are forgotten as others fail. */
function countFailures({ clock, most, windowSeconds }: Limit) {
  const failures = new Map<string, readonly number[]>();
  const recent = (key: string): readonly number[] => {
    const start = clock().getTime() - windowSeconds * 1000;
    return (failures.get(key) ?? []).filter((at) => at > start);
  };
  return {
    /** How many more may fail now. */
    room: (key: string): number => Math.max(0, most - recent(key).length),
    secondsToWait(key: string): number {
      const oldest = recent(key).at(-most) ?? 0;
      return Math.max(1, Math.ceil((oldest + windowSeconds * 1000 - clock().getTime()) / 1000));
    },
    record(key: string): void {
      const times = [...recent(key), clock().getTime()];
      for (const other of failures.keys()) if (recent(other).length === 0) failures.delete(other);
      failures.set(key, times);
    },
  };
}
