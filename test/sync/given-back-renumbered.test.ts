import type { Individual, MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { other as another, run } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const day = 26 * 3_600_000;
const reference = (value: string) => `Individual/${system}|${value}`;
const number = (value: string) => (draft: Individual) => {
  draft.identifier = [{ system, value }];
};
const phone = (value: string) => (draft: Individual) => {
  draft.telecom = [{ system: "phone", value }];
};
const bornAna = { name: { family: "Cruz", given: "Ana" }, birthDate: "1980-01-01" };

/** One tablet registered somebody, the other corrected her number; a restored server lost both, and got her back under the former one. */
describe("somebody whom a restored server got back under a number that was corrected since", () => {
  let world: World;
  let now: World;
  let a: Device;
  let b: Device;
  let backup: MemoryMedium;

  beforeEach(async () => {
    world = await createWorld();
    [a, b] = [world.device("a"), world.device("b")];
    for (const { client } of [a, b]) await ok(client.signIn(credentials));
    for (const each of [a, b]) await run(each, 1);
    backup = structuredClone(world.medium);
  });

  /** Registers her on one tablet; the other knows her. */
  const register = async (on: Device, who: Partial<Individual> = bornAna) => {
    await ok(on.client.individuals.create({ identifier: [{ system, value: "N1" }], ...who } as never));
    for (const each of [on, a, b]) await run(each, 1);
  };
  const edit = (device: Device, value: string, change: (draft: Individual) => void) =>
    ok(device.client.individuals.update(reference(value), change));
  const restore = async () => {
    now = await restoredFrom(backup);
    world.moveTo(now);
    for (const { client } of [a, b]) await ok(client.signIn(credentials));
  };
  const runAll = async (order: readonly Device[]) => {
    for (const device of [...order, ...order, ...order]) {
      for (const each of [now, world]) each.pass(day);
      await run(device, 1);
    }
  };
  const sayings = ({ name, identifier, telecom = [] }: Individual) =>
    [name.given, ...identifier.map(({ value }) => value), ...telecom.map(({ value }) => value)].join(" ");
  const there = async () => (await ok(now.view.individuals.search({}))).data.map(sayings).sort();
  const here = async ({ client }: Device) =>
    (await ok(client.individuals.search({}))).data.map(({ record }) => sayings(record)).sort();
  const asked = async () =>
    (await Promise.all([a, b].map(({ client }) => client.parked()))).flat().map(({ reason }) => reason);

  const cases = [
    { what: "her number", steps: [["N1", number("N2")]], is: "Ana N2" },
    {
      what: "her number and her phone",
      steps: [
        ["N1", number("N2")],
        ["N2", phone("1")],
      ],
      is: "Ana N2 1",
    },
    {
      what: "her number twice",
      steps: [
        ["N1", number("N2")],
        ["N2", number("N3")],
      ],
      is: "Ana N3",
    },
  ] as const;
  const orders = ["the tablet that made her", "the one that corrected her"];

  it.each(cases.flatMap((each) => orders.map((first) => ({ ...each, first }))))(
    "is there once, with what was corrected: $what, where $first comes first",
    async ({ steps, is, first }) => {
      await register(a);
      for (const [value, change] of steps) {
        await edit(b, value, change);
        await run(b, 1);
      }
      await restore();
      await runAll(first === orders[0] ? [a, b] : [b, a]);
      expect(await there()).toEqual([is]);
      for (const each of [a, b]) expect(await here(each)).toEqual([is]);
      expect(await asked()).toEqual([]);
    },
  );

  it.each(orders)("is known as she was in between, where %s comes first", async (first) => {
    await register(a);
    await edit(b, "N1", number("N2"));
    await edit(b, "N2", phone("1"));
    for (const each of [b, a]) await run(each, 1);
    await edit(b, "N2", number("N3"));
    await edit(b, "N3", phone("2"));
    await run(b, 1);
    await restore();
    await runAll(first === orders[0] ? [a, b] : [b, a]);
    expect(await there()).toEqual(["Ana N3 2"]);
    expect(await asked()).toEqual([]);
  });

  it.each([
    { who: "the tablet that made her", first: true, again: [] },
    { who: "the one that corrected her last", first: false, again: [] },
    { who: "the tablet that made her, with her phone", first: true, again: [phone("1")] },
  ])(
    "has the last number alone where each corrected it upon the other, and the first is there: $who comes first",
    async ({ first, again }) => {
      await register(a);
      backup = structuredClone(world.medium);
      await edit(a, "N1", number("N2"));
      for (const each of [a, b]) await run(each, 1);
      await edit(b, "N2", number("N3"));
      for (const each of [b, a]) await run(each, 1);
      await restore();
      for (const change of again) await edit(a, "N3", change);
      await runAll(first ? [a, b] : [b, a]);
      expect(await there()).toEqual([["Ana N3", ...again.map(() => "1")].join(" ")]);
      expect(await here(a)).toEqual(await there());
      expect(await asked()).toEqual([]);
    },
  );

  it("is there once where the number was corrected on the way to the restored server", async () => {
    await register(a);
    await edit(b, "N1", number("N2"));
    await restore();
    await runAll([a, b]);
    expect(await there()).toEqual(["Ana N2"]);
    expect(await asked()).toEqual([]);
  });

  /** What the server accepted from somebody is put away while somebody else has the tablet, and the records are forgotten. */
  const handAround = async ({ client }: Device) => {
    await ok(client.signOut());
    await ok(client.signIn(another));
    await client.sync();
    await ok(client.signOut());
  };

  it.each([
    { who: "she", first: bornAna, is: ["Ana N2 1"] },
    { who: "somebody else", first: { ...bornAna, birthDate: "1990-01-01" }, is: ["Ana N1"] },
    { who: "one of her name, born nobody knows when", first: { name: bornAna.name }, is: ["Ana N1"] },
  ])(
    "is given her correction where it is she who has the former number, also once somebody else had the tablet: $who",
    async ({ first, is }) => {
      await register(a);
      await edit(b, "N1", number("N2"));
      await edit(b, "N2", phone("1"));
      await run(b, 1);
      await handAround(b);
      now = await restoredFrom(backup);
      world.moveTo(now);
      const back = { type: "Individual", identifier: [{ system, value: "N1" }], ...first };
      await ok(now.view.individuals.create(back as never));
      await ok(b.client.signIn(credentials));
      await runAll([b]);
      expect(await there()).toEqual(is);
      expect(await here(b)).toEqual(is);
      expect(await asked()).toEqual([]);
    },
  );

  it("has the last number alone where who registered her corrected it again, and somebody else had the tablet", async () => {
    await register(a);
    await edit(b, "N1", number("N2"));
    for (const device of [b, a]) await run(device, 1);
    await edit(a, "N2", number("N3"));
    await run(a, 1);
    await handAround(a);
    await restore();
    await runAll([b, a]);
    expect(await there()).toEqual(["Ana N3"]);
    for (const { client } of [a, b]) expect(client.status.current).toMatchObject({ pending: 0, sending: 0 });
  });

  it.each([
    { who: "somebody else", known: bornAna, other: { ...bornAna, name: { family: "Cruz", given: "Bea" } } },
    { who: "somebody born on another day", known: bornAna, other: { ...bornAna, birthDate: "1990-01-01" } },
    { who: "one of her name, born nobody knows when", known: bornAna, other: { name: bornAna.name } },
    { who: "one of her name alone", known: { name: bornAna.name }, other: bornAna },
  ])("is not taken for $who who has the former number", async ({ known, other }) => {
    await register(a, known);
    await edit(b, "N1", number("N2"));
    await run(b, 1);
    await restore();
    await run(b, 1);
    const stranger = { type: "Individual", identifier: [{ system, value: "N1" }], ...other };
    await ok(now.view.individuals.create(stranger as never));
    await runAll([b]);
    expect(await there()).toEqual([`${other.name.given} N1`]);
    expect(await b.client.parked()).toMatchObject([{ reason: "gone", reference: reference("N2") }]);
    expect(await here(b)).toEqual(["Ana N2", `${other.name.given} N1`].sort());
  });
});
