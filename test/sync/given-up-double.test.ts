import { beforeEach, describe, expect, it } from "vitest";
import { asOffice } from "./support/files.ts";
import { ok, personOf } from "./support/people.ts";
import { ana } from "./support/restored.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

/** Somebody whom a tablet registered although the office had done so already, and whom its user gives up for that. */
describe("a double that is given up", () => {
  let world: World;
  let tablet: Device;

  const move = (city: string) =>
    asOffice(world, { address: [{ type: "physical", state: city, country: "PH" }] });
  const shown = async () =>
    (await ok(tablet.client.individuals.search())).data.map(({ record }) => record.name.given);
  const giveUp = async () => {
    expect(await tablet.client.parked()).toMatchObject([
      { reason: "duplicate", theirs: { name: { given: "Ana" } } },
    ]);
    await ok(tablet.client.resolve(ana, { kind: "discard" }));
  };

  beforeEach(async () => {
    world = await createWorld();
    tablet = world.device("a", { feeds: ["area:PH/Cavite"] });
    await ok(tablet.client.signIn(credentials));
    await tablet.client.sync();
    await ok(tablet.client.individuals.create(personOf("ANA", { family: "Cruz", given: "A." })));
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  });

  it("leaves the office's record where the tablet reads of it", async () => {
    await move("Cavite");
    await tablet.client.sync();
    await giveUp();
    await tablet.client.sync();
    expect(await shown()).toEqual(["Ana"]);
  });

  it("leaves nothing of a record that no feed of the tablet tells of", async () => {
    await move("Laguna");
    await tablet.client.sync();
    await giveUp();
    expect(await shown()).toEqual([]);
    await tablet.client.sync();
    expect(await shown()).toEqual([]);
  });

  it("leaves nothing of a record that has left the tablet's area since", async () => {
    await move("Cavite");
    await tablet.client.sync();
    await move("Laguna");
    await tablet.client.sync();
    await ok(tablet.client.resolve(ana, { kind: "discard" }));
    await tablet.client.sync();
    expect(await shown()).toEqual([]);
  });
});
