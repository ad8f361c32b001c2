import { beforeEach, describe, expect, it } from "vitest";
import { asOffice } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const reference = (value: string) => `Individual/${system}|${value}`;

describe("an edit of somebody whose number is another person's by now on the tablet", () => {
  let world: World;
  let tablet: Device;
  /** Pages that get through. */
  let pages: number;

  beforeEach(async () => {
    world = await createWorld();
    pages = Number.POSITIVE_INFINITY;
    const people = [
      personOf("ANA", { family: "Cruz", given: "Ana" }),
      personOf("ZOE", { family: "Diaz", given: "Zoe" }),
    ];
    for (const person of people) await ok(world.view.individuals.create(person));
    tablet = world.device("a", {
      network: (send) => async (url, init) => {
        const isPage = url.includes("$changes") && !url.includes("limit=1&");
        if (isPage && pages-- <= 0) throw new TypeError("cut");
        return send(isPage ? url.replace(/limit=\d+/, "limit=1") : url, init);
      },
    });
    await ok(tablet.client.signIn(credentials));
    await tablet.client.sync();
  });

  const call = (at: string, options = {}) =>
    tablet.client.individuals.update(
      at,
      (draft) => {
        draft.telecom = [{ system: "phone", value: "555" }];
      },
      options,
    );
  const give = (from: string, to: string) =>
    asOffice(world, { identifier: [{ system, value: to }] }, reference(from));
  const called = async () =>
    (await ok(world.view.individuals.search())).data.flatMap(({ name, telecom }) =>
      telecom ? [name.given] : [],
    );
  const listed = async () =>
    (await ok(tablet.client.individuals.search({}))).data.map(({ reference: at, record, state }) => ({
      at,
      record,
      state,
      given: record.name.given,
    }));

  it.each(["merge", "refuse"] as const)(
    "from a form that was open over the pull is refused: %s",
    async (whenChanged) => {
      const seen = (await ok(tablet.client.individuals.read(reference("ANA")))).record;
      await give("ANA", "ANA2");
      await give("ZOE", "ANA");
      await tablet.client.sync();
      expect(await call(reference("ANA"), { seen, whenChanged })).toMatchObject({
        problem: { kind: "not-found", detail: expect.stringContaining("Another record has this identifier") },
      });
      await tablet.client.sync();
      expect(await called()).toEqual([]);
    },
  );

  it("from the list between two pages is not saved as one of the other", async () => {
    await give("ANA", "ANA2");
    await give("ZOE", "ANA");
    await asOffice(world, { birthDate: "1990-01-01" }, reference("ANA2"));
    pages = 1;
    await tablet.client.sync();
    const list = await listed();
    expect(new Set(list.map(({ at }) => at)).size).toBe(2);
    const ana = list.find(({ given }) => given === "Ana");
    expect(await call(ana?.at ?? "", { seen: ana?.record })).toMatchObject({
      problem: { kind: "duplicate", detail: expect.stringContaining("Sync first") },
    });
    pages = Number.POSITIVE_INFINITY;
    await tablet.client.sync();
    await ok(call(reference("ANA2")));
    await tablet.client.sync();
    expect(await called()).toEqual(["Ana"]);
  });

  it("who waits for a person is shown as waiting", async () => {
    tablet.online = false;
    await ok(call(reference("ANA")));
    await give("ANA", "ANA2");
    await asOffice(world, { active: false }, reference("ANA2"));
    await give("ZOE", "ANA");
    tablet.online = true;
    await tablet.client.sync();
    const [parked] = await tablet.client.parked();
    const shown = (await listed()).map(({ given, at, state }) => [given, at, state]);
    expect(shown.sort()).toEqual([
      ["Ana", parked?.reference, "parked"],
      ["Zoe", reference("ANA"), "synced"],
    ]);
  });
});
