import { createMemoryMedium } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, clientOn, run } from "./support/files.ts";
import { ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const lives = (state: string) => ({ address: [{ type: "physical" as const, country: "PH", state }] });
const [cavite, laguna] = ["area:PH/Cavite", "area:PH/Laguna"];
const number = (value: string) => ({ identifier: [{ system, value }] });

describe("an edit of what has left the tablet's area meanwhile", () => {
  let world: World;
  let tablet: Device;

  beforeEach(async () => {
    world = await createWorld();
    const household = { ...number("G"), type: "Group" as const, groupType: "household" as const, name: "H" };
    await ok(
      world.view.individuals.create({
        ...personOf("ANA", { family: "Cruz", given: "Ana" }),
        ...lives("Cavite"),
      }),
    );
    await ok(world.view.groups.create({ ...household, ...lives("Cavite") }));
    tablet = world.device("a", { feeds: [cavite] });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    tablet.online = false;
  });

  it.each([
    ["moved", lives("Laguna"), "ANA"],
    ["moved, and has another number", { ...lives("Laguna"), ...number("ANA2") }, "ANA2"],
  ])("arrives, where a person %s", async (_, patch, value) => {
    await ok(
      tablet.client.individuals.update(ana, (draft) => {
        draft.birthDate = "1980-01-01";
      }),
    );
    await asOffice(world, patch);
    tablet.online = true;
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect((await ok(world.view.individuals.read(`${system}|${value}`))).birthDate).toBe("1980-01-01");
  });

  it("reaches nobody else, where a person moved, and the number is another one's by now", async () => {
    await ok(
      tablet.client.individuals.update(ana, (draft) => {
        draft.birthDate = "1980-01-01";
      }),
    );
    await asOffice(world, { ...lives("Laguna"), ...number("ANA2") });
    await ok(
      world.view.individuals.create({
        ...personOf("ANA", { family: "Diaz", given: "Ana" }),
        ...lives("Laguna"),
      }),
    );
    tablet.online = true;
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect((await ok(world.view.individuals.read(`${system}|ANA2`))).birthDate).toBe("1980-01-01");
    expect((await ok(world.view.individuals.read(`${system}|ANA`))).birthDate).not.toBe("1980-01-01");
  });

  it("arrives, where a household moved, and has another number", async () => {
    await ok(
      tablet.client.groups.update(`Group/${system}|G`, (draft) => {
        draft.name = "H2";
      }),
    );
    await ok(
      world.view.groups.patch(`${system}|G`, { ...number("G2"), ...lives("Laguna") }, { ifMatch: "*" }),
    );
    tablet.online = true;
    await run(tablet, 2);
    expect((await ok(world.view.groups.read(`${system}|G2`))).name).toBe("H2");
  });
});

describe("unsent edits of a tablet that is told to follow other areas", () => {
  it.each([
    ["another one", [cavite], [laguna]],
    ["one of two", [cavite, laguna], [laguna]],
    ["one more", [cavite], [cavite, laguna]],
  ])("are sent, where that is %s", async (_, before, after) => {
    const world = await createWorld();
    const people = ["A", "B", "C"];
    for (const value of people)
      await ok(world.view.individuals.create({ ...personOf(value, { given: value }), ...lives("Cavite") }));
    let online = true;
    const fetch: Fetch = (url, init) =>
      online ? world.send(url, init) : Promise.reject(new TypeError("the network is gone"));
    const medium = createMemoryMedium();
    const first = clientOn(world, medium, { feeds: before, fetch });
    await ok(first.signIn(credentials));
    await first.sync();
    online = false;
    for (const value of people)
      await ok(
        first.individuals.update(`Individual/${system}|${value}`, (draft) => {
          draft.birthDate = "1980-01-01";
        }),
      );
    await first.close();
    const second = clientOn(world, medium, { feeds: after, fetch });
    await second.sync();
    online = true;
    for (let nth = 0; nth < 2; nth++) await second.sync();
    expect(second.status.current).toMatchObject(settled);
    for (const value of people)
      expect((await ok(world.view.individuals.read(`${system}|${value}`))).birthDate).toBe("1980-01-01");
    await second.close();
  });
});
