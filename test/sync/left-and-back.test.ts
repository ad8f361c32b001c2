import type { FieldClient } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { createWorld, credentials, partner } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;
const name = { family: "Reyes", given: "Ana" };
const place = (state: string) => [{ type: "physical" as const, country: "PH", state }];

/** Ana is registered here, and her household, which has not got her yet, gets her and another name: that is not sent. */
async function registersHer(client: FieldClient): Promise<void> {
  await ok(client.signIn(credentials));
  await client.sync();
  await ok(client.individuals.create({ identifier: [ana], name, address: place("Cavite") }));
  await client.sync();
  await client.sync();
  await ok(
    client.groups.update(`Group/${system}|H`, (draft) => {
      draft.name = "Mine";
      draft.member = [{ entity: { reference } }];
    }),
  );
}

/** Somebody registered on a tablet has another key there than on the server. */
describe("somebody registered here whom unsent work means", () => {
  const away = { moved: { address: place("Laguna") }, archived: { active: false } };
  const back = { moved: { address: place("Cavite") }, archived: { active: true } };

  /** Once, she came back under another key than that which the household meant, and it was refused for good. */
  it.each(["moved", "archived"] as const)("is the same when she was %s and is back", async (how) => {
    const { view, device } = await createWorld();
    const house = { system, value: "H" };
    const group = { type: "Group" as const, groupType: "household", name: "H", identifier: [house] };
    await ok(view.groups.create({ ...group, address: place("Cavite") }));
    const { client } = device("a", { feeds: ["area:PH/Cavite"] });
    await registersHer(client);
    await ok(view.groups.patch(house, { name: "Office" }, { ifMatch: "*" }));
    await ok(view.individuals.patch(ana, away[how], { ifMatch: "*" }));
    await client.sync();
    expect((await client.individuals.read(reference)).ok).toBe(false);
    await ok(view.individuals.patch(ana, back[how], { ifMatch: "*" }));
    await client.sync();
    const [parked] = await client.parked();
    const { revision = "" } = parked ?? {};
    await ok(client.resolve(`Group/${system}|H`, { kind: "choose", revision, choices: { "/name": "ours" } }));
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect((await ok(view.groups.read(house))).member).toMatchObject([{ entity: { reference } }]);
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.name.given = "Anna";
      }),
    );
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect((await ok(view.individuals.read(ana))).name.given).toBe("Anna");
  });

  /** Once, the household meant her by the key that she has on the server, and was refused for good. */
  it.each([false, true])(
    "is the same once whoever is signed in was away (in conflict: %s)",
    async (isConflict) => {
      const { view, device } = await createWorld();
      const house = { system, value: "H" };
      await ok(view.groups.create({ type: "Group", groupType: "household", name: "H", identifier: [house] }));
      const { client } = device("a");
      await registersHer(client);
      if (isConflict) {
        await ok(view.groups.patch(house, { name: "Office" }, { ifMatch: "*" }));
        await client.sync();
      }
      await ok(client.signOut({ unsent: "seal" }));
      await ok(client.signIn(credentials));
      await client.sync();
      for (const { reference: one, revision } of await client.parked())
        await ok(client.resolve(one, { kind: "choose", revision, choices: { "/name": "ours" } }));
      expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      expect(await ok(view.groups.read(house))).toMatchObject({
        name: "Mine",
        member: [{ entity: { reference } }],
      });
    },
  );

  it("leaves again after that, and comes back again", async () => {
    const { view, device } = await createWorld();
    const { client, medium } = device("a", { feeds: ["area:PH/Cavite"] });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.create({ identifier: [ana], name, address: place("Cavite") }));
    await client.sync();
    const noted = () => medium.collections.get("departed")?.size ?? 0;
    for (let round = 0; round < 2; round++) {
      await ok(view.individuals.patch(ana, away.moved, { ifMatch: "*" }));
      await client.sync();
      expect([(await client.individuals.read(reference)).ok, noted()]).toEqual([false, 1]);
      await ok(view.individuals.patch(ana, back.moved, { ifMatch: "*" }));
      await client.sync();
      expect([(await client.individuals.read(reference)).ok, noted()]).toEqual([true, 0]);
    }
  });

  /** Once, a look for her that consents refused let go of her, and the household forgot who was in it. */
  it.each(["together", "one after the other"])(
    "stays until her household can be sent, where consents hide her until then: registered %s",
    async (how) => {
      const { view, device, pass } = await createWorld();
      const { client } = device("a");
      await ok(client.signIn(partner));
      await client.sync();
      const person = { identifier: [ana], name };
      if (how === "together") {
        const members = [{ individual: person, role: "head" as const }];
        await ok(client.registerHousehold({ group: { groupType: "household", name: "Reyes" }, members }));
      } else {
        await ok(client.individuals.create(person));
        const member = [{ entity: { reference } }];
        await ok(client.groups.create({ groupType: "household", name: "Reyes", member }));
      }
      await client.sync();
      pass(36 * 60 * 60_000);
      expect(await client.sync()).toMatchObject({ parked: 1 });
      expect(await client.parked()).toMatchObject([{ ours: { member: [{ entity: { reference } }] } }]);
      const consent = { grantee: { organization: "Aid" }, subject: { reference } };
      await ok(view.consents.grant({ ...consent, scope: [{ resourceType: "all", fieldAccess: "all" }] }));
      pass(60 * 60_000);
      await client.sync();
      expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
      const { data } = await ok(view.groups.search({}));
      expect(data).toMatchObject([{ name: "Reyes", member: [{ entity: { reference } }] }]);
    },
  );
});
