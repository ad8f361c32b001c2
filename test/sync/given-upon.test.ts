import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { asOffice, fileOf, other as somebody, take } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, rename, type Story, shown, synced } from "./support/restored.ts";
import { credentials, type Device } from "./support/world.ts";

describe("what a device did upon what a restored server had accepted of it", () => {
  let story: Story;
  let a: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a } = story);
  });

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
    const older = story.backup();
    for (const change of lost) await edit(a, change);
    await synced(a);
    a.online = false;
    for (const change of unsent) await edit(a, change);
    a.online = true;
    await story.restore(older);
    await synced(a);
    expect(await story.told()).toEqual([left]);
    expect(await shown(a)).toEqual([left]);
  });

  it.each([
    { name: "beside something unsent", sent: false },
    { name: "beside something lost", sent: true },
  ])("is given again when an older backup is taken after one that had it, $name", async ({ sent }) => {
    const older = story.backup();
    await edit(a, rename("Reyes"));
    await synced(a);
    const newer = story.backup();
    a.online = sent;
    await edit(a, call("2"));
    if (sent) await synced(a);
    a.online = true;
    for (const taken of [newer, older]) {
      await story.restore(taken);
      await synced(a);
      expect(await story.told()).toEqual(["Reyes 2"]);
    }
  });

  it("is not in the way of a file with an edit that it has", async () => {
    const { b } = story;
    await edit(a, call("1"));
    for (const device of [a, b]) await synced(device);
    b.online = false;
    await edit(b, call("2"));
    const file = await fileOf(b);
    b.online = true;
    await synced(b);
    await story.restore(story.backup());
    await synced(a);
    expect(await take(a, file)).toEqual({ restored: 1, sealed: 0 });
    await synced(a);
    expect(a.medium.collections.get("sealed")?.size ?? 0).toBe(0);
    expect(await shown(a)).toEqual(["Cruz 1 2"]);
  });

  describe("a photo, of which a feed tells whether there is one", () => {
    const photoOf = (name: string) => picture(name.padEnd(24, "."));
    const [photo, other] = [photoOf("Ana"), photoOf("another")];
    const take = (draft: Individual) => void Object.assign(draft, { photo });
    const there = async () => (await ok(story.now.view.individuals.read(`${system}|ANA`))).photo;

    it("is not put back where it was seen that somebody had taken it out", async () => {
      await edit(a, take);
      await synced(a);
      await asOffice(story.world, { photo: null });
      await synced(a);
      await story.restore(story.backup());
      await synced(a);
      expect([await there(), story.writes()]).toEqual([undefined, []]);
    });

    it("is not put back where somebody had taken it out unseen, and is where a person says so", async () => {
      await edit(a, take);
      await synced(a);
      await asOffice(story.world, { photo: null });
      await story.restore(story.backup());
      for (let times = 0; times < 2; times++) expect(await a.client.sync()).toMatchObject({ parked: 1 });
      expect(await there()).toBeUndefined();
      const [parked] = await a.client.parked();
      expect(parked).toMatchObject({ reason: "conflict", conflicts: [] });
      await ok(a.client.resolve(ana, { kind: "retry" }));
      await synced(a);
      expect(await there()).toBe(photo);
    });

    it("is put back where it was lost, also after somebody else had the tablet", async () => {
      const older = story.backup();
      await edit(a, take);
      await synced(a);
      for (const person of [somebody, credentials]) {
        await ok(a.client.signIn(person));
        await synced(a);
      }
      expect((await ok(a.client.individuals.read(ana))).record.photo).toBe(photo);
      await story.restore(older);
      await synced(a);
      expect(await there()).toBe(photo);
    });

    it.each([
      { name: "as it was", changed: {}, left: undefined, parked: 0 },
      { name: "with another photo by now", changed: { photo: other }, left: other, parked: 1 },
    ])("that was taken out here and is back is taken out again: $name", async ({ changed, left, parked }) => {
      await edit(a, take);
      await synced(a);
      const older = story.backup();
      await edit(a, (draft) => void Reflect.deleteProperty(draft, "photo"));
      await synced(a);
      expect(await there()).toBeUndefined();
      await story.restore(older);
      if (left !== undefined) await asOffice(story.now, changed);
      await a.client.sync();
      expect(await a.client.sync()).toMatchObject({ pending: 0, sending: 0, parked });
      expect(await there()).toBe(left);
    });

    it.each([
      { name: "is still there", isLost: false, writes: [] },
      { name: "is lost", isLost: true, writes: [`PATCH /api/v2/Individual/${system}|ANA 200`] },
    ])("is asked about for nobody where it $name", async ({ isLost, writes }) => {
      const older = story.backup();
      await edit(a, take);
      await synced(a);
      await asOffice(story.world, { name: { family: "Reyes" } });
      await synced(a);
      await story.restore(isLost ? older : story.backup());
      await synced(a);
      expect(await there()).toBe(photo);
      expect(story.writes()).toEqual(writes);
    });
  });
});
