import type { Channel, Timers } from "@fieldroll/sync";

/** Timers that go off when the test says so. */
export interface ManualTimers extends Timers {
  /** Delays of the timers that are set, in milliseconds from when they were set. */
  readonly delays: readonly number[];
  /** Lets everything due within so many milliseconds go off, in order, and what follows from it happen. */
  advance(milliseconds: number): Promise<void>;
}

export function manualTimers(): ManualTimers {
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
      await turns();
      for (;;) {
        const due = waiting.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        now = due.at;
        waiting = waiting.filter((other) => other !== due);
        due.run();
        await turns();
      }
      now = until;
    },
  };
}

/** Lets promises that wait for nothing from outside settle. */
export async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
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
