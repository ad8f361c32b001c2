import type { Fetch } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { other as another, run, tabletOf } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { edit } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const at = (value: string) => `Individual/${system}|${value}`;
const call = (device: Device, from: string, to: string) =>
  edit(device, (draft) => Object.assign(draft, { identifier: [{ system, value: to }] }), at(from));

const numbersOf = async ({ view }: Pick<World, "view">) =>
  (await ok(view.individuals.search({}))).data.map(({ identifier }) => identifier.map(({ value }) => value));

/** Decides on all that the only record that waits is asked about. */
async function choose({ client }: Device, side: "ours" | "theirs") {
  const [{ reference = "", reason = "", revision = "", conflicts = [] } = {}, ...rest] =
    await client.parked();
  expect(rest).toEqual([]);
  expect(reason).toBe("conflict");
  const choices = Object.fromEntries(conflicts.map(({ path }) => [path, side]));
  await ok(client.resolve(reference, { kind: "choose", revision, choices }));
}

/** A server that was restored from a backup, to which these tablets have signed in. */
async function restoredAt(world: World, backup: World["medium"], tablets: readonly Device[]) {
  const now = await restoredFrom(backup);
  now.pass(100 * 3_600_000);
  world.moveTo(now);
  for (const { client } of tablets) await ok(client.signIn(credentials));
  return now;
}

/** Somebody else has the tablet meanwhile: what was accepted is put away, and the records are forgotten. */
async function handAround({ client }: Device) {
  await ok(client.signOut());
  await ok(client.signIn(another));
  await client.sync();
  await ok(client.signOut());
}

async function expectOnly(number: string, tablets: readonly Device[]) {
  for (const { client } of tablets)
    expect((await ok(client.individuals.read(at(number)))).record.identifier).toHaveLength(1);
}

describe("a number that two tablets correct, each in its own way", () => {
  it.each([
    { side: "ours", left: "N2" },
    { side: "theirs", left: "N3" },
  ] as const)("is asked about, and is $left where a person chooses $side", async ({ side, left }) => {
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" })));
    const [one, other] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    one.online = false;
    await call(one, "N1", "N2");
    await call(other, "N1", "N3");
    await run(other, 1);
    one.online = true;
    await run(one, 2);
    expect(await numbersOf(world)).toEqual([["N3"]]);
    const [{ conflicts = [] } = {}] = await one.client.parked();
    expect(conflicts.map(({ ours, theirs }) => [ours, theirs])).toEqual([
      [undefined, { system, value: "N3" }],
      [{ system, value: "N2" }, undefined],
    ]);
    await choose(one, side);
    for (const device of [one, other]) await run(device, 1);
    expect(await numbersOf(world)).toEqual([[left]]);
    await expectOnly(left, [one, other]);
  });

  it("is asked about where a restored server lost both, and the one had not read the other", async () => {
    const world = await createWorld();
    await ok(world.view.individuals.create({ ...personOf("N1", { family: "Cruz", given: "Ana" }) }));
    const tablets = [await tabletOf(world, "a"), await tabletOf(world, "b"), await tabletOf(world, "c")];
    const [first, second, third] = tablets as [Device, Device, Device];
    const backup = structuredClone(world.medium);
    for (const [nth, device] of tablets.entries()) {
      await call(device, `N${nth + 1}`, `N${nth + 2}`);
      await run(device, 1);
      if (device !== third) for (const each of tablets) await run(each, 1);
    }
    const now = await restoredAt(world, backup, tablets);
    for (const device of [first, third, second, first, third, second]) await run(device, 1);
    expect(await numbersOf(now)).toEqual([["N4"]]);
    await choose(second, "theirs");
    for (const device of tablets) await run(device, 1);
    expect(await numbersOf(now)).toEqual([["N4"]]);
    await expectOnly("N4", tablets);
  });

  it.each([{ isHanded: false }, { isHanded: true }])(
    "is the last one where a restored server has the first, and who gave the second is asked, also once somebody else had the tablet: $isHanded",
    async ({ isHanded }) => {
      const world = await createWorld();
      const [one, other] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
      await ok(one.client.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" }) as never));
      for (const device of [one, other]) await run(device, 1);
      const backup = structuredClone(world.medium);
      await call(other, "N1", "N2");
      for (const device of [other, one]) await run(device, 1);
      await call(one, "N2", "N3");
      await run(one, 1);
      if (isHanded) await handAround(other);
      const now = await restoredAt(world, backup, [one, other]);
      await run(one, 1);
      expect(await numbersOf(now)).toEqual([["N3"]]);
      await run(other, 2);
      expect(await numbersOf(now)).toEqual([["N3"]]);
      await choose(other, "theirs");
      for (const device of [other, one]) await run(device, 1);
      await expectOnly("N3", [one, other]);
    },
  );

  it.each(["ours", "theirs"] as const)(
    "is asked about where the one did not hear that its own was refused, and decided: %s",
    async (side) => {
      const world = await createWorld();
      await ok(world.view.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" })));
      const is = { lossy: true };
      const network = (send: Fetch): Fetch => {
        return async (url, init) => {
          const answer = await send(url, init);
          if (is.lossy && init.method !== "GET" && !url.includes("oauth2")) throw new TypeError("reset");
          return answer;
        };
      };
      const [one, other] = [await tabletOf(world, "a", { network }), await tabletOf(world, "b")];
      await call(one, "N1", "N2");
      await call(other, "N1", "N3");
      await run(other, 1);
      await run(one, 1);
      is.lossy = false;
      world.pass(3_600_000);
      await run(one, 2);
      expect(await numbersOf(world)).toEqual([["N3"]]);
      await choose(one, side);
      for (const device of [one, other]) await run(device, 1);
      expect(await numbersOf(world)).toEqual([[side === "ours" ? "N2" : "N3"]]);
    },
  );

  it("is still asked about once the server was restored and has the other one corrected again", async () => {
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" })));
    const [one, other] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    await call(one, "N1", "N2");
    await call(other, "N1", "N3");
    for (const device of [other, one]) await run(device, 1);
    await call(other, "N3", "N4");
    await run(other, 1);
    const now = await restoredAt(world, structuredClone(world.medium), [one, other]);
    for (const device of [one, other, one]) await run(device, 1);
    expect(await numbersOf(now)).toEqual([["N4"]]);
    await choose(one, "theirs");
    await run(one, 1);
    await expectOnly("N4", [one, other]);
  });

  it("leaves nobody without a number where a tablet's own took the place of one that is back by a choice", async () => {
    const world = await createWorld();
    await ok(world.view.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" })));
    const tablets = [await tabletOf(world, "a"), await tabletOf(world, "b"), await tabletOf(world, "c")];
    const [first, second, third] = tablets as [Device, Device, Device];
    const backup = structuredClone(world.medium);
    await call(third, "N1", "N3");
    for (const device of [third, second]) await run(device, 1);
    await call(second, "N3", "N5");
    await call(first, "N1", "N8");
    const now = await restoredAt(world, backup, tablets);
    const order = [second, first, third, second, first, third];
    for (const device of order) await run(device, 1);
    await choose(second, "ours");
    for (const device of [second, third, first]) await run(device, 1);
    await choose(third, "ours");
    for (const device of [third, second, first]) await run(device, 1);
    expect(await numbersOf(now)).toEqual([["N3"]]);
    for (const { client } of tablets) expect(await client.parked()).toEqual([]);
    await expectOnly("N3", tablets);
  });
});
