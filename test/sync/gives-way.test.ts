import { createMemoryStore, type Store } from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { names, ok, personOf } from "./support/people.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

/** More than the first page has. */
const people = 250;

/** A tablet whose store answers queries of people when it is told to, and says what it wrote of them. */
function tabletOf(world: World) {
  const inner = createMemoryStore();
  const waits: (() => void)[] = [];
  const alarms: (() => void)[] = [];
  const held = { isHeld: false, written: 0 };
  let asked: () => void = () => undefined;
  let givesWay: () => void = () => undefined;
  const store: Store = {
    ...inner,
    async query(query) {
      if (held.isHeld && query.collection === "Individual" && query.sort) {
        await new Promise<void>((resolve) => {
          waits.push(resolve);
          asked();
        });
      }
      return inner.query(query);
    },
    async commit(commit) {
      const result = await inner.commit(commit);
      held.written += commit.put?.filter(({ collection }) => collection === "Individual").length ?? 0;
      return result;
    },
  };
  const client = createFieldClient({
    ...{ server: root, store, clock: world.now, newId: v7, automatic: false, lock: processLock() },
    ...{ fetch: world.send, random: () => 0.5 },
    timers: {
      set(delay, run) {
        if (delay === 1_000) {
          alarms.push(run);
          givesWay();
        }
        return () => undefined;
      },
    },
  });
  return {
    client,
    held,
    /** Resolves when a search waits for its answer. */
    isAsked: () =>
      new Promise<void>((resolve) => {
        asked = resolve;
      }),
    /** Resolves when a page waits for a search. */
    givesWay: new Promise<void>((resolve) => {
      givesWay = resolve;
    }),
    answer: () => waits.splice(0).map((go) => go()),
    ring: () => alarms.splice(0).map((go) => go()),
  };
}

/** Looks for people as soon as the first of them are told of, as an app does. */
function searchAtFirst(client: FieldClient) {
  return new Promise<Awaited<ReturnType<FieldClient["individuals"]["search"]>>>((resolve) => {
    const end = client.changed.subscribe(() => {
      end();
      resolve(client.individuals.search({ _sort: "name", limit: "5" }));
    });
  });
}

describe("what a person looks up while people are still being read", () => {
  let tablet: ReturnType<typeof tabletOf>;
  beforeEach(async () => {
    const world = await createWorld();
    for (const value of names(people))
      await ok(world.view.individuals.create(personOf(value, { given: "Ana" })));
    tablet = tabletOf(world);
    await ok(tablet.client.signIn(credentials));
  });

  /** Until the second page of the pull has come, while a search of the first waits for its answer. */
  async function searchDuringSync() {
    const { client, held } = tablet;
    held.isHeld = true;
    const asked = tablet.isAsked();
    const found = searchAtFirst(client);
    const synced = client.sync();
    await asked;
    await tablet.givesWay;
    return { found, synced };
  }

  it("is answered before the next page is written", async () => {
    const { held } = tablet;
    const { found, synced } = await searchDuringSync();
    expect(held.written).toBe(50);
    held.isHeld = false;
    tablet.answer();
    expect((await ok(found)).data).toHaveLength(5);
    expect(await synced).toMatchObject({ firstSync: { complete: true, records: people } });
    expect(held.written).toBe(people);
  });

  it("does not keep the next page away for long", async () => {
    const { held } = tablet;
    const { found, synced } = await searchDuringSync();
    expect(held.written).toBe(50);
    tablet.ring();
    expect(await synced).toMatchObject({ firstSync: { complete: true, records: people } });
    held.isHeld = false;
    tablet.answer();
    expect((await ok(found)).data).toHaveLength(5);
  });
});
