import type { Fetch, SyncStatus } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { call, edit, everybody, rename, said, shown } from "./support/restored.ts";
import { turns } from "./support/timers.ts";
import {
  createWorld,
  credentials,
  type Device,
  type DeviceOptions,
  partner,
  restoredFrom,
  type World,
} from "./support/world.ts";

const made = (value: string) => ({ system: "urn:service:registrant", value });
const card = { system, value: "7" };
const isCreate = (url: string, method: string) => method === "POST" && /\/Individual(\?|$)/.test(url);

/** Something in between that refuses the first registration. */
function refusesOnce() {
  let refused = 0;
  const { status, body } = refusal(422, "validation");
  return (send: Fetch): Fetch =>
    (url, init) =>
      isCreate(url, init.method) && refused++ === 0
        ? Promise.resolve(answer(status, body, "application/problem+json"))
        : send(url, init);
}

/** Where a device stands when it has looked several times. */
async function atRest({ client }: Device): Promise<SyncStatus> {
  for (let nth = 0; nth < 3; nth++) await client.sync();
  return client.sync();
}

describe("a record that shares an identifier with another one", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });

  async function ready(options?: DeviceOptions): Promise<Device> {
    const device = world.device("a", options);
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    return device;
  }

  async function restore(medium: World["medium"]): Promise<World> {
    const now = await restoredFrom(medium);
    world.moveTo(now);
    return now;
  }

  it.each([
    { how: "was only made", changes: [] },
    { how: "was changed too", changes: [call("1")] },
  ])(
    "is not merged into somebody else's when a restored server lost it: one that $how",
    async ({ changes }) => {
      const a = await ready();
      const older = structuredClone(world.medium);
      const ana = { active: true, name: { family: "Cruz", given: "Ana" }, birthDate: "1990-05-01" };
      const identifier = [made("here"), card];
      const { reference } = await ok(a.client.individuals.create({ ...ana, identifier }));
      await a.client.sync();
      for (const change of changes) {
        await edit(a, change, reference);
        await a.client.sync();
      }
      const now = await restore(older);
      const pedro = { type: "Individual", active: true, name: { family: "Santos" }, birthDate: "1950-12-31" };
      await ok(now.view.individuals.create({ ...pedro, identifier: [made("office"), card] }));
      await ok(a.client.signIn(credentials));
      expect(await atRest(a)).toMatchObject({ parked: 1 });
      expect((await everybody(now.view)).map(said)).toEqual(["Santos"]);
      expect(await a.client.parked()).toMatchObject([
        { reason: "duplicate", ours: { birthDate: "1990-05-01" } },
      ]);
    },
  );

  it.each([
    { how: "says the same", family: "Cruz" },
    { how: "has another name", family: "Reyes" },
  ])("is sent once a restored server has lost the other one, that $how", async ({ family }) => {
    const a = await ready({ network: refusesOnce() });
    const older = structuredClone(world.medium);
    a.online = false;
    await ok(a.client.individuals.create({ active: true, identifier: [card], name: { family: "Cruz" } }));
    await ok(world.view.individuals.create(personOf("7", { family, given: "Ana" })));
    a.online = true;
    await a.client.sync();
    expect(await a.client.parked()).toMatchObject([{ reason: "duplicate" }]);
    const now = await restore(older);
    await ok(a.client.signIn(credentials));
    expect(await atRest(a)).toMatchObject({ parked: 0, pending: 0 });
    expect((await everybody(now.view)).map(said)).toEqual(["Cruz"]);
    expect(await shown(a)).toEqual(["Cruz"]);
  });

  it.each(["a verdict", "a feed"])(
    "keeps nothing of it when its consent is withdrawn, known by %s",
    async (how) => {
      const pedro = { type: "Individual", active: true, name: { family: "Santos" }, birthDate: "1950-12-31" };
      await ok(world.view.individuals.create({ ...pedro, identifier: [made("office"), card] }));
      const { id } = await ok(
        world.view.consents.grant({
          subject: { reference: "Individual/urn:service:registrant|office" },
          grantee: { organization: "Aid" },
          scope: [{ resourceType: "Individual", fieldAccess: "all" }],
        }),
      );
      const a = world.device("a", how === "a feed" ? { network: refusesOnce() } : {});
      await ok(a.client.signIn(partner));
      const mine = { active: true, identifier: [made("here"), card], name: { family: "Santos" } };
      const { reference } = await ok(a.client.individuals.create(mine));
      await atRest(a);
      expect(await a.client.parked()).toMatchObject([
        { reason: "duplicate", theirs: { birthDate: "1950-12-31" } },
      ]);
      await ok(world.view.consents.revoke(id));
      await atRest(a);
      const kept = [...a.medium.collections.values()].flatMap((each) => [...each.values()]);
      expect(JSON.stringify(kept)).not.toContain("1950-12-31");
      const [parked] = await a.client.parked();
      const adopted = await a.client.resolve(reference, { kind: "adopt", revision: parked?.revision ?? "" });
      expect(adopted.ok).toBe(false);
    },
  );

  it("is no duplicate of itself when its answer was lost, and something in between refuses the repetition", async () => {
    let posts = 0;
    const { status, body } = refusal(422, "validation");
    const a = await ready({
      network: (send) => async (url, init) => {
        const given = await send(url, init);
        if (!isCreate(url, init.method) || ++posts > 2) return given;
        return posts === 1 ? answer(500) : answer(status, body, "application/problem+json");
      },
    });
    await ok(a.client.individuals.create({ active: true, name: { family: "Cruz", given: "Ana" } }));
    for (let turn = 0; turn < 4; turn++) {
      await a.client.sync();
      world.pass(120_000);
    }
    expect(await a.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await everybody(world.view)).map(said)).toEqual(["Cruz"]);
  });
});

describe("a server that was restored, and whose feed fails at first", () => {
  it.each([
    { status: 500, at: 1 },
    { status: 502, at: 1 },
    // The first says that the cursor is another server's.
    { status: 422, at: 2 },
  ])("is given what it lost, after $status in the place of answer $at", async ({ status, at }) => {
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    let asked = Number.NaN;
    const { body } = refusal(status, "validation");
    const a = world.device("a", {
      network: (send) => async (url, init) =>
        url.includes("/$changes") && ++asked === at
          ? answer(status, status < 500 ? body : "", "application/problem+json")
          : send(url, init),
    });
    await ok(a.client.signIn(credentials));
    await a.client.sync();
    const older = structuredClone(world.medium);
    await edit(a, call("1"));
    await a.client.sync();
    a.online = false;
    await edit(a, call("2"));
    a.online = true;
    const now = await restoredFrom(older);
    world.moveTo(now);
    await ok(a.client.signIn(credentials));
    asked = 0;
    await atRest(a);
    expect((await everybody(now.view)).map(said)).toEqual(["Cruz 1 2"]);
  });
});

describe("a sign-in while an earlier run still waits for an answer", () => {
  it("holds, whatever that run has to say of the session before", async () => {
    const world = await createWorld();
    for (const name of ["P0", "P1"]) await ok(world.view.individuals.create(personOf(name, { given: name })));
    let release: () => void = () => undefined;
    const hung = new Promise<void>((resolve) => {
      release = resolve;
    });
    let [refuses, waits] = [false, false];
    const a = world.device("a", {
      network: (send) => async (url, init) => {
        if (url.includes("/metadata")) return answer(404);
        if (!refuses || init.method !== "PATCH") return send(url, init);
        if (url.includes("P0"))
          return new Response("", {
            status: 401,
            headers: { "www-authenticate": 'Bearer error="invalid_token"' },
          });
        waits = true;
        await hung;
        throw new TypeError("connection reset");
      },
    });
    await ok(a.client.signIn(credentials));
    await a.client.sync();
    // The secret is in memory no longer.
    a.kill();
    for (const name of ["P0", "P1"]) await edit(a, rename("Reyes"), `Individual/${system}|${name}`);
    refuses = true;
    const earlier = a.client.sync();
    while (!waits) await turns();
    refuses = false;
    await ok(a.client.signIn(credentials));
    release();
    await earlier;
    expect(await atRest(a)).toMatchObject({ phase: "idle", needsSignIn: false, pending: 0, sending: 0 });
    expect((await everybody(world.view)).map(said)).toEqual(["Reyes", "Reyes"]);
  });
});
