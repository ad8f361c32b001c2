import { v7 } from "uuid";
import type { Channel, Connectivity, Fetch, HostPorts, LeaderLock, Timers } from "./ports.ts";

/** The ports of any host with web standards (a browser, a worker, Node), for one service over its own store. */
export function defaultPorts(): HostPorts {
  const webFetch: Fetch = (url, init) => fetch(url, init);
  return {
    fetch: webFetch,
    clock: hostClock,
    random: Math.random,
    newId: () => v7(),
    timers: hostTimers,
    lock: processLock(),
    connectivity: alwaysOnline,
    channel: noChannel,
    copy: null,
    origin: globalThis.location?.origin ?? null,
  };
}

/** Bytes that nobody can foretell. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count));
}

/** The host's time. */
export const hostClock = () => new Date();

/** Timers of the host. */
export const hostTimers: Timers = {
  set(delay, run) {
    const timer = setTimeout(run, delay);
    return () => clearTimeout(timer);
  },
};

/** A lock among the services of one process that are given the same object. */
export function processLock(): LeaderLock {
  let tail: Promise<void> = Promise.resolve();
  return {
    acquire() {
      const turn = tail;
      const { promise, resolve } = gate();
      tail = turn.then(() => promise);
      return turn.then(() => resolve);
    },
  };
}

/** For hosts that cannot tell: every attempt is made. */
export const alwaysOnline: Connectivity = { online: true, subscribe: () => () => undefined };

/** For a service that shares its store with nobody. */
export const noChannel: Channel = { post: () => undefined, subscribe: () => () => undefined };

function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
