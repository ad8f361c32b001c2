import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, born, run, tabletOf } from "./support/files.ts";
import { answer, ok, personOf, settled, system } from "./support/people.ts";
import { ana, call, edit, rename } from "./support/restored.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const renumbered = `Individual/${system}|ANA2`;

describe("somebody registered here, whom a feed tells under another number before the answer arrives", () => {
  let world: World;
  let tablet: Device;
  /** Whether answers to a registration are lost. */
  let isLost: boolean;

  const everybody = async () =>
    (await ok(tablet.client.individuals.search({}))).data.map(({ reference, record, state }) => [
      reference,
      record.name.family,
      record.birthDate,
      ...(record.telecom ?? []).map(({ value }) => value),
      state,
    ]);
  const told = async () =>
    (await ok(world.view.individuals.search({}))).data.map(({ identifier, name, telecom = [] }) => [
      identifier[0]?.value,
      name.family,
      ...telecom.map(({ value }) => value),
    ]);
  const arrives = async () => {
    isLost = false;
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
  };

  beforeEach(async () => {
    world = await createWorld();
    isLost = true;
    tablet = await tabletOf(world, "a", {
      network: (send) => async (url, init) => {
        const reply = await send(url, init);
        const isMade = init.method === "POST" && /\/Individual(\?|$)/.test(url);
        return isMade && isLost ? answer(500) : reply;
      },
    });
  });

  /** Registered, alone or as the head of a household, and known to the feed under the number that the office gave. */
  async function met(isHead = false) {
    const { type: _, ...person } = personOf("ANA", { family: "Cruz", given: "Ana" });
    const members = [{ individual: person, role: "head" as const }];
    const group = { groupType: "household", name: "Cruz" } as const;
    if (!isHead) await ok(tablet.client.individuals.create(person));
    else await ok(tablet.client.registerHousehold({ group, members }));
    await run(tablet, 1);
    await asOffice(world, { identifier: [{ system, value: "ANA2" }], birthDate: "1990-01-01" });
    const identifier = [{ system: "urn:test:household", value: "H" }];
    const member = [{ entity: { reference: renumbered } }];
    const office = { type: "Group", identifier, groupType: "household", name: "Office", member };
    await ok(world.view.groups.create(office));
    await run(tablet, 1);
    expect(await everybody()).toMatchObject([
      [ana, "Cruz", undefined, "sending"],
      [renumbered, "Cruz", "1990-01-01", "synced"],
    ]);
  }

  it("is there once, as the office has it, with what was and is said here", async () => {
    await met();
    await edit(tablet, call("1"));
    await arrives();
    expect(await everybody()).toEqual([[renumbered, "Cruz", "1990-01-01", "1", "synced"]]);
    await edit(tablet, rename("Reyes"), renumbered);
    await arrives();
    expect(await told()).toEqual([["ANA2", "Reyes", "1"]]);
  });

  it("is where whatever refers to the one or the other leads to", async () => {
    await met(true);
    await arrives();
    const groups = (await ok(world.view.groups.search({}))).data;
    expect(groups.map(({ member = [] }) => member.map(({ entity }) => entity.reference))).toEqual([
      [renumbered],
      [renumbered],
    ]);
    await asOffice(world, { identifier: [{ system, value: "ANA3" }] }, renumbered);
    await run(tablet, 1);
    const reference = `Individual/${system}|ANA3`;
    expect((await ok(tablet.client.groups.search({ member: reference }))).data).toHaveLength(2);
  });

  it("waits while the other one has changes, and loses none", async () => {
    await met();
    tablet.online = false;
    await edit(tablet, rename("Reyes"), renumbered);
    await edit(tablet, call("1"));
    tablet.online = true;
    await arrives();
    expect(await told()).toEqual([["ANA2", "Reyes", "1"]]);
    expect(await everybody()).toEqual([[renumbered, "Reyes", "1990-01-01", "1", "synced"]]);
  });

  it("waits for a person who has to decide about the other one", async () => {
    await met();
    tablet.online = false;
    await edit(tablet, born, renumbered);
    await edit(tablet, rename("Reyes"), renumbered);
    tablet.online = true;
    await asOffice(world, { name: { family: "Santos" } }, renumbered);
    isLost = false;
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject({ parked: 1, sending: 1 });
    await ok(tablet.client.resolve(renumbered, { kind: "discard" }));
    await arrives();
    expect(await everybody()).toEqual([[renumbered, "Santos", "1990-01-01", "synced"]]);
  });

  it("keeps what was accepted of the other one, for a server that is restored", async () => {
    await met();
    await edit(tablet, call("1"), renumbered);
    await run(tablet, 1);
    await arrives();
    const kept = [...(tablet.medium.collections.get("accepted")?.values() ?? [])].map(({ body }) => body);
    expect(kept).toMatchObject([[{ before: null }, { after: { telecom: [{ value: "1" }] } }]]);
  });
});
