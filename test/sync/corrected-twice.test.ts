import { describe, expect, it } from "vitest";
import { asOffice, run, tabletOf } from "./support/files.ts";
import { answer, ok, personOf, refusal, system } from "./support/people.ts";
import { createWorld, type Device, type DeviceOptions, type World } from "./support/world.ts";

const person = (value: string) => `Individual/${system}|${value}`;
const houses = ["H1", "H2"];

const renumber = (world: World, from: string, to: string) =>
  asOffice(world, { identifier: [{ system, value: to }] }, person(from));
const membersOf = async ({ view }: World, house: string) =>
  (await ok(view.groups.read(`${system}|${house}`))).member ?? [];
const namesIn = async (world: World, house: string) =>
  (await membersOf(world, house)).map(({ entity }) => entity.reference);

/** Ana and Bea's households, and a tablet that knows them; Ana's number was corrected since. */
async function story(options: (world: World) => DeviceOptions = () => ({})) {
  const world = await createWorld();
  for (const value of ["ANA", "BEA"])
    await ok(world.view.individuals.create(personOf(value, { family: "Cruz", given: value })));
  const member = ["ANA", "BEA"].map((value) => ({ entity: { reference: person(value) } }));
  for (const value of houses) {
    const house = { identifier: [{ system, value }], groupType: "household", name: value, member };
    await ok(world.view.groups.create({ type: "Group", ...house }));
  }
  const tablet = await tabletOf(world, "a", options(world));
  tablet.online = false;
  await renumber(world, "ANA", "ANA2");
  return { world, tablet };
}

const takeOut = ({ client }: Device, house: string) =>
  ok(
    client.groups.update(`Group/${system}|${house}`, (draft) => {
      draft.member = (draft.member ?? []).filter(({ entity }) => entity.reference !== person("ANA"));
    }),
  );
const makeSibling = ({ client }: Device, house: string) =>
  ok(
    client.groups.update(`Group/${system}|${house}`, (draft) => {
      const [ana] = draft.member ?? [];
      if (ana) ana.role = { coding: [{ system: "urn:service:vocab:relationship", code: "sibling" }] };
    }),
  );

describe("a member whose number an office corrects twice", () => {
  /** The first attempt meets the household with the second number, and the network goes. */
  async function cut(edit: typeof takeOut) {
    let writes = 0;
    let isCut = true;
    const { world, tablet } = await story(() => ({
      network: (send) => async (url, init) => {
        if (init.method === "PATCH") writes++;
        if (writes > 1 && isCut) throw new TypeError("network lost");
        return send(url, init);
      },
    }));
    await edit(tablet, "H1");
    tablet.online = true;
    await run(tablet, 1);
    expect(writes).toBeGreaterThan(1);
    await renumber(world, "ANA2", "ANA3");
    isCut = false;
    await run(tablet, 3);
    expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 0 });
    return world;
  }

  it("is taken out", async () => {
    const world = await cut(takeOut);
    expect(await namesIn(world, "H1")).toEqual([person("BEA")]);
  });

  it("gets her role", async () => {
    const world = await cut(makeSibling);
    const [ana] = await membersOf(world, "H1");
    expect(ana).toMatchObject({
      entity: { reference: person("ANA3") },
      role: { coding: [{ code: "sibling" }] },
    });
  });

  it.each([
    ["by itself", ["H1"]],
    ["with another", houses],
  ])(
    "is taken out where that comes between a look at the household, %s, and one at her",
    async (_, edited) => {
      let looks = 0;
      const { world, tablet } = await story((server) => ({
        network: (send) => async (url, init) => {
          if (init.method === "GET" && url.includes("/Individual/") && ++looks === 1)
            await renumber(server, "ANA2", "ANA3");
          return send(url, init);
        },
      }));
      for (const house of edited) await takeOut(tablet, house);
      tablet.online = true;
      await run(tablet, 4);
      expect(looks).toBeGreaterThan(0);
      expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 0 });
      for (const house of edited) expect(await namesIn(world, house)).toEqual([person("BEA")]);
    },
  );
});

it("a household with a member whom nobody shows the tablet is merged all the same", async () => {
  const { world, tablet } = await story(() => ({
    network: (send) => async (url, init) => {
      if (init.method === "GET" && decodeURIComponent(url).includes("|EVA"))
        return answer(404, refusal(404, "not-found").body, "application/problem+json");
      return send(url, init);
    },
  }));
  await takeOut(tablet, "H1");
  await ok(world.view.individuals.create(personOf("EVA", { given: "Eva" })));
  const member = ["ANA2", "EVA"].map((value) => ({ entity: { reference: person(value) } }));
  await ok(world.view.groups.patch(`${system}|H1`, { member }, { ifMatch: "*" }));
  tablet.online = true;
  await run(tablet, 1);
  expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: 0 });
  expect(await namesIn(world, "H1")).toEqual([person("EVA")]);
});
