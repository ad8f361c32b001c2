import type { Timers } from "../ports.ts";

/** Those who wait to be shown something: what else goes on in the same thread, over the same storage, gives way to them. */
export interface Readers {
  /** Counts a read, until it is answered. */
  counting<T>(read: Promise<T>): Promise<T>;
  /** Resolves once what was asked for by now is answered, or has taken long. */
  answered(): Promise<void>;
}

/** In milliseconds: whoever looks for a long time on end, or a disk that has no answer, must not keep all else from going on. */
const longest = 1_000;

export function createReaders(timers: Timers): Readers {
  const underWay = new Set<Promise<unknown>>();
  return {
    counting(read) {
      const done = () => underWay.delete(read);
      underWay.add(read);
      read.then(done, done);
      return read;
    },
    async answered() {
      const waiting = [...underWay];
      if (waiting.length === 0) return;
      await soon(timers, Promise.allSettled(waiting));
      // One that is not answered by now may never be: nobody waits for it again.
      for (const read of waiting) underWay.delete(read);
    },
  };
}

/** Waits for something that never fails, but not for long. */
export function soon(timers: Timers, something: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timers.set(longest, resolve);
    void something.then(() => {
      cancel();
      resolve();
    });
  });
}
