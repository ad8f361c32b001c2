import { beforeAll, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device } from "./support/world.ts";

const system = "urn:test:national";
const people = [
  ["Eva", "Ana"],
  ["Evangeline", "Anacleto"],
  ["Rosa", "Villanueva"],
  ["Mariana", "Eva"],
  ["Uriana", "Villanueva"],
] as const;

/** Names are looked for by their beginnings, so that a short one is not lost among those that have it inside. */
describe("a search by how a name begins", () => {
  let device: Device;

  beforeAll(async () => {
    const world = await createWorld();
    for (const [given, family] of people) {
      const identifier = [{ system, value: `${given} ${family}` }];
      await ok(world.view.individuals.create({ type: "Individual", identifier, name: { given, family } }));
    }
    const identifier = [{ system, value: "household" }];
    const group = { type: "Group", groupType: "household", name: "Ana household", identifier } as const;
    await ok(world.view.groups.create(group));
    device = world.device("tablet");
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  });

  it.each([
    ["each given or family name", "eva", ["Eva Ana", "Evangeline Anacleto", "Mariana Eva"]],
    ["whole words where a blank follows", "Eva ", ["Eva Ana", "Mariana Eva"]],
    ["every one of several", ["ANA ", "Éva "], ["Eva Ana"]],
    ["nobody by what is inside", "ueva", []],
    ["nobody by nothing", " ", []],
  ])("finds %s", async (_, starts, names) => {
    const page = await ok(device.client.individuals.search({ "name:start": starts }));
    expect(page.data.map(({ record }) => record.name.text).sort()).toEqual(names);
  });

  it("goes with other parameters, pages and households", async () => {
    const asked = { "name:start": "eva", name: "ana", limit: "1" };
    const { individuals, groups } = device.client;
    const first = await ok(individuals.search(asked));
    const rest = await ok(individuals.search({ ...asked, limit: "9", cursor: first.nextCursor ?? "" }));
    expect([first.hasMore, first.data.length, rest.hasMore, rest.data.length]).toEqual([true, 1, false, 2]);
    expect((await ok(groups.search({ "name:start": "ana " }))).data).toHaveLength(1);
  });

  it("is told of where another parameter is none", async () => {
    const refused = await device.client.individuals.search({ "name:starts": "eva" });
    expect(refused).toMatchObject({
      problem: { detail: expect.stringMatching(/Known are: .+ A device has name:start, too\.$/) },
    });
  });

  it("finds what is not sent yet, and says so", async () => {
    await ok(device.client.individuals.create({ name: { given: "Evaristo" } }));
    const { data } = await ok(device.client.individuals.search({ "name:start": "evar" }));
    expect(data.map(({ state }) => state)).toEqual(["pending"]);
  });
});
