import { beforeEach, describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { call, createStory, edit, rename, type Story } from "./support/restored.ts";
import { credentials, type Device } from "./support/world.ts";

const number = { identifier: [{ system, value: "JO" }] };
const name = { family: "Diaz", given: "Jo" };
const jo = `Individual/${system}|JO`;
const program = { identifier: [{ system: "urn:test:programs", value: "CASH" }], name: "Cash", active: true };

/** Somebody whom one tablet made, and a restored server had lost, and what the other tablet has of them. */
describe("somebody whom a restored server had lost", () => {
  let story: Story;
  let lose: () => Promise<void>;

  beforeEach(async () => {
    story = await createStory();
    const { world, a, b } = story;
    const kind = { type: "Program", targetType: "individual", status: "active" };
    await ok(world.view.programs.create({ ...kind, ...program }));
    for (const each of [a, b]) await run(each, 1);
    const backup = story.backup();
    await ok(a.client.individuals.create({ ...number, name }));
    for (const each of [a, b]) await run(each, 1);
    lose = () => story.restore(backup);
  });

  const works: Readonly<Record<string, (b: Device) => Promise<unknown>>> = {
    enrollment: ({ client }) =>
      ok(
        client.memberships.create({
          program: { reference: "Program/urn:test:programs|CASH" },
          beneficiary: { reference: jo },
          status: "enrolled",
        }),
      ),
    household: ({ client }) =>
      ok(
        client.groups.create({
          groupType: "household",
          name: "Diaz",
          member: [{ entity: { reference: jo } }],
        }),
      ),
    phone: (b) => edit(b, call("1"), jo),
  };

  const meet = async (order: readonly Device[]) => {
    for (let n = 0; n < 4; n++) {
      for (const each of order) await run(each, 1);
      story.world.pass(26 * 3_600_000);
      story.now.pass(26 * 3_600_000);
      for (const { client } of order) await client.signIn(credentials);
    }
  };
  const shown = async ({ client }: Device) => {
    const people = (await ok(client.individuals.search({ name: "jo" }))).data;
    const parked = (await client.parked()).map(({ reason, detail }) => `${reason}: ${detail}`);
    return { people: people.map(({ reference, state }) => `${reference} ${state}`), parked };
  };
  const once = { people: [`${jo} synced`], parked: [] };
  /** What the server has of the other tablet's work. */
  const arrived = async () => {
    const { memberships, groups, individuals } = story.now.view;
    const made = [...(await ok(memberships.search())).data, ...(await ok(groups.search({}))).data];
    return [...made, ...((await ok(individuals.read(`${system}|JO`))).telecom ?? [])].length;
  };

  describe.each([
    ["the other tablet comes first", false],
    ["its maker gives it back first", true],
  ])("%s", (_, isMakerFirst) => {
    const order = () => (isMakerFirst ? [story.a, story.b] : [story.b, story.a]);

    it.each(Object.keys(works))("has the other tablet's unsent %s, and is there once", async (what) => {
      await lose();
      await works[what]?.(story.b);
      await meet(order());
      expect(await shown(story.b)).toEqual(once);
      expect(await arrived()).toBe(1);
    });

    it("has the other tablet's accepted phone, and is there once", async () => {
      await works.phone?.(story.b);
      await run(story.b, 1);
      await lose();
      await meet(order());
      expect(await shown(story.b)).toEqual(once);
      expect(await arrived()).toBe(1);
    });

    it("has a new name from each tablet, which a person decides between", async () => {
      await lose();
      await edit(story.a, rename("Cruz"), jo);
      await edit(story.b, rename("Reyes"), jo);
      await meet(order());
      const [parked] = [...(await story.a.client.parked()), ...(await story.b.client.parked())];
      expect(parked?.reason).toMatch(/conflict|duplicate|gone/);
      expect((await ok(story.now.view.individuals.search({ name: "jo" }))).data).toHaveLength(1);
    });
  });

  it("is not taken for somebody else who has the number by now", async () => {
    await lose();
    const other = { family: "Santos", given: "Max" };
    await ok(story.now.view.individuals.create({ type: "Individual", ...number, name: other }));
    await works.phone?.(story.b);
    await meet([story.b]);
    expect((await shown(story.b)).people).toEqual([`${jo} parked`]);
    expect(await arrived()).toBe(0);
  });

  it("is one with whoever the office registered anew", async () => {
    await lose();
    await ok(story.now.view.individuals.create({ type: "Individual", ...number, name }));
    await works.phone?.(story.b);
    await meet([story.b]);
    expect(await shown(story.b)).toEqual(once);
    expect(await arrived()).toBe(1);
  });
});
