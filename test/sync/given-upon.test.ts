import type { Individual, MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf } from "./support/people.ts";
import { call, edit, everybody, rename, said, shown, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./support/world.ts";

const person = personOf("ANA", { family: "Cruz", given: "Ana" });

describe("what a device did upon what a restored server had accepted of it", () => {
  let world: World;
  let now: World;
  let a: Device;
  let b: Device;

  beforeEach(async () => {
    world = await createWorld();
    now = world;
    await ok(world.view.individuals.create(person));
    [a, b] = [world.device("a"), world.device("b")];
    for (const device of [a, b]) {
      await ok(device.client.signIn(credentials));
      await device.client.sync();
    }
  });

  const backup = (): MemoryMedium => structuredClone(now.medium);

  async function restore(from: MemoryMedium): Promise<void> {
    now = await restoredFrom(from);
    world.moveTo(now);
    for (const { client } of [a, b]) await client.signIn(credentials);
  }

  const told = async () => (await everybody(now.view)).map(said).sort();

  const uncall = () => (draft: Individual) => {
    draft.telecom = [];
  };
  const atWork = () => (draft: Individual) => {
    draft.telecom = (draft.telecom ?? []).map((contact) => ({ ...contact, use: "work" }));
  };

  it.each([
    { name: "a removal that is not sent", has: [call("1")], lost: [], unsent: [uncall()], left: "Cruz" },
    {
      name: "a change back that is not sent",
      has: [rename("Reyes")],
      lost: [],
      unsent: [rename("Cruz")],
      left: "Cruz",
    },
    { name: "a change of an item", has: [call("1")], lost: [], unsent: [atWork()], left: "Cruz 1" },
    { name: "a removal that it lost", has: [call("1")], lost: [uncall()], unsent: [], left: "Cruz" },
    {
      name: "a change back that it lost",
      has: [rename("Reyes")],
      lost: [rename("Cruz")],
      unsent: [],
      left: "Cruz",
    },
    {
      name: "a change of an item that it lost",
      has: [call("1")],
      lost: [atWork()],
      unsent: [],
      left: "Cruz 1",
    },
    {
      name: "one change upon another",
      has: [rename("Reyes")],
      lost: [rename("Santos")],
      unsent: [],
      left: "Santos",
    },
  ])("is not put in the place of what was done after it: $name", async ({ has, lost, unsent, left }) => {
    for (const change of has) await edit(a, change);
    await synced(a);
    const older = backup();
    for (const change of lost) await edit(a, change);
    await synced(a);
    a.online = false;
    for (const change of unsent) await edit(a, change);
    a.online = true;
    await restore(older);
    await synced(a);
    expect(await told()).toEqual([left]);
    expect(await shown(a)).toEqual([left]);
  });

  it.each([
    { name: "beside something unsent", sent: false },
    { name: "beside something lost", sent: true },
  ])("is given again when an older backup is taken after one that had it, $name", async ({ sent }) => {
    const older = backup();
    await edit(a, rename("Reyes"));
    await synced(a);
    const newer = backup();
    a.online = sent;
    await edit(a, call("2"));
    if (sent) await synced(a);
    a.online = true;
    for (const taken of [newer, older]) {
      await restore(taken);
      await synced(a);
      expect(await told()).toEqual(["Reyes 2"]);
    }
  });
});
