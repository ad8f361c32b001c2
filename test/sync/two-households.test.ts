import { beforeEach, describe, expect, it } from "vitest";
import { tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, type Device, type World } from "./support/world.ts";

const ana = { reference: `Individual/${system}|ANA` };
const household = (name: string) => `Group/${system}|${name}`;

let world: World;

/** Ana lives with the Cruz; two tablets, both without a network, move her: the first to the Reyes, the other to the Diaz. */
async function begin(oneHousehold: boolean) {
  world = await createWorld({ policies: { oneHousehold } });
  await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  for (const name of ["CRUZ", "REYES", "DIAZ"]) {
    const member = name === "CRUZ" ? [{ entity: ana }] : [];
    await ok(
      world.view.groups.create({
        ...{ type: "Group", identifier: [{ system, value: name }], groupType: "household" },
        ...{ name: `Household ${name}`, member },
      } as never),
    );
  }
}

beforeEach(() => begin(true));

const leaves = ({ client }: Device, name: string) =>
  ok(
    client.groups.update(household(name), (draft) => {
      draft.member = (draft.member ?? []).map((one) => ({ ...one, inactive: true }));
    }),
  );

const joins = ({ client }: Device, name: string) =>
  ok(
    client.groups.update(household(name), (draft) => {
      draft.member = [...(draft.member ?? []), { entity: ana }];
    }),
  );

const homes = async () =>
  (await ok(world.view.individuals.read(`${system}|ANA`))).groupMembership?.map(
    ({ group }) => group.reference,
  );

async function twoMoves() {
  const [first, other] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
  for (const [tablet, to] of [
    [first, "REYES"],
    [other, "DIAZ"],
  ] as const) {
    await leaves(tablet, "CRUZ");
    await joins(tablet, to);
  }
  await first.client.sync();
  await other.client.sync();
  return { first, other };
}

describe("two moves of one person to two households", () => {
  it("are one decision, which names the person and where she is already", async () => {
    const { other } = await twoMoves();
    expect(await homes()).toEqual([household("REYES")]);
    expect(await other.client.parked()).toMatchObject([
      {
        ...{ type: "Group", reference: household("DIAZ"), reason: "rejected" },
        errors: [{ code: "other_household" }],
        households: [
          {
            person: { reference: ana.reference, display: "Ana Cruz" },
            household: { display: "Household REYES" },
          },
        ],
      },
    ]);
  });

  it("leave her where she is, where the second tablet takes her out again", async () => {
    const { other } = await twoMoves();
    await ok(
      other.client.groups.update(household("DIAZ"), (draft) => {
        draft.member = [];
      }),
    );
    expect(await other.client.sync()).toMatchObject({ pending: 0, parked: 0, lastError: null });
    expect(await homes()).toEqual([household("REYES")]);
  });

  it("leave her where she is, where the second tablet gives up its change", async () => {
    const { other } = await twoMoves();
    await ok(other.client.resolve(household("DIAZ"), { kind: "discard" }));
    expect(await other.client.sync()).toMatchObject({ pending: 0, parked: 0, lastError: null });
    expect(await homes()).toEqual([household("REYES")]);
  });

  it.each<[string, (tablets: { first: Device; other: Device }) => Promise<unknown>]>([
    ["the second tablet", ({ other }) => leaves(other, "REYES")],
    ["the first tablet", ({ first }) => leaves(first, "REYES").then(() => first.client.sync())],
    [
      "the office",
      () =>
        ok(
          world.view.groups.patch(
            `${system}|REYES`,
            { member: [{ entity: ana, inactive: true }] },
            { ifMatch: "*" },
          ),
        ),
    ],
  ])("bring her to the second household once %s ends the membership in the first", async (_, end) => {
    const tablets = await twoMoves();
    await end(tablets);
    for (let times = 0; times < 2; times++) await tablets.other.client.sync();
    expect(tablets.other.client.status.current).toMatchObject({ pending: 0, parked: 0, lastError: null });
    expect(await homes()).toEqual([household("DIAZ")]);
  });
});

it("a move of which the joining is sent first goes through in one run", async () => {
  const tablet = await tabletOf(world, "a");
  await joins(tablet, "DIAZ");
  await leaves(tablet, "CRUZ");
  expect(await tablet.client.sync()).toMatchObject({ pending: 0, parked: 0, lastError: null });
  expect(await homes()).toEqual([household("DIAZ")]);
});

it("a person who is in two households shows both on the tablets, where a deployment allows that", async () => {
  await begin(false);
  const { first, other } = await twoMoves();
  await first.client.sync();
  for (const { client } of [first, other]) {
    const { record } = await ok(client.individuals.read(ana.reference));
    const groups = record.groupMembership?.map(({ group }) => group.reference);
    expect(groups?.sort()).toEqual([household("DIAZ"), household("REYES")]);
  }
});
