/**
 * Lets what is done to one thing be done one after the other within a process. Operations that would otherwise make each
 * other start again then cost as much as they do alone. What keeps them apart in truth is the commit: other processes
 * know nothing of these turns.
 */
export interface Turns {
  /** Waits for its turn at every one of the names, then does the work. */
  take<T>(names: readonly string[], work: () => Promise<T>): Promise<T>;
}

/** Turns that nobody waits for yet. */
export function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return {
    take(names, work) {
      const before = names.map((name) => last.get(name));
      const done = Promise.all(before).then(work);
      const over = done.then(
        () => undefined,
        () => undefined,
      );
      for (const name of names) last.set(name, over);
      void over.then(() => {
        for (const name of names) if (last.get(name) === over) last.delete(name);
      });
      return done;
    },
  };
}
