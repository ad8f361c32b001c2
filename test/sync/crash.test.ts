import { createMemoryMedium, createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { createFieldClient, type Fetch, type FieldClient, processLock } from "@fieldroll/sync";
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { requestsIn } from "./support/bundles.ts";
import { mortal } from "./support/mortal.ts";
import { ok, personOf } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, root, type World } from "./support/world.ts";

const ana = "Individual/urn:test:national|ANA";
const cash = "Program/urn:test:program|CASH";

/** Stands between a device and the server. */
type Network = (send: Fetch) => Fetch;

/** What a device of these stories is made with besides. */
interface Ways {
  readonly network?: Network;
  readonly feeds?: readonly string[];
}

function client(
  world: World,
  store: Store,
  { network = (send) => send, feeds = ["all"] }: Ways = {},
): FieldClient {
  return createFieldClient({
    server: root,
    store,
    feeds,
    fetch: network((url, init) => world.send(url, init)),
    clock: world.now,
    random: () => 0,
    newId: v7,
    timers: { set: () => () => undefined },
    lock: processLock(),
    automatic: false,
  });
}

/** What is sent in rounds, each of which needs what the one before made: people, their household, its enrollment and more. */
async function work(device: FieldClient): Promise<void> {
  await ok(
    device.individuals.update(ana, (draft) => {
      draft.name.given = "Anita";
    }),
  );
  const { group } = await ok(
    device.registerHousehold({
      group: { active: true, groupType: "household", name: "Diaz household" },
      members: ["Jo", "Lia"].map((given) => ({
        individual: { active: true, name: { family: "Diaz", given } },
      })),
    }),
  );
  await ok(
    device.memberships.create({
      program: { reference: cash },
      beneficiary: { reference: group.reference },
      status: "enrolled",
    }),
  );
}

const twoAtMost: Network = (send) => async (url, init) => {
  const tooMany = url.includes("/$batch") && requestsIn(init.body).length > 2;
  return tooMany ? new Response("", { status: 413 }) : send(url, init);
};

const noBundles: Network = (send) => async (url, init) =>
  url.includes("/$batch") ? new Response("", { status: 404 }) : send(url, init);

/** A device with unsent work, and news it has not pulled; then its sync dies at one of its commits. */
async function crashAt(at: number, side: "before" | "after", network: Network): Promise<"died" | "lived"> {
  const world = await createWorld();
  await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  await ok(
    world.view.programs.create({
      type: "Program",
      identifier: [{ system: "urn:test:program", value: "CASH" }],
      name: "Cash",
      targetType: "group",
    }),
  );
  const medium = createMemoryMedium();
  const first = client(world, createMemoryStore({ medium }), { network });
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
    { network },
  );
  await Promise.race([doomed.sync(), turns(world.busy)]);
  await turns(world.busy);
  await checkAfterRestart(world, client(world, createMemoryStore({ medium }), { network }));
  return outcome;
}

async function checkAfterRestart(world: World, next: FieldClient): Promise<void> {
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
  expect((await ok(world.view.memberships.search())).data).toMatchObject([{ status: "enrolled" }]);
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
  await ok(world.view.individuals.create(personOf("ANA", { given: "Ana" })));
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
  if (signedInAs === null) {
    await ok(survivor.signIn({ ...credentials, clientId: "other" }));
    await survivor.sync();
  }
  expect((await ok(survivor.individuals.search())).data).toHaveLength(1);
  return isDead ? "died" : "lived";
}

/** A device that reads everything anew, because it is to keep something else, dies at one of its commits. */
async function startOverAt(at: number, side: "before" | "after"): Promise<"died" | "lived"> {
  const world = await createWorld();
  await ok(world.view.individuals.create(personOf("ANA", { given: "Ana" })));
  const medium = createMemoryMedium();
  const first = client(world, createMemoryStore({ medium }));
  await ok(first.signIn(credentials));
  await first.sync();
  await first.close();
  let outcome: "died" | "lived" = "lived";
  const dying = mortal(createMemoryStore({ medium }), { at, side }, () => {
    outcome = "died";
  });
  const feeds = ["programs", "all"];
  await Promise.race([client(world, dying, { feeds }).sync(), turns(world.busy)]);
  await turns(world.busy);
  const survivor = client(world, createMemoryStore({ medium }), { feeds });
  expect(await survivor.sync()).toMatchObject({ phase: "idle", lastError: null });
  expect((await ok(survivor.individuals.search())).data).toHaveLength(1);
  return outcome;
}

describe("a device that dies while it syncs", () => {
  it.each(["before", "after"] as const)(
    "has every record at the end of the next pull, dying %s any commit of one that starts over",
    async (side) => {
      let at = 1;
      while ((await startOverAt(at, side)) === "died") at++;
      expect(at).toBeGreaterThan(4);
    },
  );

  it.each(["before", "after"] as const)(
    "shows nobody what another could see, dying %s any commit of a sign-in",
    async (side) => {
      let at = 1;
      while ((await takeOverAt(at, side)) === "died") at++;
      expect(at).toBeGreaterThan(5);
    },
  );

  it.each<["before" | "after", string, Network]>([
    ["before", "", (send) => send],
    ["after", "", (send) => send],
    ["before", " with a server that takes two at a time", twoAtMost],
    ["after", " with a server that takes two at a time", twoAtMost],
    ["before", " with a server that takes no bundles", noBundles],
    ["after", " with a server that takes no bundles", noBundles],
    ["before", " with a plain server", plain],
    ["after", " with a plain server", plain],
  ])("goes on where it was, dying %s any commit%s", async (side, _, network) => {
    let died = 0;
    for (let at = 1; ; at++) {
      if ((await crashAt(at, side, network)) === "lived") break;
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
