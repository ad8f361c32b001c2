import { refuseNoListener, tellEach } from "../listeners.ts";
import { safeModeCause } from "../model/safe-mode-cause.ts";
import type { Timers } from "../ports.ts";
import type { ServiceNews } from "../service-types.ts";
import type { SyncStatus } from "../status-types.ts";

/** Tells subscribers what changed; bursts arrive as one, and the first change of records at once. */
export interface News {
  /** Records on the device changed. */
  recordsChanged(): void;
  /** Something that the status shows changed. */
  statusChanged(): void;
  /** Resolves when what is being told now has been. */
  told(): Promise<void>;
  /** Tells what is so now to everybody, and waits for nothing that was told before. */
  tellNow(): Promise<void>;
  subscribe(listener: (news: ServiceNews) => void): Promise<string>;
  unsubscribe(subscription: string): void;
  close(): void;
}

/**
 * Time between two tellings, in milliseconds: a person sees no difference. The status is read from all that is unsent, so that it is
 * told less often where that is much: reading it would be in the way of the next edit. A first sync brings news with each page, and what
 * listeners then look up is in the way of the next one.
 */
const pause = { least: 100, inFirstSync: 500, most: 1_000, perUnsent: 1 };
/** Time until the store is asked again after it failed, in milliseconds. */
const recovery = 5_000;

export function createNews(options: {
  readonly readStatus: () => Promise<SyncStatus>;
  readonly timers: Timers;
  readonly newId: () => string;
}): News {
  const listeners = new Map<string, (news: ServiceNews) => void>();
  let changes = 0;
  let closed = false;
  let telling = false;
  let again = false;
  let last: SyncStatus | null = null;
  /** Changes that were told, and what ends the pause in which others need not wait for them. */
  let told = 0;
  let endPause: (() => void) | null = null;
  let saying: Promise<void> = Promise.resolve();

  /** A store that can't even be read keeps nothing: better said than shown as it was. */
  async function status(): Promise<{ readonly now: SyncStatus | null; readonly failed: boolean }> {
    try {
      last = await options.readStatus();
      return { now: last, failed: false };
    } catch (error) {
      return { now: last && { ...last, ...faultOf(error) }, failed: true };
    }
  }

  /** @returns whether there is anything to tell yet */
  async function tellThese(these: Iterable<(news: ServiceNews) => void>): Promise<boolean> {
    const { now } = await status();
    if (now) tellEach(these, { status: now, changes });
    return now !== null;
  }

  function tell(): void {
    if (telling || closed || listeners.size === 0) again = telling;
    else saying = say();
  }

  async function say(): Promise<void> {
    telling = true;
    again = false;
    const { now, failed } = await status();
    if (now) tellEach(listeners.values(), { status: now, changes });
    again ||= failed && !closed;
    const resume = () => {
      endPause = null;
      telling = false;
    };
    const cancel = options.timers.set(failed || !now ? recovery : pauseAfter(now), () => {
      resume();
      if (again) tell();
    });
    const shown = failed || changes !== told;
    told = changes;
    const end = () => {
      cancel();
      resume();
    };
    endPause = shown ? null : end;
  }

  return {
    recordsChanged() {
      changes++;
      endPause?.();
      tell();
    },
    statusChanged: tell,
    told: () => saying,
    tellNow: async () => void (await tellThese(listeners.values())),
    async subscribe(listener) {
      refuseNoListener(listener);
      const here = heard(listener);
      const subscription = options.newId();
      listeners.set(subscription, here);
      if (!(await tellThese([here]))) tell();
      return subscription;
    },
    unsubscribe(subscription) {
      listeners.delete(subscription);
    },
    close() {
      closed = true;
      listeners.clear();
    },
  };
}

function faultOf(error: unknown): Pick<SyncStatus, "phase" | "safeMode" | "lastError"> {
  const lastError = error instanceof Error ? error.message : String(error);
  return { phase: "safe-mode", safeMode: safeModeCause(error), lastError };
}

function pauseAfter(status: SyncStatus): number {
  const unsent = status.pending + status.sending + status.parked;
  const isFirst = status.phase === "pulling" && !status.firstSync.complete;
  const least = isFirst ? pause.inFirstSync : pause.least;
  return Math.min(Math.max(least, unsent * pause.perUnsent), pause.most);
}

/** A listener on another thread may be gone; that is its own affair. */
function heard(listener: (news: ServiceNews) => void): (news: ServiceNews) => void {
  return (news) => void Promise.resolve(listener(news) as unknown).catch(() => undefined);
}
