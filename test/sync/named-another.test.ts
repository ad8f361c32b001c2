import { unwrap } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const person = (value: string, given: string, birthDate: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { given, family: "Cruz" },
  birthDate,
});

/** "A link made here goes on meaning the record it meant, whoever has the name by now." (decision 15) */
describe.each([
  ["by the time it is sent", false],
  ["just as it is sent", true],
])("what is made here of somebody whose number is another one's %s", (_when, isLate) => {
  let world: World;
  let change: (() => Promise<void>) | null;
  let client: FieldClient;

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(person("2", "Ben", "1990-02-02")));
    const program = { type: "Program", identifier: [{ system, value: "P" }], name: "Aid", active: true };
    await ok(world.view.programs.create({ ...program, targetType: "individual" }));
    change = null;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const now = init.method === "POST" && !url.endsWith("/token") ? change : null;
        if (now) change = null;
        await now?.();
        return send(url, init);
      };
    client = world.device("a", { network }).client;
    await ok(client.signIn(credentials));
    await client.sync();
  });

  async function giveAway() {
    if (isLate) change = giveAwayNow;
    else await giveAwayNow();
  }
  async function giveAwayNow() {
    await ok(
      world.view.individuals.patch(`${system}|2`, { identifier: [{ system, value: "4" }] }, { ifMatch: "*" }),
    );
    await ok(world.view.individuals.create(person("2", "Dan", "1970-03-03")));
  }
  const given = async (reference: string) =>
    unwrap(await world.view.individuals.read(reference.slice("Individual/".length))).name.given;

  it("an enrollment is of who was enrolled, or waits for a person", async () => {
    await ok(
      client.memberships.create({
        program: { reference: `Program/${system}|P` },
        beneficiary: { reference: `Individual/${system}|2` },
        status: "enrolled",
      }),
    );
    await giveAway();
    for (let run = 0; run < 3; run++) await client.sync();
    const { data } = unwrap(await world.view.memberships.search({}));
    for (const { beneficiary } of data) expect(await given(beneficiary.reference)).toBe("Ben");
    expect([data.length, (await client.parked()).length]).toEqual([1, 0]);
  });

  it("a household has who was put into it, or waits for a person", async () => {
    const entity = { reference: `Individual/${system}|2` };
    await ok(client.groups.create({ groupType: "household", name: "New", member: [{ entity }] }));
    await giveAway();
    for (let run = 0; run < 3; run++) await client.sync();
    const { data } = unwrap(await world.view.groups.search({}));
    for (const { member = [] } of data)
      for (const one of member) expect(await given(one.entity.reference)).toBe("Ben");
    expect([data.length, (await client.parked()).length]).toEqual([1, 0]);
  });
});
