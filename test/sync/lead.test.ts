import { type Store, StoreError } from "@fieldroll/core";
import { type Channel, type LeaderLock, processLock } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { deviceIn } from "./support/tabs.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const minute = 60_000;
const someone = { active: true, name: { family: "Diaz" } };

/** A lock that can be taken from its holder, as a browser's can. */
function lockToTake(): LeaderLock {
  const lock = processLock();
  let tell: () => void = () => undefined;
  return {
    async acquire(lost = () => undefined) {
      const release = await lock.acquire();
      tell = lost;
      return release;
    },
    async take(lost = () => undefined) {
      tell();
      tell = lost;
      return () => undefined;
    },
  };
}

describe("a tab that keeps the lead and can't lead", () => {
  const arrived = async (world: World) => (await ok(world.view.individuals.search())).data.length;

  it("loses it to another when it does not answer, and goes on behind that one when it wakes", async () => {
    const world = await createWorld();
    const { tab, pass } = deviceIn(world, (send) => send, lockToTake());
    let frozen = false;
    const awake = (channel: Channel): Channel => ({
      post: (message) => (frozen ? undefined : channel.post(message)),
      subscribe: (listener) => channel.subscribe((message) => (frozen ? undefined : listener(message))),
    });
    const leader = tab(undefined, { heard: awake });
    await ok(leader.signIn(credentials));
    await pass(0);
    const follower = tab();
    await pass(0);
    frozen = true;
    await ok(follower.individuals.create(someone));
    await pass(20_000);
    expect(follower.status.current).toMatchObject({ phase: "idle", pending: 0, sending: 0 });
    frozen = false;
    await ok(leader.individuals.create(someone));
    await pass(500);
    expect(await arrived(world)).toBe(2);
    expect(world.effects).toHaveLength(3);
    await follower.close();
    await leader.close();
  });

  it("keeps it where it answers, however little it has to tell", async () => {
    const world = await createWorld();
    const { tab, pass } = deviceIn(world, (send) => send, {
      ...lockToTake(),
      take: () => Promise.reject(new Error("Nobody is to take the lead.")),
    });
    const [leader, follower] = [tab(), tab()];
    await ok(leader.signIn(credentials));
    await pass(0);
    await leader.pause();
    await ok(follower.individuals.create(someone));
    await pass(minute);
    await leader.resume();
    await pass(0);
    expect(await arrived(world)).toBe(1);
    await leader.close();
    await follower.close();
  });

  it("gives it to another when it can't read the store, such as one that a later version upgraded", async () => {
    const world = await createWorld();
    const { tab, pass } = deviceIn(world);
    let upgraded = false;
    const refuse = () => Promise.reject(new StoreError("newer-schema", "A newer version wrote this."));
    const older = tab((store) => ({
      ...store,
      get: (keys) => (upgraded ? refuse() : store.get(keys)),
      commit: (writes) => (upgraded ? refuse() : store.commit(writes)),
    }));
    await ok(older.signIn(credentials));
    await pass(0);
    upgraded = true;
    const newer = tab();
    await ok(newer.individuals.create(someone));
    await pass(5_000);
    expect(await arrived(world)).toBe(1);
    expect(newer.status.current).toMatchObject({ phase: "idle", pending: 0, sending: 0, lastError: null });
    await newer.close();
    await older.close();
  });

  it("does not throw it to and fro between two that can't read it", async () => {
    const world = await createWorld();
    const { tab, pass } = deviceIn(world);
    let [broken, reads] = [false, 0];
    const refuse = () => {
      reads++;
      return Promise.reject(new StoreError("unavailable", "The disk does not answer."));
    };
    const failing = (store: Store): Store => ({
      ...store,
      commit: (writes) => (broken ? refuse() : store.commit(writes)),
    });
    const both = [tab(failing), tab(failing)] as const;
    await ok(both[0].signIn(credentials));
    await pass(0);
    broken = true;
    for (let passed = 0; passed < 10; passed++) await pass(minute);
    expect(reads).toBeLessThan(60);
    broken = false;
    await ok(both[1].individuals.create(someone));
    for (let passed = 0; passed < 6; passed++) await pass(minute);
    expect(await arrived(world)).toBe(1);
    for (const each of both) await each.close();
  });
});
