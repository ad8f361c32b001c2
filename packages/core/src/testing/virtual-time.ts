/** Time that passes only from one event to the next, as a simulation's does. */
export interface VirtualTime {
  /** The present instant, in milliseconds since 1970. */
  readonly now: number;
  /**
   * Lets something happen later; what is set for one instant happens in the order in which it was set.
   *
   * @param delay milliseconds, 0 or more
   * @returns a function that cancels it
   */
  after(delay: number, run: () => unknown): () => void;
  /**
   * Lets everything happen that is due until an instant, in order. What an event starts has settled before the next one.
   *
   * @param afterEach called after each event, when it has settled
   */
  runUntil(instant: number, afterEach?: () => unknown): Promise<void>;
}

interface Event {
  readonly at: number;
  readonly nth: number;
  readonly run: () => unknown;
}

/**
 * Makes a virtual time.
 *
 * @param start milliseconds since 1970
 * @param settle resolves when all promises that are under way have run as far as they can without another event
 */
export function createVirtualTime(start: number, settle: () => Promise<void>): VirtualTime {
  let now = start;
  let count = 0;
  const events = createQueue();
  return {
    get now() {
      return now;
    },
    after(delay, run) {
      const event = { at: now + Math.max(0, delay), nth: count++, run };
      events.add(event);
      return () => events.remove(event);
    },
    async runUntil(instant, afterEach) {
      await settle();
      for (let next = events.takeUntil(instant); next; next = events.takeUntil(instant)) {
        now = next.at;
        await next.run();
        await settle();
        await afterEach?.();
      }
      now = Math.max(now, instant);
    },
  };
}

/** The events that wait, the first one in front: a binary heap that skips those that were cancelled. */
function createQueue() {
  const heap: Event[] = [];
  const there = new Set<Event>();
  const before = (a: Event, b: Event) => (a.at === b.at ? a.nth < b.nth : a.at < b.at);
  const swap = (i: number, j: number) => {
    const [a, b] = [heap[i], heap[j]];
    if (a && b) [heap[i], heap[j]] = [b, a];
  };
  const isBefore = (i: number, j: number) => {
    const [a, b] = [heap[i], heap[j]];
    return a !== undefined && b !== undefined && before(a, b);
  };
  const rise = (from: number) => {
    for (let i = from; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (!isBefore(i, parent)) return;
      swap(i, parent);
      i = parent;
    }
  };
  const sink = () => {
    for (let i = 0; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2];
      const child = isBefore(right, left) ? right : left;
      if (!isBefore(child, i)) return;
      swap(i, child);
      i = child;
    }
  };
  const takeFirst = () => {
    const first = heap[0];
    const last = heap.pop();
    if (last && heap.length > 0) {
      heap[0] = last;
      sink();
    }
    return first;
  };
  return {
    add(event: Event) {
      there.add(event);
      heap.push(event);
      rise(heap.length - 1);
    },
    remove: (event: Event) => {
      there.delete(event);
    },
    takeUntil(instant: number): Event | undefined {
      while (heap[0] && (heap[0].at <= instant || !there.has(heap[0]))) {
        const event = takeFirst();
        if (event && there.delete(event)) return event;
      }
      return undefined;
    },
  };
}
