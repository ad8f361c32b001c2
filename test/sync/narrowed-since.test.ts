import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, type Device, partner, type World } from "./support/world.ts";

const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;
const numbers = (...values: string[]) => values.map((value) => ({ system: "phone" as const, value }));

/** A tablet of a partner, whom people show as much as they consent to; a consent is narrowed, and made whole again. */
describe("a consent that is narrowed while something is unsent", () => {
  let world: World;
  let device: Device;
  let consent: string;

  const consents = async (scope: object) => {
    if (consent) await ok(world.view.consents.revoke(consent));
    const grantee = { organization: "Aid" };
    const granted = await ok(
      world.view.consents.grant({
        ...{ subject: { reference }, grantee },
        scope: [{ resourceType: "Individual", ...scope }],
      }),
    );
    consent = granted.id;
  };
  const edit = (change: (draft: Individual) => void) =>
    ok(device.client.individuals.update(reference, change));
  const there = () => ok(world.view.individuals.read(ana));

  beforeEach(async () => {
    consent = "";
    world = await createWorld();
    const person = personOf("ANA", { family: "Cruz", given: "Ana" });
    const born = { birthDate: "1990-01-01", birthDateEstimated: true };
    await ok(world.view.individuals.create({ ...person, ...born, telecom: numbers("100", "101") }));
    await consents({ fieldAccess: "all" });
    device = world.device("a");
    await ok(device.client.signIn(partner));
    await device.client.sync();
  });

  /** Once, the numbers that were hidden counted as taken out by others, and went from the server with the next edit. */
  it.each([{ fieldAccess: "basic" }, { fieldAccess: "custom", fields: ["name", "meta"] }])(
    "takes nothing from the server that it hid: %o",
    async (narrow) => {
      await edit((draft) => {
        draft.telecom = numbers("100", "101", "200");
      });
      await consents(narrow);
      await device.client.sync();
      expect(await device.client.parked()).toMatchObject([{ reason: "forbidden" }]);
      expect((await ok(device.client.individuals.read(reference))).record.telecom).toEqual(numbers("200"));
      await consents({ fieldAccess: "all" });
      await ok(device.client.resolve(reference, { kind: "retry" }));
      await device.client.sync();
      expect((await there()).telecom).toEqual(numbers("100", "101", "200"));
      expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    },
  );

  /** Once, what was typed back went with what was hidden, and "ours" then removed it from the server. */
  it("leaves what was typed into a conflict, and what is decided on with a change made here", async () => {
    const conflict = async (change: (draft: Individual) => void) => {
      await edit((draft) => {
        draft.name.given = "Mine";
        change(draft);
      });
      await ok(
        world.view.individuals.patch(
          ana,
          { name: { given: "Office" }, birthDate: "1992-02-02" },
          { ifMatch: "*" },
        ),
      );
      expect(await device.client.sync()).toMatchObject({ parked: 1 });
    };
    await conflict((draft) => {
      draft.birthDate = "1991-01-01";
    });
    await edit((draft) => {
      draft.birthDate = "1990-01-01";
    });
    await consents({ fieldAccess: "custom", fields: ["name"] });
    await device.client.sync();
    await consents({ fieldAccess: "all" });
    await device.client.sync();
    const [parked] = await device.client.parked();
    const { revision = "", conflicts = [] } = parked ?? {};
    expect(conflicts).toContainEqual(expect.objectContaining({ path: "/birthDate", ours: "1990-01-01" }));
    const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
    await ok(device.client.resolve(reference, { kind: "choose", revision, choices }));
    await device.client.sync();
    expect(await there()).toMatchObject({ name: { given: "Mine" }, birthDate: "1990-01-01" });
  });
});
