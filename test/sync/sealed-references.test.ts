import { describe, expect, it } from "vitest";
import { asOffice, other, run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { ana, everybody, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const program = `Program/${system}|P`;
const household = `Group/${system}|H`;
const name = { family: "Cruz", given: "Ana" };
const [register, correct] = ["registers her", "corrects her number"];

/** What names Ana by her number, and is accepted and lost. */
const referring = {
  "a household": ({ client }: Device) =>
    ok(
      client.groups.create({
        groupType: "household",
        name: "Home",
        member: [{ entity: { reference: ana } }],
      }),
    ),
  "an enrollment": ({ client }: Device) =>
    ok(
      client.memberships.create({
        ...{ status: "enrolled", program: { reference: program }, beneficiary: { reference: ana } },
      }),
    ),
  "a new member of a household": ({ client }: Device) =>
    ok(
      client.groups.update(household, (draft) => {
        draft.member = [{ entity: { reference: ana } }];
      }),
    ),
};

/** Whom the households and enrollments there name, by their family names. */
async function named({ view }: World): Promise<readonly string[]> {
  const all = await everybody(view);
  const groups = (await ok(view.groups.search({}))).data.flatMap(({ member = [] }) => member);
  const enrolled = (await ok(view.memberships.search({}))).data.map(({ beneficiary }) => beneficiary);
  return [...groups.map(({ entity }) => entity), ...enrolled].map(({ reference }) => {
    const is = ({ identifier }: (typeof all)[number]) =>
      identifier.some(({ value }) => reference === `Individual/${system}|${value}`);
    return all.find(is)?.name.family ?? reference;
  });
}

/** What the office has on its server before anybody's tablet comes. */
async function begun(isThere: boolean): Promise<World> {
  const world = await createWorld();
  const { programs, groups, individuals } = world.view;
  const period = { start: "2020-01-01" };
  const identifier = (value: string) => [{ system, value }];
  await ok(
    programs.create({
      ...{ type: "Program", identifier: identifier("P"), name: "P", targetType: "individual", period },
    }),
  );
  await ok(
    groups.create({ type: "Group", identifier: identifier("H"), groupType: "household", name: "Other" }),
  );
  if (isThere) await ok(individuals.create(personOf("ANA", name)));
  return world;
}

const renumber = ({ client }: Device) =>
  ok(
    client.individuals.update(ana, (draft) => {
      draft.identifier = draft.identifier.map((each) =>
        each.system === system ? { system, value: "ANA2" } : each,
      );
    }),
  );

const giveAway = ({ view }: World) =>
  ok(view.individuals.create(personOf("ANA", { family: "Stranger", given: "Zoe" })));

/** "With it goes whom its references mean" (decision 82). */
describe.each(Object.entries(referring))(
  "%s that a restored server lost, given back after somebody else signed in",
  (_what, refer) => {
    it.each([
      [register, "the tablet", "a stranger's", "sent"],
      [register, "the tablet", "a stranger's", "unsent"],
      [register, "the tablet", "nobody's", "sent"],
      [correct, "the office", "a stranger's", "sent"],
      [correct, "the office", "nobody's", "sent"],
    ])(
      "means whom it meant: here the tablet %s, %s renumbers her, and her number is %s (%s)",
      async (made, who, whose, how) => {
        const world = await begun(made === correct);
        const tablet = await tabletOf(world, "a");
        const { client } = tablet;
        const backup = structuredClone(world.medium);
        if (made === register)
          await ok(client.individuals.create({ identifier: [{ system, value: "ANA" }], name }));
        await refer(tablet);
        await run(tablet, 2);
        if (who === "the tablet") await renumber(tablet);
        if (how === "sent") await client.sync();
        await ok(client.signIn(other));
        await client.sync();
        const now = await restoredFrom(backup);
        if (who === "the office") await asOffice(now, { identifier: [{ system, value: "ANA2" }] });
        if (whose === "a stranger's") await giveAway(now);
        world.moveTo(now);
        await client.sync();
        await ok(client.signIn(credentials));
        await run(tablet, 4);
        expect(await named(now)).toEqual(["Cruz"]);
        await synced(tablet);
      },
    );

    it("waits for a person where her number is a stranger's, and nothing shows her", async () => {
      const world = await begun(false);
      const tablet = await tabletOf(world, "a");
      const backup = structuredClone(world.medium);
      await ok(world.view.individuals.create(personOf("ANA", name)));
      await tablet.client.sync();
      await refer(tablet);
      await run(tablet, 2);
      await ok(tablet.client.signIn(other));
      const now = await restoredFrom(backup);
      await giveAway(now);
      world.moveTo(now);
      await tablet.client.sync();
      await ok(tablet.client.signIn(credentials));
      await run(tablet, 4);
      expect(await named(now)).toEqual([]);
      expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 1 });
    });

    it("means her where another tablet has given her back meanwhile", async () => {
      const world = await begun(false);
      const [tablet, helper] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
      const backup = structuredClone(world.medium);
      await ok(helper.client.individuals.create({ identifier: [{ system, value: "ANA" }], name }));
      await helper.client.sync();
      await tablet.client.sync();
      await refer(tablet);
      await run(tablet, 2);
      await renumber(helper);
      await run(helper, 2);
      await run(tablet, 2);
      await ok(tablet.client.signIn(other));
      const now = await restoredFrom(backup);
      await giveAway(now);
      world.moveTo(now);
      await run(helper, 2);
      await ok(tablet.client.signIn(credentials));
      await run(tablet, 4);
      expect(await named(now)).toEqual(["Cruz"]);
    });
  },
);
