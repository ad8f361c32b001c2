import { unwrap } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const home = `Group/${system}|HOME`;
const photo = picture(".".repeat(24));
const arrived = { pending: 0, sending: 0, parked: 0, lastError: null };
const person = (value: string, given: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { given, family: "Cruz" },
});

describe.each([
  ["a server with a feed", (send: Fetch) => send],
  ["a plain server", (send: Fetch) => plain(send)],
])("a corrected number that is given up again, at %s", (_, network) => {
  let world: World;
  let device: Device;
  let client: FieldClient;

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(person("1", "Ana")));
    await ok(world.view.individuals.create(person("2", "Ben")));
    const member = ["1", "2"].map((value) => ({ entity: { reference: `Individual/${system}|${value}` } }));
    const group = { type: "Group", identifier: [{ system, value: "HOME" }], groupType: "household" };
    await ok(world.view.groups.create({ ...group, name: "Home", member }));
    device = world.device("a", { network });
    client = device.client;
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(`Individual/${system}|1`, (draft) => {
        draft.identifier = [{ system, value: "9" }];
      }),
    );
    await ok(
      client.groups.update(home, (draft) => {
        draft.name = "Cruz";
      }),
    );
  });

  const members = async () => {
    const { name, member = [] } = unwrap(await world.view.groups.read(`${system}|HOME`));
    return { name, member: member.map(({ entity }) => entity.reference) };
  };

  async function parkedAs(reason: string): Promise<string> {
    expect(await client.sync()).toMatchObject({ parked: 1 });
    const [parked] = await client.parked();
    expect(parked).toMatchObject({ reason });
    return parked?.reference ?? "";
  }

  it("leaves the person in the household, which goes on, where the number is somebody else's", async () => {
    await ok(world.view.individuals.create(person("9", "Dan")));
    await ok(client.resolve(await parkedAs("duplicate"), { kind: "discard" }));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject(arrived);
    const both = [`Individual/${system}|1`, `Individual/${system}|2`];
    expect(await members()).toEqual({ name: "Cruz", member: both });
    const { record } = await ok(client.groups.read(home));
    expect(record.member?.map(({ entity }) => entity.reference)).toEqual(both);
  });

  it("leaves the person in the household, which goes on, where the person was archived", async () => {
    await ok(world.view.individuals.create(person("9", "Dan")));
    await ok(world.view.individuals.patch(`${system}|1`, { active: false }, { ifMatch: "*" }));
    await ok(client.resolve(await parkedAs("gone"), { kind: "discard" }));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject(arrived);
    expect(await members()).toEqual({
      name: "Cruz",
      member: [`Individual/${system}|1`, `Individual/${system}|2`],
    });
  });

  it("leaves its number with whoever has it on the server, when the news that the person was archived comes last", async () => {
    await ok(world.view.individuals.create(person("9", "Dan")));
    await parkedAs("duplicate");
    await ok(world.view.individuals.patch(`${system}|1`, { active: false }, { ifMatch: "*" }));
    await client.sync();
    const { record } = await ok(client.individuals.read(`Individual/${system}|9`));
    expect(record.name.given).toBe("Dan");
    await ok(
      client.individuals.update(`Individual/${system}|9`, (draft) => {
        draft.birthDate = "1990-01-01";
      }),
    );
    for (const { reference } of await client.parked())
      await ok(client.resolve(reference, { kind: "discard" }));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject(arrived);
    expect(unwrap(await world.view.individuals.read(`${system}|9`))).toMatchObject({
      name: { given: "Dan" },
      birthDate: "1990-01-01",
    });
    expect((await client.individuals.read(`Individual/${system}|9`)).ok).toBe(true);
  });

  it("shows the person as they are by now, however often whoever has the number was changed", async () => {
    const dan = `${system}|9`;
    await ok(world.view.individuals.create(person("9", "Dan")));
    for (const birthDate of ["1990-01-01", "1990-01-02", "1990-01-03"])
      await ok(world.view.individuals.patch(dan, { birthDate, photo }, { ifMatch: "*" }));
    const reference = await parkedAs("duplicate");
    const name = { given: "Eva" };
    await ok(world.view.individuals.patch(`${system}|1`, { name }, { ifMatch: "*" }));
    await client.sync();
    await ok(client.resolve(reference, { kind: "discard" }));
    for (let run = 0; run < 2; run++) expect(await client.sync()).toMatchObject(arrived);
    const { record } = await ok(client.individuals.read(`Individual/${system}|1`));
    expect(record.name.given).toBe("Eva");
    expect(record.photo).toBeUndefined();
  });

  it("is kept while the household names the person anew, and the former number is somebody else's too", async () => {
    const elsewhere = { identifier: [{ system, value: "8" }] };
    await ok(world.view.individuals.patch(`${system}|1`, elsewhere, { ifMatch: "*" }));
    await ok(world.view.individuals.create({ ...person("1", "Eva"), name: { given: "Eva", family: "Lim" } }));
    await ok(world.view.individuals.create(person("9", "Dan")));
    for (let run = 0; run < 2; run++) await client.sync();
    const waiting = await client.parked();
    for (const { reference } of waiting) await client.resolve(reference, { kind: "discard" });
    for (let run = 0; run < 2; run++) await client.sync();
    const { member } = await members();
    expect(member).not.toContain(`Individual/${system}|1`);
    expect(member).not.toContain(`Individual/${system}|9`);
  });
});
