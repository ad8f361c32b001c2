import { describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { call, edit, everybody, rename, said, shown } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom } from "./support/world.ts";

const at = (value: string) => `Individual/${system}|${value}`;
const ana = { ...personOf("N1", { family: "Cruz", given: "Ana" }), birthDate: "1980-01-01" };
const ben = { ...personOf("M1", { family: "Reyes", given: "Ben" }), birthDate: "1990-01-01" };

/**
 * Tablet a registers people, c corrects their numbers, and b calls them by the new ones; a restored server has lost all of it. Then a gives
 * them back as they were, which b can't know.
 */
async function lostByAll(people: readonly (typeof ana)[], inHousehold = false) {
  const world = await createWorld();
  const [a, b, c] = ["a", "b", "c"].map((name) => world.device(name)) as [Device, Device, Device];
  for (const device of [a, b, c]) {
    await ok(device.client.signIn(credentials));
    await run(device, 1);
  }
  const backup = structuredClone(world.medium);
  const members = people.map((individual) => ({ individual: individual as never }));
  if (inHousehold) {
    const group = { groupType: "household", name: "Home" } as const;
    await ok(a.client.registerHousehold({ group, members }));
  } else for (const each of people) await ok(a.client.individuals.create(each));
  for (const device of [a, c]) await run(device, 1);
  const numbers = people.map(({ identifier }) => identifier?.[0]?.value ?? "");
  const corrected = (number: string) => number.replace("1", "2");
  for (const number of numbers) {
    const identifier = [{ system, value: corrected(number) }];
    await edit(c, (draft) => Object.assign(draft, { identifier }), at(number));
  }
  for (const device of [c, b]) await run(device, 1);
  for (const number of numbers) await edit(b, call("1"), at(corrected(number)));
  await run(b, 1);
  const now = await restoredFrom(backup);
  now.pass(100 * 3_600_000);
  world.moveTo(now);
  for (const device of [a, b, c]) await ok(device.client.signIn(credentials));
  for (const device of [a, b]) await run(device, 1);
  const office = (number: string, patch: object) =>
    ok(now.view.individuals.patch(`${system}|${number}`, patch as never, { ifMatch: "*" }));
  return { now, a, b, c, office };
}

describe("somebody whom a restored server got back under a number that was corrected since", () => {
  it.each(["another tablet", "the office"])("is here once when %s corrects it again", async (who) => {
    const { now, b, c, office } = await lostByAll([ana]);
    expect(await shown(b)).toEqual(["Cruz", "Cruz 1"]);
    if (who === "the office") await office("N1", { identifier: [{ system, value: "N2" }] });
    else await run(c, 1);
    await run(b, 2);
    expect(await shown(b)).toEqual(["Cruz 1"]);
    expect(b.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await everybody(now.view)).map(said)).toEqual(["Cruz 1"]);
    await office("N2", { name: { family: "Reyes" } });
    await run(b, 1);
    expect(await shown(b)).toEqual(["Reyes 1"]);
    await office("N2", { active: false });
    await run(b, 1);
    expect(await shown(b)).toEqual([]);
  });

  it("stays in her household where news of that comes at the same time", async () => {
    const { now, b, c } = await lostByAll([ana], true);
    await run(c, 1);
    const [home] = (await ok(now.view.groups.search({}))).data;
    const key = home?.identifier[0];
    await ok(now.view.groups.patch(`${key?.system}|${key?.value}`, { name: "House" }, { ifMatch: "*" }));
    await run(b, 1);
    expect(await shown(b)).toEqual(["Cruz 1"]);
    const { record } = await ok(b.client.individuals.read(at("N2")));
    expect(record.groupMembership).toHaveLength(1);
  });

  it("stays in the household with whom the same happened to", async () => {
    const { now, b, c } = await lostByAll([ana, ben], true);
    for (const device of [c, b, b, b]) await run(device, 1);
    expect(await shown(b)).toEqual(["Cruz 1", "Reyes 1"]);
    expect(b.client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect((await everybody(now.view)).map(said).sort()).toEqual(["Cruz 1", "Reyes 1"]);
    const [home] = (await ok(b.client.groups.search())).data;
    const member = ["N2", "M2"].map((number) => ({ entity: { reference: at(number) } }));
    expect(home?.record.member).toMatchObject(member);
    const { record } = await ok(b.client.individuals.read(at("M2")));
    expect(record.groupMembership).toHaveLength(1);
  });

  it("is here once after one run, however many that happened to", async () => {
    const eva = { ...personOf("K1", { family: "Lim", given: "Eva" }), birthDate: "1970-01-01" };
    const { b, c } = await lostByAll([ana, ben, eva]);
    for (const device of [c, b]) await run(device, 1);
    expect(await shown(b)).toEqual(["Cruz 1", "Lim 1", "Reyes 1"]);
  });

  it.each([
    { what: "what leaves her who she is", change: call("9"), here: ["Cruz 9 1"], waits: [] },
    { what: "another name", change: rename("Diaz"), here: ["Cruz 1", "Diaz"], waits: ["duplicate"] },
  ])("waits while the copy that was read has unsent work: $what", async ({ change, here, waits }) => {
    const { now, b, c } = await lostByAll([ana]);
    b.online = false;
    await edit(b, change, at("N1"));
    await run(c, 1);
    b.online = true;
    await run(b, 3);
    expect(await shown(b)).toEqual(here);
    expect((await b.client.parked()).map(({ reason }) => reason)).toEqual(waits);
    expect((await everybody(now.view)).map(said)).toEqual(here.slice(-1));
  });
});
