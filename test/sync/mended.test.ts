import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { turns } from "./support/timers.ts";
import { createWorld, credentials, type Device, type DeviceOptions, type World } from "./support/world.ts";

const system = "urn:test:national";
const card = "urn:test:card";
const referenceOf = (value: string) => `Individual/${system}|${value}`;
const area = (city: string) => [{ type: "physical" as const, country: "PH", state: "Cavite", city }];

async function ready(world: World, name: string, options?: DeviceOptions): Promise<Device> {
  const device = world.device(name, options);
  await ok(device.client.signIn(credentials));
  await device.client.sync();
  return device;
}

const person = (value: string, more: object = {}) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { family: "Cruz", given: "Ana" },
  ...more,
});

const forbidden = () =>
  new Response(JSON.stringify({ type: "urn:service:error:authorization", status: 403, detail: "no" }), {
    status: 403,
    headers: { "content-type": "application/problem+json" },
  });

/** Lets writes of one record arrive after those that left at the same time. */
const slowFor =
  (value: string): NonNullable<DeviceOptions["network"]> =>
  (send) =>
  async (url, init) => {
    if (init.method === "PATCH" && decodeURIComponent(url).endsWith(`|${value}`)) await turns();
    return send(url, init);
  };

describe("people, identifiers and news in unlucky orders", () => {
  let world: World;
  const patchOnServer = (value: string, patch: object) =>
    ok(world.view.individuals.patch(`${system}|${value}`, patch, { ifMatch: "*" }));

  let refusing: boolean;
  const refusal: DeviceOptions["network"] = (send) => async (url, init) =>
    refusing && init.method === "PATCH" ? forbidden() : send(url, init);

  beforeEach(async () => {
    refusing = false;
    world = await createWorld();
  });

  it("keeps pulling when one record made here meets two of the server's in one page", async () => {
    const { client } = await ready(world, "a");
    const identifier = [
      { system, value: "N1" },
      { system: card, value: "C2" },
    ];
    await ok(client.individuals.create({ active: true, identifier, name: { family: "Local" } }));
    await ok(world.view.individuals.create(person("N1")));
    await ok(world.view.individuals.create(person("X", { identifier: [{ system: card, value: "C2" }] })));
    await ok(world.view.individuals.create(person("LATER")));
    expect(await client.sync()).toMatchObject({ parked: 1, lastError: null });
    expect(await client.individuals.read(referenceOf("LATER"))).toMatchObject({ ok: true });
    await ok(client.resolve(referenceOf("N1"), { kind: "discard" }));
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0, lastError: null });
    expect((await ok(client.individuals.search({}))).data).toHaveLength(3);
  });

  it("parks what was edited here of a record that was archived on the server", async () => {
    await ok(world.view.individuals.create(person("P1")));
    const device = await ready(world, "a");
    device.online = false;
    await ok(
      device.client.individuals.update(referenceOf("P1"), (draft) => {
        draft.name = { family: "Cruz", given: "Edited" };
      }),
    );
    await patchOnServer("P1", { active: false });
    device.online = true;
    expect(await device.client.sync()).toMatchObject({ parked: 1, pending: 0 });
    expect(await device.client.parked()).toMatchObject([
      { reason: "gone", ours: { name: { given: "Edited" } } },
    ]);
  });

  it("keeps no copy of a record outside its area when the last edit of it has arrived", async () => {
    await ok(world.view.individuals.create(person("BEN", { address: area("Bacoor") })));
    const device = await ready(world, "a", { feeds: ["area:PH/Cavite/Bacoor"], network: refusal });
    device.online = false;
    await ok(
      device.client.individuals.update(referenceOf("BEN"), (draft) => {
        draft.name = { family: "Cruz", given: "Benji" };
      }),
    );
    refusing = true;
    device.online = true;
    await device.client.sync();
    await patchOnServer("BEN", { address: area("Imus") });
    await device.client.sync();
    expect(await device.client.parked()).toMatchObject([{ reason: "gone" }]);
    refusing = false;
    await ok(device.client.resolve(referenceOf("BEN"), { kind: "retry" }));
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect(await ok(world.view.individuals.read(`${system}|BEN`))).toMatchObject({
      name: { given: "Benji" },
    });
    expect(await device.client.individuals.read(referenceOf("BEN"))).toMatchObject({ ok: false });
  });

  it("moves an identifier from one person to another, both offline", async () => {
    const both = [
      { system, value: "P1" },
      { system: card, value: "C" },
    ];
    await ok(world.view.individuals.create(person("P1", { identifier: both })));
    await ok(world.view.individuals.create(person("P2")));
    const device = await ready(world, "a", { network: slowFor("P1") });
    device.online = false;
    const identify = (value: string, identifier: { system: string; value: string }[]) =>
      ok(
        device.client.individuals.update(referenceOf(value), (draft) => {
          draft.identifier = identifier;
        }),
      );
    await identify("P1", [{ system, value: "P1" }]);
    await identify("P2", [
      { system, value: "P2" },
      { system: card, value: "C" },
    ]);
    device.online = true;
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    expect((await ok(world.view.individuals.read(`${card}|C`))).identifier[0]).toMatchObject({ value: "P2" });
  });

  it("decides on a parked record under its own address, whoever has its identifier on the server", async () => {
    await ok(world.view.individuals.create(person("P")));
    const device = await ready(world, "a");
    device.online = false;
    const { client } = device;
    const identifier = [{ system, value: "N" }];
    await ok(client.individuals.create({ active: true, identifier, name: { family: "New" } }));
    await ok(
      client.individuals.update(referenceOf("P"), (draft) => {
        draft.name = { family: "Cruz", given: "Edited" };
      }),
    );
    await patchOnServer("P", {
      identifier: [
        { system, value: "P" },
        { system, value: "N" },
      ],
    });
    device.online = true;
    await client.sync();
    const parked = await client.parked();
    expect(parked).toMatchObject([{ reason: "duplicate", ours: { name: { family: "New" } } }]);
    const reference = parked[0]?.reference ?? "";
    await ok(client.resolve(reference, { kind: "retry" }));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.identifier = [{ system, value: "N3" }];
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    const named = async (value: string) =>
      (await ok(client.individuals.read(referenceOf(value)))).record.name;
    expect([await named("N3"), await named("N"), await named("P")]).toMatchObject([
      { family: "New" },
      { given: "Edited" },
      { given: "Edited" },
    ]);
  });

  it("enrolls a person under the identifier that the server gave them meanwhile", async () => {
    await ok(world.view.individuals.create(person("P1")));
    const program = { system: "urn:test:program", value: "P" };
    await ok(
      world.view.programs.create({
        type: "Program",
        identifier: [program],
        name: "Food",
        targetType: "individual",
      }),
    );
    const device = await ready(world, "a");
    device.online = false;
    const membership = await ok(
      device.client.memberships.create({
        program: { reference: "Program/urn:test:program|P" },
        beneficiary: { reference: referenceOf("P1") },
        status: "enrolled",
      }),
    );
    await patchOnServer("P1", { identifier: [{ system, value: "P1new" }] });
    device.online = true;
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    const address = membership.reference.slice(membership.reference.indexOf("/") + 1);
    expect(await ok(world.view.memberships.read(address))).toMatchObject({ status: "enrolled" });
  });
});
