import { type Group, type JsonObject, printReference } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const household = `Group/${system}|H`;
const person = (value: string) => printReference("Individual", { system, value });
const spouse = { coding: [{ system: "urn:service:vocab:relationship", code: "spouse" }] };

/** Two people each, of whom the first would be the second if his reference were decoded once more. */
const twins = [
  ["JOHN%20DOE", "JOHN DOE"],
  ["pa%41", "paA"],
  ["50%25", "50%"],
  ["a%2Cb%2Fc", "a,b/c"],
] as const;

describe.each(twins)("members %s and %s", (one, twin) => {
  let world: World;
  let tablet: Device;

  const members = async () => (await ok(world.view.groups.read(`${system}|H`))).member ?? [];
  const office = (...values: readonly string[]) =>
    ok(
      world.view.groups.patch(
        `${system}|H`,
        { member: values.map((value) => ({ entity: { reference: person(value) } })) },
        { ifMatch: "*" },
      ),
    );
  const marry = (value: string) =>
    ok(
      tablet.client.groups.update(household, (draft: Group) => {
        draft.member = (draft.member ?? []).map((each) =>
          each.entity.reference === person(value) ? { ...each, role: spouse } : each,
        );
      }),
    );

  beforeEach(async () => {
    world = await createWorld();
    for (const value of [one, twin, "BEN"])
      await ok(world.view.individuals.create(personOf(value, { given: value })));
    const house = { active: true, identifier: [{ system, value: "H" }], name: "Home" };
    const member = [one, "BEN"].map((value) => ({ entity: { reference: person(value) } }));
    await ok(world.view.groups.create({ type: "Group", ...house, groupType: "household", member }));
    tablet = await tabletOf(world, "a");
    tablet.online = false;
  });

  it("are two people: who is replaced by the other there, and changed here, is asked about", async () => {
    await marry(one);
    await office(twin, "BEN");
    tablet.online = true;
    await run(tablet, 2);
    const [{ conflicts = [], ours = {}, theirs = {} } = {}] = await tablet.client.parked();
    expect(conflicts.map((each) => [each.base, each.ours, each.theirs])).toEqual([
      [
        { entity: { reference: person(one) } },
        { entity: { reference: person(one) }, role: spouse },
        undefined,
      ],
    ]);
    expect(referencesIn(ours)).toEqual([person(one), person("BEN")]);
    expect(referencesIn(theirs ?? {})).toEqual([person(twin), person("BEN")]);
    expect((await members()).map(({ entity }) => entity.reference)).toEqual([person(twin), person("BEN")]);
  });

  it("are shown printed in what is unsent, and taken as printed in a decision", async () => {
    await marry(one);
    const why = await ok(tablet.client.explain(household));
    expect(why.edits.map(({ patch }) => referencesIn(patch))).toEqual([[person(one), person("BEN")]]);
    await office(twin, "BEN");
    tablet.online = true;
    await run(tablet, 2);
    const [{ reference = "", revision = "", conflicts = [] } = {}] = await tablet.client.parked();
    const choices = Object.fromEntries(conflicts.map(({ path, ours }) => [path, { value: ours }]));
    await ok(tablet.client.resolve(reference, { kind: "choose", revision, choices }));
    await run(tablet, 2);
    const listed = await members();
    expect(listed.map(({ entity }) => entity.reference).toSorted()).toEqual(
      [person(twin), person("BEN"), person(one)].toSorted(),
    );
    expect(listed.find(({ entity }) => entity.reference === person(one))?.role).toEqual(spouse);
  });

  it("are merged one by one where both are listed", async () => {
    await office(one, twin, "BEN");
    tablet.online = true;
    await run(tablet, 1);
    tablet.online = false;
    await marry(one);
    await office(one, "BEN");
    tablet.online = true;
    await run(tablet, 2);
    expect(await tablet.client.parked()).toEqual([]);
    expect(await members()).toEqual([
      { entity: { reference: person(one) }, role: spouse },
      { entity: { reference: person("BEN") } },
    ]);
  });
});

function referencesIn({ member }: JsonObject): readonly unknown[] {
  return Array.isArray(member)
    ? member.map(({ entity }: JsonObject) => (entity as JsonObject).reference)
    : [];
}
