import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, run } from "./support/files.ts";
import { answer, ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const odd = "O'NEIL--1";
const hour = 3_600_000;
const lives = (state: string) => [{ type: "physical" as const, country: "PH", state }];

/** Something that answers for one record's address, wherever it is asked for, once it is there. */
const walled =
  (wall: { status: number | null }) =>
  (send: Fetch): Fetch =>
  async (url, init) =>
    wall.status && decodeURIComponent(url).includes(odd)
      ? answer(wall.status, "<html>Blocked</html>", "text/html")
      : send(url, init);

describe("a record that can't be asked for, while everything is read anew", () => {
  let world: World;
  const wall = { status: null as number | null };

  beforeEach(async () => {
    wall.status = null;
    world = await createWorld();
    const person = personOf("ANA", { family: "Cruz", given: "Ana" });
    await ok(world.view.individuals.create({ ...person, address: lives("Cavite") }));
  });

  const signedIn = async (options: Parameters<World["device"]>[1]) => {
    const tablet = world.device("a", options);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
    return tablet;
  };
  const hours = async ({ client }: Device, count: number) => {
    for (let nth = 0; nth < count; nth++) {
      world.pass(hour);
      await client.signIn(credentials);
      await client.sync();
    }
  };
  const born = (tablet: Device) =>
    ok(
      tablet.client.individuals.update(ana, (draft) => {
        draft.birthDate = "1980-01-01";
      }),
    );

  it.each([403, 500])(
    "does not keep others from going on where a restored server may have lost it (%i)",
    async (status) => {
      wall.status = status;
      const tablet = await signedIn({ network: walled(wall) });
      const backup = structuredClone(world.medium);
      const person = { identifier: [{ system, value: odd }], name: { family: "ONeil" } };
      await ok(tablet.client.individuals.create(person));
      await run(tablet, 2);
      const later = await restoredFrom(backup);
      world.moveTo(later);
      await born(tablet);
      await hours(tablet, 3);
      expect((await ok(later.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-01-01");
    },
  );

  it.each([403, 500])("does not keep others from going on where no feed tells of it (%i)", async (status) => {
    const tablet = await signedIn({ network: walled(wall), feeds: ["area:PH/Cavite"] });
    const person = { identifier: [{ system, value: odd }], name: { family: "ONeil" } };
    await ok(tablet.client.individuals.create({ ...person, address: lives("Laguna") }));
    await run(tablet, 2);
    const later = await restoredFrom(structuredClone(world.medium));
    world.moveTo(later);
    wall.status = status;
    await born(tablet);
    await hours(tablet, 1);
    expect((await ok(later.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-01-01");
  });

  it.each([403, 500])(
    "does not keep others from going on at a plain server, a day later (%i)",
    async (status) => {
      await ok(world.view.individuals.create(personOf(odd, { family: "ONeil", given: "x" })));
      const tablet = await signedIn({ network: (send) => walled(wall)(plain(send)) });
      await asOffice(world, { active: false }, `Individual/${system}|${odd}`);
      wall.status = status;
      await hours(tablet, 25);
      await born(tablet);
      await asOffice(world, { name: { given: "Anna" } });
      await hours(tablet, 2);
      expect((await ok(world.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-01-01");
      expect((await ok(tablet.client.individuals.read(ana))).record.name.given).toBe("Anna");
    },
  );

  it.each([1, 25])(
    "does not keep edits from going on at a plain server whose search for enrollments fails, after %i hours",
    async (count) => {
      let fails = false;
      const failing =
        (send: Fetch): Fetch =>
        async (url, init) =>
          fails && url.includes("/ProgramMembership?") ? answer(500, "oops", "text/plain") : send(url, init);
      const tablet = await signedIn({ network: (send) => failing(plain(send)) });
      fails = true;
      await hours(tablet, count);
      await born(tablet);
      await hours(tablet, 2);
      expect((await ok(world.view.individuals.read(`${system}|ANA`))).birthDate).toBe("1980-01-01");
    },
  );
});
