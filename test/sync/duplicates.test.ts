import type { Individual, Outcome, Problem } from "@fieldroll/core";
import type { FieldClient, NewRecord, ParkedRecord } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:gov:ph:nid";
const twice = `Individual/${system}|7`;
const addressOf = (reference: string) => reference.slice(reference.indexOf("/") + 1);

async function problem(outcome: Promise<Outcome<unknown>>): Promise<Problem> {
  const settled = await outcome;
  if (settled.ok) throw new Error("a problem was expected");
  return settled.problem;
}

async function onlyParked(client: FieldClient): Promise<ParkedRecord> {
  const [parked, ...rest] = await client.parked();
  if (!parked || rest.length > 0) throw new Error("one parked record was expected");
  return parked;
}

/** How edits left the outbox, as the device keeps it. */
function historyOf({ medium }: Device): readonly unknown[] {
  return [...(medium.collections.get("outbox-history")?.values() ?? [])].map(({ body }) => body);
}

describe("a person who was registered here and on another tablet", () => {
  let world: World;
  let device: Device;
  let client: FieldClient;

  const office = (number: string, rest: object = {}) => ({
    type: "Individual",
    identifier: [
      { system: "urn:service:registrant", value: `office-${number}` },
      { system, value: number },
    ],
    name: { family: "Reyes", given: "Ana" },
    ...rest,
  });
  const ownNumber = (number: string) => [
    { system: "urn:service:registrant", value: "made-here" },
    { system, value: number },
  ];
  const typed = (rest: Partial<NewRecord<Individual>> = {}): NewRecord<Individual> => ({
    identifier: ownNumber("7"),
    name: { family: "Reyes", given: "Ana" },
    birthDate: "1990-05-01",
    ...rest,
  });
  const household = (individual: NewRecord<Individual>) =>
    ok(
      client.registerHousehold({
        group: { groupType: "household", name: "Reyes" },
        members: [{ individual, role: "head" }],
      }),
    );
  const everybody = async () => (await ok(client.individuals.search({ _sort: "name" }))).data;

  beforeEach(async () => {
    world = await createWorld();
    device = world.device("a");
    client = device.client;
    await ok(client.signIn(credentials));
    await client.sync();
  });

  it("becomes the one that the server has, and the household follows", async () => {
    const registered = await household(typed());
    await ok(world.view.individuals.create(office("7")));
    expect(await client.sync()).toMatchObject({ parked: 1, pending: 1 });
    const { reference, revision, conflicts } = await onlyParked(client);
    expect(conflicts).toEqual([]);
    device.online = false;
    await ok(client.resolve(reference, { kind: "adopt", revision }));
    const [member] = (await ok(client.groups.read(registered.group.reference))).record.member ?? [];
    expect(member?.entity.reference).toBe("Individual/urn:service:registrant|office-7");
    expect(await everybody()).toMatchObject([{ reference: member?.entity.reference, state: "pending" }]);
    device.online = true;
    const before = world.requests.length;
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0, lastError: null });
    expect(world.requests.slice(before).filter((each) => !each.startsWith("GET"))).toEqual([
      "POST /api/v2/$batch 200",
    ]);
    const there = await ok(world.view.individuals.read(addressOf(twice)));
    expect(there).toMatchObject({ birthDate: "1990-05-01", meta: { versionId: "2" } });
    expect(there.identifier).toHaveLength(2);
    const group = await ok(world.view.groups.read(addressOf(registered.group.reference)));
    expect(group.member?.map(({ entity }) => entity.reference)).toEqual([
      "Individual/urn:service:registrant|office-7",
    ]);
    expect(await everybody()).toMatchObject([{ state: "synced", record: { birthDate: "1990-05-01" } }]);
  });

  it("asks for a choice where both say something else, and refuses a decision without it", async () => {
    await ok(client.individuals.create(typed({ name: { family: "Reyes", given: "Anna" } })));
    await ok(world.view.individuals.create(office("7")));
    await client.sync();
    const { reference, revision, conflicts } = await onlyParked(client);
    expect(conflicts.map(({ path, ours, theirs }) => [path, ours, theirs])).toEqual([
      ["/name/given", "Anna", "Ana"],
    ]);
    expect(await problem(client.resolve(reference, { kind: "adopt", revision }))).toMatchObject({
      detail: expect.stringContaining("/name/given"),
    });
    expect(await problem(client.resolve(reference, { kind: "adopt", revision: "0.0" }))).toMatchObject({
      kind: "conflict",
    });
    await ok(client.resolve(reference, { kind: "adopt", revision, choices: { "/name/given": "theirs" } }));
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect(await ok(world.view.individuals.read(addressOf(twice)))).toMatchObject({
      name: { given: "Ana" },
      birthDate: "1990-05-01",
    });
  });

  it("sends nothing when the server's record says it all, and keeps the act in the history", async () => {
    const { birthDate: _, ...less } = typed();
    await ok(client.individuals.create(less));
    await ok(world.view.individuals.create(office("7")));
    await client.sync();
    const { reference, revision } = await onlyParked(client);
    await ok(client.resolve(reference, { kind: "adopt", revision }));
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect((await ok(world.view.individuals.read(addressOf(twice)))).meta.versionId).toBe("1");
    expect(await everybody()).toMatchObject([{ state: "synced" }]);
    expect(historyOf(device)).toMatchObject([{ end: "adopted", edit: { by: credentials.clientId } }]);
  });

  describe("and whose other record is on this device, without the number", () => {
    beforeEach(async () => {
      await ok(world.view.individuals.create({ ...office("7"), identifier: [office("7").identifier[0]] }));
      await client.sync();
    });

    const numberGiven = () =>
      ok(
        world.view.individuals.patch(
          "urn:service:registrant|office-7",
          { identifier: office("7").identifier },
          { ifMatch: "*" },
        ),
      );

    it.each(["adopt", "discard"] as const)("is there once after %s", async (kind) => {
      await ok(client.individuals.create(typed()));
      await numberGiven();
      expect(await client.sync()).toMatchObject({ parked: 1 });
      const { reference, revision } = await onlyParked(client);
      await ok(client.resolve(reference, kind === "adopt" ? { kind, revision } : { kind }));
      for (let run = 0; run < 3; run++) expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
      const found = await everybody();
      expect(found.map(({ record }) => record.identifier)).toEqual([office("7").identifier]);
      expect(found[0]?.state).toBe("synced");
      expect((await ok(client.individuals.read(twice))).record.birthDate).toBe(
        kind === "adopt" ? "1990-05-01" : undefined,
      );
      await ok(
        world.view.individuals.patch(addressOf(twice), { name: { given: "Anita" } }, { ifMatch: "*" }),
      );
      await client.sync();
      expect((await everybody()).map(({ record }) => record.name.given)).toEqual(["Anita"]);
    });

    it.each(["nobody's", "somebody else's"])(
      "takes along who knows it by a wrong number, %s",
      async (whose) => {
        const { group, members } = await household(typed({ identifier: [{ system, value: "8" }] }));
        await ok(
          client.individuals.update(members[0]?.reference ?? "", (draft) => {
            draft.identifier = [{ system, value: "7" }];
          }),
        );
        await numberGiven();
        if (whose !== "nobody's") {
          const identifier = [{ system, value: "8" }];
          await ok(world.view.individuals.create({ ...office("8"), identifier, name: { given: "Dan" } }));
        }
        await client.sync();
        const { reference, revision } = await onlyParked(client);
        await ok(client.resolve(reference, { kind: "adopt", revision }));
        for (let run = 0; run < 2; run++) await client.sync();
        const { member } = await ok(world.view.groups.read(addressOf(group.reference)));
        expect(member?.map(({ entity }) => entity.reference)).toEqual([
          "Individual/urn:service:registrant|office-7",
        ]);
      },
    );

    it("takes the household and its enrollment along", async () => {
      await ok(
        world.view.programs.create({
          type: "Program",
          identifier: [{ system: "urn:service:program", value: "P" }],
          name: "P",
          targetType: "individual",
        }),
      );
      await client.sync();
      const { group, members } = await household(typed());
      const beneficiary = { reference: members[0]?.reference ?? "" };
      const program = { reference: "Program/urn:service:program|P" };
      const enrolled = await ok(client.memberships.create({ program, beneficiary, status: "enrolled" }));
      await numberGiven();
      expect(await client.sync()).toMatchObject({ parked: 1, pending: 2 });
      const { reference, revision } = await onlyParked(client);
      await ok(client.resolve(reference, { kind: "adopt", revision }));
      const home = await ok(client.groups.search({ member: "Individual/urn:service:registrant|office-7" }));
      expect(home.data.map((held) => held.reference)).toEqual([group.reference]);
      expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
      const membership = await ok(world.view.memberships.read(addressOf(enrolled.reference)));
      expect(membership.beneficiary.reference).toBe("Individual/urn:service:registrant|office-7");
    });
  });

  it("names what depends on it instead of being discarded", async () => {
    const { group } = await household(typed());
    await ok(world.view.individuals.create(office("7")));
    await client.sync();
    const { reference } = await onlyParked(client);
    expect(await problem(client.resolve(reference, { kind: "discard" }))).toMatchObject({
      kind: "invalid-state",
      detail: expect.stringContaining(group.reference),
    });
  });

  it("stays itself when an edit that took another's number is discarded", async () => {
    await ok(world.view.individuals.create(office("1", { name: { family: "Other" } })));
    await client.sync();
    const mine = `Individual/${system}|1`;
    device.online = false;
    await ok(client.individuals.update(mine, (draft) => void draft.identifier.push({ system, value: "7" })));
    await ok(world.view.individuals.create(office("7")));
    device.online = true;
    await client.sync();
    const { reference, revision, reason } = await onlyParked(client);
    expect(reason).toBe("duplicate");
    expect(await problem(client.resolve(reference, { kind: "adopt", revision }))).toMatchObject({
      kind: "invalid-state",
    });
    await ok(client.resolve(reference, { kind: "discard" }));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect((await ok(client.individuals.read(mine))).record.name.family).toBe("Other");
    expect((await ok(client.individuals.read(twice))).record.name.family).toBe("Reyes");
  });
});
