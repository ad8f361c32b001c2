import type { FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const ana = "Individual/urn:test:national|ANA";
const household = "Group/urn:test:household|H1";
const program = "Program/urn:service:program|CASH";

/** Two people in one household, and a program for households. */
async function seed({ view }: World): Promise<void> {
  await ok(
    view.programs.create({
      type: "Program",
      identifier: [{ system: "urn:service:program", value: "CASH" }],
      name: "Cash for families",
      targetType: "group",
      period: { start: "2026-01-01" },
    }),
  );
  for (const [value, given] of [
    ["ANA", "Ana"],
    ["BEN", "Ben"],
  ] as const) {
    await ok(
      view.individuals.create({
        type: "Individual",
        identifier: [{ system: "urn:test:national", value }],
        name: { family: "Cruz", given },
        telecom: [{ system: "phone", value: "+63 1", use: "mobile" }],
      }),
    );
  }
  await ok(
    view.groups.create({
      type: "Group",
      identifier: [{ system: "urn:test:household", value: "H1" }],
      groupType: "household",
      name: "Cruz household",
      member: [{ entity: { reference: ana }, role: role("head") }],
    }),
  );
}

function rename(client: FieldClient, family: string) {
  const renamed = client.individuals.update(ana, (draft) => {
    draft.name.family = family;
  });
  return ok(renamed);
}

function role(code: string) {
  return { coding: [{ system: "urn:service:vocab:relationship", code }] };
}

describe("two devices and a server", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
    await seed(world);
  });

  it("keeps both sides' offline work, through a kill, and leaves only a true conflict to a person", async () => {
    const a = world.device("a");
    const b = world.device("b");
    for (const device of [a, b]) {
      await ok(device.client.signIn(credentials));
      const status = await device.client.sync();
      expect(status).toMatchObject({
        firstSync: { complete: true, records: 4 },
        phase: "idle",
        lastError: null,
      });
      device.online = false;
    }

    await ok(
      a.client.individuals.update(ana, (draft) => {
        draft.telecom = [{ system: "phone", value: "+63 917 555 0101", use: "mobile" }];
      }),
    );
    const registered = await ok(
      a.client.registerHousehold({
        group: { groupType: "household", name: "Reyes household", active: true },
        members: ["Jo", "Lia", "Mia", "Noa"].map((given, i) => ({
          individual: { active: true, name: { family: "Reyes", given } },
          role: i === 0 ? "head" : "child",
        })),
        enrollIn: [program],
      }),
    );
    await ok(
      b.client.individuals.update(ana, (draft) => {
        draft.name.family = "Santos";
      }),
    );
    await ok(
      b.client.groups.update(household, (draft) => {
        draft.member = [
          ...(draft.member ?? []),
          { entity: { reference: "Individual/urn:test:national|BEN" }, role: role("child") },
        ];
      }),
    );

    await a.client.sync();
    const killed = a.kill();
    expect(await ok(killed.individuals.read(ana))).toMatchObject({
      state: "pending",
      record: { telecom: [{ value: "+63 917 555 0101" }] },
    });
    const stillOff = await killed.sync();
    expect(stillOff.pending + stillOff.sending).toBe(7);

    a.online = true;
    b.online = true;
    const afterA = await a.client.sync();
    expect(afterA).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
    const afterB = await b.client.sync();
    expect(afterB).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
    await a.client.sync();

    const server = await ok(world.view.individuals.read(ana.slice("Individual/".length)));
    for (const record of [
      server,
      (await ok(a.client.individuals.read(ana))).record,
      (await ok(b.client.individuals.read(ana))).record,
    ]) {
      expect(record).toMatchObject({
        name: { family: "Santos", given: "Ana" },
        telecom: [{ value: "+63 917 555 0101" }],
        meta: { versionId: "3" },
      });
    }
    const enrolled = registered.memberships[0]?.reference ?? "";
    const group = registered.group.reference;
    for (const client of [a.client, b.client]) {
      expect((await ok(client.groups.read(group))).record.member).toHaveLength(4);
      expect((await ok(client.memberships.read(enrolled))).record.status).toBe("enrolled");
      expect((await ok(client.groups.read(household))).record.member).toHaveLength(2);
    }

    a.online = false;
    b.online = false;
    await rename(a.client, "Aquino");
    await rename(b.client, "Bautista");
    a.online = true;
    b.online = true;
    await a.client.sync();
    expect(await b.client.sync()).toMatchObject({ parked: 1, pending: 0 });
    const [parked] = await b.client.parked();
    expect(parked).toMatchObject({
      reason: "conflict",
      detail: "Someone else changed the same fields meanwhile; choose which values stay.",
      conflicts: [{ path: "/name/family", base: "Santos", ours: "Bautista", theirs: "Aquino" }],
    });
    expect((await ok(b.client.individuals.read(ana))).record.name.family).toBe("Bautista");
    await ok(
      b.client.resolve(ana, {
        kind: "choose",
        revision: parked?.revision ?? "",
        choices: { "/name/family": "ours" },
      }),
    );
    expect(await b.client.sync()).toMatchObject({ parked: 0, pending: 0 });
    await a.client.sync();
    for (const client of [a.client, b.client]) {
      expect(await ok(client.individuals.read(ana))).toMatchObject({
        state: "synced",
        record: { name: { family: "Bautista" }, meta: { versionId: "5" } },
      });
    }
    await a.client.close();
    await b.client.close();
  });
});
