/** Lets few tasks run at once, and few wait. */
export interface Gate {
  /** Runs a task when its turn comes; `undefined` when too many wait. Tasks with `ahead` go before the others. */
  run<T>(task: () => Promise<T>, options: { readonly ahead: boolean }): Promise<T> | undefined;
}

/** @param options.mostWaiting how many may wait with `ahead`, and how many without */
export function createGate({
  atOnce,
  mostWaiting,
}: {
  readonly atOnce: number;
  readonly mostWaiting: number;
}): Gate {
  const lanes = { ahead: [] as (() => void)[], behind: [] as (() => void)[] };
  let running = 0;
  const leave = (): void => {
    const next = lanes.ahead.shift() ?? lanes.behind.shift();
    // The place passes on to the next one.
    if (next) next();
    else running -= 1;
  };
  const inside = async <T>(turn: Promise<void> | undefined, task: () => Promise<T>): Promise<T> => {
    if (turn) await turn;
    try {
      return await task();
    } finally {
      leave();
    }
  };
  return {
    run(task, { ahead }) {
      const lane = ahead ? lanes.ahead : lanes.behind;
      if (running < atOnce) {
        running += 1;
        return inside(undefined, task);
      }
      if (lane.length >= mostWaiting) return undefined;
      return inside(new Promise((resolve) => lane.push(resolve)), task);
    },
  };
}
