import { createMemoryMedium, createMemoryStore, type MemoryMedium, type Store } from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { mortal } from "./support/mortal.ts";
import { ok } from "./support/people.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const ana = "Individual/urn:test:national|ANA";
const other = { ...credentials, clientId: "other" };

function client(world: World, store: Store): FieldClient {
  return createFieldClient({
    server: root,
    store,
    fetch: (url, init) => world.send(url, init),
    clock: world.now,
    random: () => 0,
    newId: v7,
    timers: { set: () => () => undefined },
    lock: processLock(),
    automatic: false,
  });
}

/** A tablet with a person's unsent edits: one of a record of the server, and a household made here. */
async function tablet(): Promise<{ world: World; medium: MemoryMedium }> {
  const world = await createWorld();
  const identifier = [{ system: "urn:test:national", value: "ANA" }];
  await ok(
    world.view.individuals.create({ type: "Individual", identifier, name: { family: "Cruz", given: "Ana" } }),
  );
  const medium = createMemoryMedium();
  const first = client(world, createMemoryStore({ medium }));
  await ok(first.signIn(credentials));
  await first.sync();
  await ok(
    first.individuals.update(ana, (draft) => {
      draft.name.family = "Secret";
    }),
  );
  await ok(
    first.registerHousehold({
      group: { active: true, groupType: "household", name: "Secret household" },
      members: [{ individual: { active: true, name: { family: "Secret", given: "Jo" } } }],
    }),
  );
  return { world, medium };
}

/** A step that a tablet dies in. */
type Step = (client: FieldClient) => Promise<unknown>;

const leave: Step = (client) => client.signOut({ unsent: "seal" });
const takeOver: Step = (client) => client.signIn(other);
const comeBack: Step = (client) => client.signIn(credentials);

/** Does the steps; in the last one the tablet dies at a commit. @returns whether it died, and what is left */
async function dieIn(steps: readonly Step[], at: number, side: "before" | "after") {
  const { world, medium } = await tablet();
  const last = steps.at(-1);
  for (const step of steps.slice(0, -1)) {
    const alive = client(world, createMemoryStore({ medium }));
    await step(alive);
    await alive.close();
  }
  let died = false;
  const doomed = mortal(createMemoryStore({ medium }), { at, side }, () => {
    died = true;
  });
  await Promise.race([last?.(client(world, doomed)), turns(world.busy)]);
  await turns(world.busy);
  return { world, medium, died };
}

async function everythingArrivesOnce(world: World, medium: MemoryMedium): Promise<void> {
  const back = client(world, createMemoryStore({ medium }));
  await ok(back.signIn(credentials));
  expect(await back.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
  const people = (await ok(world.view.individuals.search({ limit: "50" }))).data;
  expect(people.map(({ name }) => `${name.given} ${name.family}`).sort()).toEqual([
    "Ana Secret",
    "Jo Secret",
  ]);
  expect((await ok(world.view.groups.search())).data.map(({ member }) => member?.length)).toEqual([1]);
  expect((await ok(back.individuals.search())).data).toHaveLength(2);
  const keys = world.effects.filter((key) => key !== "");
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(3);
}

async function nothingIsSeenBy(world: World, medium: MemoryMedium, person: typeof other): Promise<void> {
  const next = client(world, createMemoryStore({ medium }));
  await ok(next.signIn(person));
  const before = world.requests.length;
  expect(await next.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
  const lists = await Promise.all([next.individuals.search(), next.groups.search(), next.parked()]);
  expect(JSON.stringify(lists)).not.toContain("Secret");
  expect(world.requests.slice(before).filter((request) => !request.startsWith("GET"))).toEqual([]);
  await next.close();
}

const cases: readonly (readonly [string, readonly Step[]])[] = [
  ["a sign-out", [leave]],
  ["another's sign-in over unsent edits", [takeOver]],
  ["another's sign-in after the sign-out", [leave, takeOver]],
  ["the same person's next sign-in", [leave, comeBack]],
  ["the sign-in after another's", [leave, takeOver, comeBack]],
];

describe("a tablet that dies while somebody signs in or out", () => {
  describe.each(cases)("%s", (_name, steps) => {
    it.each(["before", "after"] as const)("loses no edit and shows none, %s any commit", async (side) => {
      for (let at = 1; ; at++) {
        const first = await dieIn(steps, at, side);
        await everythingArrivesOnce(first.world, first.medium);
        const second = await dieIn(steps, at, side);
        await nothingIsSeenBy(second.world, second.medium, other);
        await everythingArrivesOnce(second.world, second.medium);
        if (first.died) continue;
        expect(at).toBeGreaterThan(2);
        return;
      }
    });
  });
});
