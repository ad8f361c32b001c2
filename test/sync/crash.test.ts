import {
  type Commit,
  createMemoryMedium,
  createMemoryStore,
  type MemoryMedium,
  type Outcome,
  type Store,
  StoreError,
  unwrap,
} from "@fieldroll/core";
import { createFieldClient, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const ana = "Individual/urn:test:national|ANA";

async function ok<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  return unwrap(await outcome);
}

/** A store that dies at its n-th commit from `arm` on: before it, or right after it was made durable. */
function mortal(store: Store, crash: { at: number; side: "before" | "after" }, died: () => void): Store {
  let commits = 0;
  const forever = new Promise<never>(() => undefined);
  let dead = false;
  const alive = <T>(work: () => Promise<T>): Promise<T> => (dead ? forever : work());
  return {
    get: (keys) => alive(() => store.get(keys)),
    resolve: (claims) => alive(() => store.resolve(claims)),
    query: (query) => alive(() => store.query(query)),
    changes: (request) => alive(() => store.changes(request)),
    close: () => store.close(),
    commit: (commit: Commit) =>
      alive(async () => {
        commits++;
        if (commits !== crash.at) return store.commit(commit);
        if (crash.side === "after") await store.commit(commit);
        dead = true;
        died();
        return forever;
      }),
  };
}

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

async function work(device: FieldClient): Promise<void> {
  await ok(
    device.individuals.update(ana, (draft) => {
      draft.name.given = "Anita";
    }),
  );
  await ok(
    device.registerHousehold({
      group: { active: true, groupType: "household", name: "Diaz household" },
      members: ["Jo", "Lia"].map((given) => ({
        individual: { active: true, name: { family: "Diaz", given } },
      })),
    }),
  );
}

/** A device with unsent work, and news it has not pulled; then its sync dies at one of its commits. */
async function crashAt(at: number, side: "before" | "after"): Promise<"died" | "lived"> {
  const world = await createWorld();
  const identifier = [{ system: "urn:test:national", value: "ANA" }];
  await ok(
    world.view.individuals.create({ type: "Individual", identifier, name: { family: "Cruz", given: "Ana" } }),
  );
  const medium = createMemoryMedium();
  const first = client(world, createMemoryStore({ medium }));
  await ok(first.signIn(credentials));
  await first.sync();
  await work(first);
  await ok(
    world.view.individuals.patch("urn:test:national|ANA", { name: { family: "Reyes" } }, { ifMatch: "*" }),
  );
  let outcome: "died" | "lived" = "lived";
  const doomed = client(
    world,
    mortal(createMemoryStore({ medium }), { at, side }, () => {
      outcome = "died";
    }),
  );
  await Promise.race([doomed.sync(), turns(world.busy)]);
  await turns(world.busy);
  await checkAfterRestart(world, medium);
  return outcome;
}

async function checkAfterRestart(world: World, medium: MemoryMedium): Promise<void> {
  const next = client(world, createMemoryStore({ medium }));
  const status = await next.sync();
  expect(status).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
  const people = (await ok(world.view.individuals.search({ limit: "50" }))).data;
  expect(people.map(({ name }) => `${name.given} ${name.family}`).sort()).toEqual([
    "Anita Reyes",
    "Jo Diaz",
    "Lia Diaz",
  ]);
  const households = (await ok(world.view.groups.search())).data;
  expect(households.map(({ member }) => member?.length)).toEqual([2]);
  const held = (await ok(next.individuals.search({ limit: "50" }))).data;
  expect(held.map(({ record }) => record.meta.versionId).sort()).toEqual(
    people.map(({ meta }) => meta.versionId).sort(),
  );
  const keys = world.effects.filter((key) => key !== "");
  expect(new Set(keys).size).toBe(keys.length);
}

/** Another person signs in on a device that held somebody's records, and it dies at one of the commits of that. */
async function takeOverAt(at: number, side: "before" | "after"): Promise<"lived" | "died"> {
  const world = await createWorld();
  const identifier = [{ system: "urn:test:national", value: "ANA" }];
  await ok(world.view.individuals.create({ type: "Individual", identifier, name: { given: "Ana" } }));
  const medium = createMemoryMedium();
  const first = client(world, createMemoryStore({ medium }));
  await ok(first.signIn(credentials));
  await first.sync();
  await first.close();
  let isDead = false;
  const dying = mortal(createMemoryStore({ medium }), { at, side }, () => {
    isDead = true;
  });
  const taking = client(world, dying).signIn({ ...credentials, clientId: "other" });
  await Promise.race([taking, turns(world.busy)]);
  const survivor = client(world, createMemoryStore({ medium }));
  const seen = (await ok(survivor.individuals.search())).data.length;
  const { signedInAs } = await survivor.sync();
  if (signedInAs === "other") expect(seen).toBe(0);
  expect((await ok(survivor.individuals.search())).data).toHaveLength(1);
  return isDead ? "died" : "lived";
}

describe("a device that dies while it syncs", () => {
  it.each(["before", "after"] as const)(
    "shows nobody what another could see, dying %s any commit of a sign-in",
    async (side) => {
      let at = 1;
      while ((await takeOverAt(at, side)) === "died") at++;
      expect(at).toBeGreaterThan(5);
    },
  );

  it.each(["before", "after"] as const)("goes on where it was, dying %s any commit", async (side) => {
    let died = 0;
    for (let at = 1; ; at++) {
      if ((await crashAt(at, side)) === "lived") break;
      died++;
    }
    expect(died).toBeGreaterThanOrEqual(10);
  });

  it("refuses an edit that the store has no room for, and says so", async () => {
    const world = await createWorld();
    const store = createMemoryStore();
    let full = false;
    const device = client(world, {
      ...store,
      get: (keys) => store.get(keys),
      resolve: (claims) => store.resolve(claims),
      query: (query) => store.query(query),
      close: () => store.close(),
      commit: async (commit) => {
        if (full) throw new StoreError("quota", "There is no room left on this device.");
        return store.commit(commit);
      },
    });
    await ok(device.signIn(credentials));
    full = true;
    const refused = await device.individuals.create({ active: true, name: { family: "Diaz" } });
    expect(refused).toMatchObject({ ok: false, problem: { kind: "unavailable" } });
    expect((await device.sync()).phase).toBe("safe-mode");
    full = false;
    await ok(device.individuals.create({ active: true, name: { family: "Diaz" } }));
    expect(await device.sync()).toMatchObject({ phase: "idle", pending: 0 });
  });
});
