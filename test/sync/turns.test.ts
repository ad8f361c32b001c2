import { createMemoryStore, type Store } from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { names, ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

/**
 * A store that answers in turns, as the storage process of a browser does: whatever is asked before a turn's answers are there goes
 * into the next one. It finds in one call, as IndexedDB's does.
 */
function inTurns(inner: Store): { readonly store: Store; readonly since: () => number } {
  let turns = 0;
  let waiting: (() => void)[] = [];
  const nextTurn = () =>
    new Promise<void>((resolve) => {
      if (waiting.length === 0) setImmediate(answer);
      waiting.push(resolve);
    });
  function answer() {
    const answered = waiting;
    waiting = [];
    turns += 1;
    for (const go of answered) go();
  }
  const turned =
    <Given extends readonly unknown[], Answer>(call: (...given: Given) => Promise<Answer>) =>
    async (...given: Given) => {
      await nextTurn();
      return call(...given);
    };
  const store: Store = {
    get: turned(inner.get),
    resolve: turned(inner.resolve),
    find: turned(async (claim) => {
      const [holder] = await inner.resolve([claim]);
      const [document] = holder ? await inner.get([holder]) : [];
      return document && { document, naming: [] };
    }),
    query: turned(inner.query),
    changes: turned(inner.changes),
    commit: turned(inner.commit),
    close: () => inner.close(),
  };
  const since = () => {
    const counted = turns;
    turns = 0;
    return counted;
  };
  return { store, since };
}

function clientOver(store: Store, { now, send }: Pick<World, "now" | "send">): FieldClient {
  return createFieldClient({
    ...{ server: root, store, clock: now, newId: v7, fetch: send },
    ...{ automatic: false, lock: processLock(), random: () => 0.5, timers: { set: () => () => undefined } },
  });
}

describe("turns through the storage, each of which takes milliseconds on a tablet", () => {
  let client: FieldClient;
  let since: () => number;
  let isOnline = true;
  const person = (value: string) => `Individual/${system}|${value}`;

  beforeEach(async () => {
    const world = await createWorld();
    for (const value of ["P0", "P1"])
      await ok(world.view.individuals.create(personOf(value, { given: "Ana" })));
    const counted = inTurns(createMemoryStore());
    ({ since } = counted);
    isOnline = true;
    client = clientOver(counted.store, {
      ...world,
      send: (url, init) =>
        isOnline ? world.send(url, init) : Promise.reject(new TypeError("There is no network.")),
    });
    await ok(client.signIn(credentials));
    await client.sync();
    isOnline = false;
  });

  const rename = async (value: string) => {
    const { record } = await ok(client.individuals.read(person(value)));
    since();
    const outcome = await client.individuals.update(
      person(value),
      (draft) => {
        draft.name = { ...draft.name, given: "Eva" };
      },
      { seen: record },
    );
    await ok(Promise.resolve(outcome));
    return since();
  };

  it("are two to read a record", async () => {
    since();
    await ok(client.individuals.read(person("P0")));
    expect(since()).toBeLessThanOrEqual(2);
  });

  it("are three to find records, with what is unsent of each", async () => {
    since();
    const { data } = await ok(client.individuals.search({ _sort: "name", limit: "50" }));
    expect(data).toHaveLength(2);
    expect(since()).toBeLessThanOrEqual(3);
  });

  it("are three to edit a record that was shown, the commit being the last, also where it is edited again", async () => {
    expect(await rename("P0")).toBeLessThanOrEqual(3);
    expect(await rename("P0")).toBeLessThanOrEqual(3);
    expect(await rename("P1")).toBeLessThanOrEqual(3);
  });

  it("are four to register somebody", async () => {
    since();
    await ok(client.individuals.create(personOf("P2", { given: "Ana" }) as never));
    expect(since()).toBeLessThanOrEqual(4);
  });

  it("are five to take in a page of a feed, the commit being the last", async () => {
    const [few, many] = [await firstSync(700), await firstSync(1_200)];
    expect(many - few).toBeLessThanOrEqual(5);
  });
});

/** The turns that a first sync of so many people takes: of pages of 50 and 200, and others of 500. */
async function firstSync(people: number): Promise<number> {
  const world = await createWorld();
  for (const value of names(people))
    await ok(world.view.individuals.create(personOf(value, { given: "Ana" })));
  const { store, since } = inTurns(createMemoryStore());
  const client = clientOver(store, world);
  await ok(client.signIn(credentials));
  since();
  expect(await client.sync()).toMatchObject({ firstSync: { complete: true, records: people } });
  return since();
}
