/**
 * Refuses what is no listener: it would fail only when there is something to tell.
 *
 * @throws TypeError
 */
export function refuseNoListener(listener: unknown): void {
  if (typeof listener !== "function")
    throw new TypeError("subscribe: the listener must be a function that takes what is told.");
}

/**
 * Tells each listener. One that throws fails by itself, as that of an event does: its error is an uncaught one, whoever tells goes on,
 * and the others are told all the same.
 */
export function tellEach<T>(listeners: Iterable<(told: T) => unknown>, told: T): void {
  for (const listener of listeners) {
    try {
      listener(told);
    } catch (error) {
      // Reported like any uncaught error in a page, in a worker and in Node, which has no `reportError`.
      queueMicrotask(() => {
        throw error;
      });
    }
  }
}
