import type { JsonObject } from "@fieldroll/core";
import { processLock } from "../host.ts";
import type { Channel, Connectivity, LeaderLock } from "../ports.ts";

/**
 * A lead that all tabs of an origin compete for, by Web Locks: the browser passes it on when its holder closes or dies.
 * Without Web Locks (an insecure origin) the lock holds within this thread alone.
 */
export function webLock(name: string, locks: LockManager | undefined = navigator.locks): LeaderLock {
  if (!locks) return processLock();
  const ask = (options: LockOptions, lost: () => void = () => undefined) =>
    new Promise<() => void>((resolve, reject) => {
      let isHeld = false;
      const hold = () => {
        isHeld = true;
        return new Promise<void>((release) => resolve(() => release()));
      };
      locks.request(name, options, hold).catch((cause: unknown) => (isHeld ? lost() : reject(cause)));
    });
  return {
    acquire: (lost) => ask({}, lost),
    take: (lost) => ask({ steal: true }, lost),
  };
}

/** A channel among the services of all tabs; a message does not come back to its sender. Ending the one subscription closes it. */
export function broadcastChannel(name: string): Channel {
  const channel = new BroadcastChannel(name);
  let open = true;
  return {
    post(message) {
      if (open) channel.postMessage(message);
    },
    subscribe(listener) {
      const hear = (event: MessageEvent) => listener(event.data as JsonObject);
      channel.addEventListener("message", hear);
      return () => {
        channel.removeEventListener("message", hear);
        open = false;
        channel.close();
      };
    },
  };
}

/** A connectivity that is told from outside. */
export interface ToldConnectivity extends Connectivity {
  set(online: boolean, metered: boolean): void;
}

/** What the page knows of the network, for a worker that is not told itself. */
export function toldConnectivity(online: boolean): ToldConnectivity {
  const listeners = new Set<(online: boolean) => void>();
  let now = { online, metered: false };
  return {
    get online() {
      return now.online;
    },
    get metered() {
      return now.metered;
    },
    set(online, metered) {
      if (online === now.online && metered === now.metered) return;
      now = { online, metered };
      for (const listener of listeners) listener(online);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
