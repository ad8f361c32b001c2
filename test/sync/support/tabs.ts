import { createMemoryMedium, createMemoryStore, type Store } from "@fieldroll/core";
import {
  type Channel,
  createFieldClient,
  type Fetch,
  type FieldClient,
  type LeaderLock,
  processLock,
} from "@fieldroll/sync";
import { v7 } from "uuid";
import { manualTimers, tabs } from "./timers.ts";
import { root, type World } from "./world.ts";

interface TabOptions {
  /** What comes between the tab and the others. */
  readonly heard?: (channel: Channel) => Channel;
  readonly feeds?: readonly string[];
}

/** One device whose engine runs by itself, in as many tabs as wanted, each with a store of its own on the same medium. */
export function deviceIn(
  world: World,
  intercept: (send: Fetch) => Fetch = (send) => send,
  lock: LeaderLock = processLock(),
) {
  const medium = createMemoryMedium();
  const timers = manualTimers(world.busy);
  const channel = tabs();
  const tab = (
    through: (store: Store) => Store = (store) => store,
    { heard = (same) => same, feeds }: TabOptions = {},
  ): FieldClient =>
    createFieldClient({
      server: root,
      store: through(createMemoryStore({ medium })),
      fetch: intercept((url, init) => world.send(url, init)),
      clock: world.now,
      random: () => 0,
      newId: v7,
      timers,
      lock,
      channel: heard(channel()),
      ...(feeds && { feeds }),
    });
  const pass = async (milliseconds: number) => {
    world.pass(milliseconds);
    await timers.advance(milliseconds);
  };
  return { tab, timers, pass };
}
