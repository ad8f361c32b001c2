import { createMemoryStore, type Store } from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { names, ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

interface Tablet {
  readonly client: FieldClient;
  isOnline: boolean;
  /** Documents, and claims, that its store was asked for. */
  read: number;
}

function tabletOf(world: World): Tablet {
  const inner = createMemoryStore();
  const seen = { isOnline: true, read: 0 };
  const store: Store = {
    get: (keys) => inner.get(count(keys)),
    resolve: (claims) => inner.resolve(count(claims)),
    async query(query) {
      const page = await inner.query(query);
      count(page.documents);
      return page;
    },
    changes: (request) => inner.changes(request),
    commit: (commit) => inner.commit(commit),
    close: () => inner.close(),
  };
  const client = createFieldClient({
    ...{ server: root, store, clock: world.now, newId: v7, automatic: false, lock: processLock() },
    fetch: (url, init) =>
      seen.isOnline ? world.send(url, init) : Promise.reject(new TypeError("There is no network.")),
    random: () => 0.5,
    timers: { set: () => () => undefined },
  });
  function count<T>(all: readonly T[]): readonly T[] {
    seen.read += all.length;
    return all;
  }
  return Object.assign(seen, { client });
}

const person = (value: string) => `Individual/${system}|${value}`;
const household = (value: string) => `Group/${system}|${value}`;

async function register({ view }: World, values: readonly string[]): Promise<void> {
  for (const value of values) await ok(view.individuals.create(personOf(value, { given: "Ana" })));
}

async function registerHouseholds({ view }: World, values: readonly string[]): Promise<void> {
  for (const value of values) {
    const member = [{ entity: { reference: person(value) } }];
    const identifier = [{ system, value }];
    await ok(
      view.groups.create({ type: "Group", groupType: "household", identifier, name: value, member } as never),
    );
  }
}

async function rename({ client }: Tablet, values: readonly string[]): Promise<void> {
  for (const value of values) {
    const seen = (await ok(client.individuals.read(person(value)))).record;
    const edit = (draft: typeof seen) => {
      draft.name = { ...draft.name, given: "Eva" };
    };
    await ok(client.individuals.update(person(value), edit, { seen }));
  }
}

async function renameHouseholds({ client }: Tablet, values: readonly string[]): Promise<void> {
  for (const value of values) {
    const seen = (await ok(client.groups.read(household(value)))).record;
    const edit = (draft: typeof seen) => {
      draft.name = "Cruz";
    };
    await ok(client.groups.update(household(value), edit, { seen }));
  }
}

/** What is there before, what is done offline, and what others do meanwhile, to so many records. */
interface Case {
  readonly before?: (world: World, values: readonly string[]) => Promise<void>;
  readonly offline: (tablet: Tablet, values: readonly string[]) => Promise<void>;
  readonly meanwhile?: (world: World, values: readonly string[]) => Promise<void>;
}

const cases: Readonly<Record<string, Case>> = {
  "edits of people": { before: register, offline: rename },
  "people who were registered here": {
    async offline({ client }, values) {
      for (const value of values) await ok(client.individuals.create(personOf(value, { given: "Ana" })));
    },
  },
  "edits of people whom others changed meanwhile": {
    before: register,
    offline: rename,
    async meanwhile({ view }, values) {
      for (const value of values)
        await ok(view.individuals.patch({ system, value }, { birthDate: "1980-05-05" }, { ifMatch: "*" }));
    },
  },
  "edits of households": {
    async before(world, values) {
      await register(world, values);
      await registerHouseholds(world, values);
    },
    offline: renameHouseholds,
  },
};

/** How much a tablet reads to send so many edits, and to read what the server has of them. */
async function readFor({ before, offline, meanwhile }: Case, amount: number): Promise<number> {
  const world = await createWorld();
  const values = names(amount);
  await before?.(world, values);
  const tablet = tabletOf(world);
  await ok(tablet.client.signIn(credentials));
  await tablet.client.sync();
  tablet.isOnline = false;
  await offline(tablet, values);
  await meanwhile?.(world, values);
  tablet.isOnline = true;
  tablet.read = 0;
  const status = await tablet.client.sync();
  expect(status).toMatchObject(settled);
  return tablet.read;
}

describe("what a tablet reads to reconcile", () => {
  it.each(Object.entries(cases))("%s grows as their number does", async (_, told) => {
    const [few, many] = [await readFor(told, 25), await readFor(told, 100)];
    expect(many / few).toBeLessThan(5);
  });
});
