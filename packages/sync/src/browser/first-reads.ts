import type { Timers } from "../ports.ts";

/** What a page asks for first, to show something to a person who waits; all else comes after it. */
export interface FirstReads {
  /** Counts a read, until it is answered. */
  counting<T>(read: Promise<T>): Promise<T>;
  /** Resolves once what was asked for by now is answered, or has taken long. */
  answered(): Promise<void>;
}

/** In milliseconds: whoever looks for a long time on end must not keep the engine from starting. */
const longest = 1_000;

export function createFirstReads(timers: Timers): FirstReads {
  const underWay = new Set<Promise<unknown>>();
  return {
    counting(read) {
      const done = () => underWay.delete(read);
      underWay.add(read);
      read.then(done, done);
      return read;
    },
    answered() {
      return new Promise((resolve) => {
        const cancel = timers.set(longest, resolve);
        void Promise.allSettled(underWay).then(() => {
          cancel();
          resolve();
        });
      });
    },
  };
}
