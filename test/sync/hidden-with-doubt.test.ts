import { farmer } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, partner } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;
const telecom = [{ system: "phone" as const, value: "100" }];
const address = [{ type: "physical" as const, city: "Imus" }];

/** A tablet of a partner, one of whose changes has no answer. */
async function story() {
  const world = await createWorld({ extensions: [farmer] });
  const { individuals, consents } = world.view;
  const person = personOf("ANA", { family: "Cruz", given: "Ana" });
  const extension = { farmer: { farmSize: 1, farmSizeUnit: "ha" } };
  await ok(individuals.create({ ...person, birthDate: "1990-01-01", telecom, address, extension }));
  let given: string | null = null;
  const consent = async (scope: object | null) => {
    if (given) await ok(consents.revoke(given));
    given = null;
    if (!scope) return;
    const asked = { subject: { reference }, grantee: { organization: "Aid" } };
    const granted = await ok(
      consents.grant({ ...asked, scope: [{ resourceType: "Individual", ...scope }] } as never),
    );
    given = granted.id;
  };
  await consent({ fieldAccess: "all", extensions: ["farmer"] });
  let isLost = false;
  const device = world.device("a", {
    network: (send) => async (url, init) => {
      if (isLost && init.method === "PATCH") throw new TypeError("connection reset");
      return send(url, init);
    },
  });
  await ok(device.client.signIn(partner));
  await device.client.sync();
  return {
    ...{ world, device, consent },
    there: () => ok(individuals.read(ana, { extensions: "*" })),
    lose: async () => {
      isLost = true;
      await device.client.sync();
      isLost = false;
    },
  };
}

describe("a change without an answer, of a record that consents narrow meanwhile", () => {
  /** Once, all that was hidden meanwhile counted as made by the lost request, and the next one took it from the server. */
  it.each([
    { narrow: null },
    { narrow: { fieldAccess: "basic" } },
    { narrow: { fieldAccess: "custom", fields: ["name"] } },
  ])("takes nothing else from the server: $narrow", async ({ narrow }) => {
    const { world, device, consent, there, lose } = await story();
    await ok(
      device.client.individuals.update(reference, (draft) => {
        draft.birthDate = "1991-01-01";
      }),
    );
    await lose();
    await consent(narrow);
    world.pass(60 * 60_000);
    await device.client.sync();
    await device.client.sync();
    await ok(world.view.individuals.patch(ana, { name: { given: "Anna" } }, { ifMatch: "*" }));
    await consent({ fieldAccess: "all", extensions: ["farmer"] });
    world.pass(60 * 60_000);
    await device.client.sync();
    for (const one of await device.client.parked())
      await ok(device.client.resolve(one.reference, { kind: "retry" }));
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    const birthDate = "1991-01-01";
    expect(await there()).toMatchObject({ birthDate, telecom, address, name: { given: "Anna" } });
  });

  /** Once, all of a member stayed of which a part was changed, to be read and found. */
  it.each([{ narrow: null }, { narrow: { fieldAccess: "custom", fields: ["name.family", "meta"] } }])(
    "shows no more of it than what was changed, part by part: $narrow",
    async ({ narrow }) => {
      const { world, device, consent, there } = await story();
      const two = [...telecom, { system: "phone" as const, value: "101" }];
      await ok(world.view.individuals.patch(ana, { telecom: two }, { ifMatch: "*" }));
      await device.client.sync();
      await ok(
        device.client.individuals.update(reference, (draft) => {
          draft.name.family = "Mine";
          draft.telecom = telecom;
        }),
      );
      await ok(world.view.individuals.patch(ana, { name: { family: "Office" } }, { ifMatch: "*" }));
      await consent(narrow);
      await device.client.sync();
      await device.client.sync();
      const [parked] = await device.client.parked();
      expect(parked).toMatchObject({ ours: { name: { family: "Mine" }, telecom: [] } });
      expect(parked?.base).toMatchObject({ name: { family: "Cruz" }, telecom: [{ value: "101" }] });
      expect(JSON.stringify(parked)).not.toMatch(/Ana\b|"100"|Imus|1990/);
      await consent({ fieldAccess: "all", extensions: ["farmer"] });
      await device.client.sync();
      for (const { reference: one, revision, conflicts } of await device.client.parked()) {
        const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
        await ok(device.client.resolve(one, { kind: "choose", revision, choices }));
      }
      expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      expect(await there()).toMatchObject({ name: { family: "Mine", given: "Ana" }, telecom, address });
    },
  );

  /** Once, it was refused for ever, as if all extensions were to go, and kept every other change of the record. */
  it("takes out the one extension that is shown", async () => {
    const { device, there } = await story();
    await ok(
      device.client.individuals.update(reference, (draft) => {
        draft.name.family = "Mine";
        delete draft.extension;
      }),
    );
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    const { name, extension = {} } = await there();
    expect([name.family, extension]).toEqual(["Mine", {}]);
  });
});
