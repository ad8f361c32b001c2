import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, partner } from "./support/world.ts";

const office = { system: "phone", value: "0917" };
const guest = { system: "phone", value: "0999" };

/** Nothing but what it shows tells what a plain server hides: what is typed where nothing is shown may stand upon something. */
describe.each([
  ["an office's number", system, "ANA"],
  ["a number that a device made", "urn:service:registrant", "01890a5d-ac96-774b-bcce-b302099a8057"],
])("of a person with %s, at a plain server", (_, space, value) => {
  const ana = `Individual/${space}|${value}`;

  async function createGuest(first: object) {
    const world = await createWorld();
    const made = { type: "Individual", identifier: [{ system: space, value }], name: { family: "Cruz" } };
    await ok(world.view.individuals.create({ ...made, telecom: [office], birthDate: "1990-01-01" }));
    const grant = (scope: object) => {
      const terms = { subject: { reference: ana }, grantee: { organization: "Aid" } };
      return ok(world.view.consents.grant({ ...terms, scope: [{ resourceType: "Individual", ...scope }] }));
    };
    const before = await grant(first);
    const { client } = world.device("a", { network: plain });
    await ok(client.signIn(partner));
    await client.sync();
    const there = () => ok(world.view.individuals.read(`${space}|${value}`));
    return { world, client, grant, before, there };
  }

  it("what is typed where a phone number was hidden goes beside that", async () => {
    const { client, grant, there } = await createGuest({ fieldAccess: "basic" });
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.telecom = [...(draft.telecom ?? []), { system: "phone", value: guest.value }];
      }),
    );
    await grant({ fieldAccess: "all" });
    await client.sync();
    expect(client.status.current).toMatchObject({ pending: 0, parked: 0 });
    expect((await there()).telecom).toEqual([office, guest]);
  });

  it("what was decided while the other value was hidden is asked about again once that is shown", async () => {
    const { world, client, grant, before, there } = await createGuest({ fieldAccess: "all" });
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.birthDate = "1991-11-11";
      }),
    );
    const change = { birthDate: "1992-12-12" };
    await ok(world.view.individuals.patch(`${space}|${value}`, change, { ifMatch: "*" }));
    await grant({ fieldAccess: "basic" });
    await ok(world.view.consents.revoke(before.id));
    await client.sync();
    const [{ revision = "", reason = "" } = {}] = await client.parked();
    expect(reason).toBe("conflict");
    const choices = { "/birthDate": "ours" } as const;
    await ok(client.resolve(ana, { kind: "choose", revision, choices }));
    await client.sync();
    await grant({ fieldAccess: "all" });
    for (const each of await client.parked())
      await client.resolve(ana, { kind: "retry", revision: each.revision });
    await client.sync();
    expect(await client.parked()).toMatchObject([
      { reason: "conflict", theirs: change, ours: { birthDate: "1991-11-11" } },
    ]);
    expect(await there()).toMatchObject(change);
  });

  it("a decision for what the server has leaves its version", async () => {
    const { world, client, there } = await createGuest({ fieldAccess: "all" });
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.birthDate = "1991-11-11";
      }),
    );
    await ok(world.view.individuals.patch(`${space}|${value}`, { birthDate: null }, { ifMatch: "*" }));
    await client.sync();
    const [{ revision = "" } = {}] = await client.parked();
    await ok(client.resolve(ana, { kind: "choose", revision, choices: { "/birthDate": "theirs" } }));
    const { record } = await ok(client.individuals.read(ana));
    expect(record.meta?.versionId).toBe((await there()).meta?.versionId);
    expect(record).not.toHaveProperty("birthDate");
  });
});
