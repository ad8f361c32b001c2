import type { Channel, Timers } from "@fieldroll/sync";

/** Timers that go off when the test says so. */
export interface ManualTimers extends Timers {
  /** Delays of the timers that are set, in milliseconds from when they were set. */
  readonly delays: readonly number[];
  /** Lets everything due within so many milliseconds go off, in order, and what follows from it happen. */
  advance(milliseconds: number): Promise<void>;
}

/** @param busy whether something outside, such as a server, still works on an answer */
export function manualTimers(busy: () => boolean = () => false): ManualTimers {
  let now = 0;
  let waiting: { at: number; delay: number; run: () => void }[] = [];
  return {
    get delays() {
      return waiting.map(({ delay }) => delay);
    },
    set(delay, run) {
      const timer = { at: now + delay, delay, run };
      waiting.push(timer);
      return () => {
        waiting = waiting.filter((other) => other !== timer);
      };
    },
    async advance(milliseconds) {
      const until = now + milliseconds;
      await turns(busy);
      for (;;) {
        const due = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        now = due.at;
        waiting = waiting.filter((other) => other !== due);
        due.run();
        await turns(busy);
      }
      now = until;
    },
  };
}

/** Lets promises settle until nothing is under way any more, outside either. */
export async function turns(busy: () => boolean = () => false): Promise<void> {
  for (let quiet = 0; quiet < 20; quiet++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (busy()) quiet = 0;
  }
}

/** What others wait for until it is opened. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
}

/** Channels between the tabs of one device. */
export function tabs(): () => Channel {
  const members = new Set<{ listeners: Set<Parameters<Channel["subscribe"]>[0]> }>();
  return () => {
    const own = { listeners: new Set<Parameters<Channel["subscribe"]>[0]>() };
    members.add(own);
    return {
      post(message) {
        for (const member of members) {
          if (member !== own) for (const listener of member.listeners) listener(message);
        }
      },
      subscribe(listener) {
        own.listeners.add(listener);
        return () => own.listeners.delete(listener);
      },
    };
  };
}
