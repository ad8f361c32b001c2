import { farmer, type Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createGuest, custom, everything, type Scope } from "./support/guest.ts";
import { ok, system } from "./support/people.ts";
import { createWorld, partner } from "./support/world.ts";

const sex = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }], text: "F" };
const farm = {
  farmSize: 2,
  farmSizeUnit: "ha",
  livestockCount: 4,
  primaryCrop: { coding: [{ system: "urn:crop", code: "rice" }], text: "rice" },
};

/** Once, what is decided on together within an extension or a concept was hidden apart: what came back looked like somebody else's change. */
describe("a part of what is decided on together, changed and hidden before it was sent, is made once it is shown again", () => {
  const whole = [{ resourceType: "Individual", fieldAccess: "all", extensions: ["farmer"] }];

  it.each([
    { of: "a farm's size", change: { farmSize: 3 } },
    { of: "a crop's text", change: { primaryCrop: { ...farm.primaryCrop, text: "red rice" } } },
    { of: "what stands for itself", change: { livestockCount: 9 } },
  ])("of $of", async ({ change }) => {
    const world = await createWorld({ extensions: [farmer] });
    const made = { type: "Individual", identifier: [{ system, value: "ANA" }], name: { family: "Cruz" } };
    await ok(world.view.individuals.create({ ...made, extension: { farmer: farm } } as never));
    const ana = `Individual/${system}|ANA`;
    const grant = () => {
      const terms = { subject: { reference: ana }, grantee: { organization: "Aid" }, scope: whole };
      return ok(world.view.consents.grant(terms as Parameters<typeof world.view.consents.grant>[0]));
    };
    const { id } = await grant();
    const { client } = world.device("a");
    await ok(client.signIn(partner));
    await client.sync();
    await ok(
      client.individuals.update(ana, ({ extension }) => {
        Object.assign(extension?.farmer as object, change);
      }),
    );
    await ok(world.view.consents.revoke(id));
    const sync = async () => {
      world.pass(5 * 3_600_000);
      await client.sync();
    };
    await sync();
    await sync();
    expect(await client.parked()).toMatchObject([{ reason: "gone" }]);
    await grant();
    for (let run = 0; run < 3; run++) await sync();
    expect(await client.parked()).toEqual([]);
    const { extension } = await ok(world.view.individuals.read(`${system}|ANA`, { extensions: "*" }));
    expect(extension?.farmer).toMatchObject({ ...farm, ...change });
  });

  it.each<{ shows: Scope; reason: string }>([
    { shows: null, reason: "gone" },
    { shows: custom("name", "meta"), reason: "forbidden" },
  ])("of a gender: $reason meanwhile", async ({ shows, reason }) => {
    const guest = await createGuest({ record: { gender: sex } });
    await guest.edit(({ gender = {} }) => {
      gender.text = "woman";
    });
    await guest.show(shows);
    await guest.sync(3);
    expect(await guest.client.parked()).toMatchObject([{ reason, conflicts: [] }]);
    await guest.show(everything);
    for (const { reference, revision } of await guest.client.parked())
      await ok(guest.client.resolve(reference, { kind: "retry", revision }));
    await guest.sync(2);
    expect((await guest.there()).gender).toEqual({ ...sex, text: "woman" });
    expect(guest.waits()).toBe(0);
  });

  /** Once, a part that was added to a name beside one that was hidden then was in conflict with nobody's change. */
  it("of a name to which another part is added, without a conflict", async () => {
    const guest = await createGuest({ record: { name: { family: "Cruz", given: "Ana" } } });
    await guest.edit((draft) => {
      draft.name.middle = "Mid";
    });
    await guest.show(custom("telecom", "meta"));
    for (let run = 0; run < 2; run++) {
      await guest.sync(2);
      expect(await guest.client.parked()).toMatchObject([{ reason: "forbidden", conflicts: [] }]);
      await guest.edit((draft) => {
        draft.telecom = [{ system: "phone", value: `${run}` }];
      });
    }
    await guest.show(everything);
    await guest.sync(2);
    const name = { family: "Cruz", given: "Ana", middle: "Mid" };
    expect(await guest.there()).toMatchObject({ name, telecom: [{ value: "1" }] });
    expect(guest.waits()).toBe(0);
  });
});

/** Once, such a list was narrowed item by item, and merged as one: nobody's change was in conflict, and "ours" took the other items away. */
describe("a list within an extension, changed and hidden before it was sent, goes as it was typed", () => {
  const survey = {
    name: "survey",
    module: "survey",
    appliesTo: ["Individual" as const],
    schema: z.looseObject({}),
  };
  const plots = (...sizes: number[]) => sizes.map((a) => ({ a }));
  const isHidden = { narrowed: [{ resourceType: "Individual", fieldAccess: "all" }], withdrawn: null };

  it.each(
    [
      { what: "changed", now: plots(9, 2) },
      { what: "one more", now: plots(1, 2, 3) },
      { what: "one less", now: plots(2) },
      { what: "in another order", now: plots(2, 1) },
    ].flatMap((each) => (["narrowed", "withdrawn"] as const).map((how) => ({ ...each, how }))),
  )("$what, and $how", async ({ now, how }) => {
    const world = await createWorld({ extensions: [survey] });
    const made = { type: "Individual", identifier: [{ system, value: "ANA" }], name: { family: "Cruz" } };
    const extension = { survey: { plots: plots(1, 2) } };
    await ok(world.view.individuals.create({ ...made, extension } as never));
    const reference = `Individual/${system}|ANA`;
    const grant = (scope: unknown) =>
      ok(
        world.view.consents.grant({
          subject: { reference },
          grantee: { organization: "Aid" },
          scope,
        } as never),
      );
    const whole = [{ resourceType: "Individual", fieldAccess: "all", extensions: ["survey"] }];
    const { id } = await grant(whole);
    const { client } = world.device("a");
    await ok(client.signIn(partner));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        Object.assign(draft.extension?.survey as object, { plots: now });
      }),
    );
    const part = isHidden[how] && (await grant(isHidden[how]));
    await ok(world.view.consents.revoke(id));
    const sync = async () => {
      world.pass(5 * 3_600_000);
      await client.sync();
    };
    for (let run = 0; run < 3; run++) await sync();
    const reason = how === "narrowed" ? "forbidden" : "gone";
    expect(await client.parked()).toMatchObject([{ reason, conflicts: [] }]);
    if (part) await ok(world.view.consents.revoke(part.id));
    await grant(whole);
    await sync();
    for (const { revision } of await client.parked())
      await ok(client.resolve(reference, { kind: "retry", revision }));
    await sync();
    await sync();
    expect(await client.parked()).toEqual([]);
    const there = await ok(world.view.individuals.read(`${system}|ANA`, { extensions: "*" }));
    expect(there.extension?.survey).toMatchObject({ plots: now });
  });
});

/** Once, no part of a concept went, though nobody had changed any. */
it.each([
  { field: "gender.coding", hidden: '"F"' },
  { field: "gender.text", hidden: '"code":"2"' },
])(
  "a part of a gender that is hidden, of which $field is shown, goes beside a conflict",
  async ({ field, hidden }) => {
    const guest = await createGuest({ record: { gender: sex } });
    await guest.edit((draft) => {
      draft.name.family = "Reyes";
    });
    await guest.office({ name: { family: "Santos" } });
    await guest.sync();
    expect(await guest.said()).toContain(hidden);
    await guest.show(custom("name", "meta", field));
    await guest.sync(2);
    expect(await guest.client.parked()).toMatchObject([{ reason: "conflict" }]);
    expect(await guest.said()).not.toContain(hidden);
  },
);

describe("an edit that was decided on beside a change of the same list", () => {
  /** Once, the edit kept an item as it had been before the decision, which nothing knew as hidden after that. */
  it("says nothing in what is told of it of an item that is hidden then", async () => {
    const telecom = [{ system: "phone", value: "0917 555 000" }];
    const guest = await createGuest({ record: { telecom } });
    await guest.edit((draft: Individual) => {
      draft.name.family = "Reyes";
      draft.telecom?.push({ system: "phone", value: "mine", use: "home" });
    });
    await guest.office({ name: { family: "Santos" }, telecom: [{ ...telecom[0], rank: 1 }] });
    await guest.sync();
    for (const { reference, revision, conflicts } of await guest.client.parked()) {
      const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
      await ok(guest.client.resolve(reference, { kind: "choose", revision, choices }));
    }
    await guest.show(custom("name", "meta"));
    await guest.sync(2);
    const { edits } = await ok(guest.client.explain(guest.ana));
    expect(JSON.stringify(edits)).toContain("mine");
    expect(JSON.stringify(edits)).not.toContain("0917 555 000");
  });
});
