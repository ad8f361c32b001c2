import type { Individual, MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, rename, type Story, shown, synced } from "./support/restored.ts";
import { credentials, type Device } from "./support/world.ts";

const made = "urn:service:registrant";

describe("what a server accepted and lost, restored from an older backup", () => {
  let story: Story;
  let a: Device;
  let b: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a, b } = story);
  });

  it("is given to it again: one edit upon another, and what was not sent yet", async () => {
    const older = story.backup();
    await edit(a, call("1"));
    await synced(a);
    await edit(a, rename("Reyes"));
    await synced(a);
    a.online = false;
    await edit(a, call("2"));
    a.online = true;
    await story.restore(older);
    await synced(a);
    expect(await story.told()).toEqual(["Reyes 1 2"]);
    await synced(b);
    expect(await shown(b)).toEqual(["Reyes 1 2"]);
  });

  it("is not given to it where it has that, and no request is made for it", async () => {
    await edit(a, call("1"));
    await synced(a);
    await story.restore(story.backup());
    await synced(a);
    expect(story.writes()).toEqual([]);
    expect(await story.told()).toEqual(["Cruz 1"]);
  });

  it("is given to it again as often as it is lost", async () => {
    const older = story.backup();
    await edit(a, call("1"));
    await synced(a);
    await story.restore(story.backup());
    await synced(a);
    for (let times = 0; times < 2; times++) {
      await story.restore(older);
      await synced(a);
      expect(await story.told()).toEqual(["Cruz 1"]);
    }
  });

  it("is not given to it again where somebody had changed it back", async () => {
    const older = story.backup();
    await edit(a, rename("Reyes"));
    await synced(a);
    await ok(
      story.world.view.individuals.patch(`${system}|ANA`, { name: { family: "Cruz" } }, { ifMatch: "*" }),
    );
    await synced(a);
    await story.restore(older);
    await synced(a);
    expect(await story.told()).toEqual(["Cruz"]);
    expect(story.writes()).toEqual([]);
  });

  it.each([
    { what: "taken out", does: call("wrong"), undo: { telecom: null } },
    { what: "given its former value", does: rename("Wrong"), undo: { name: { family: "Cruz" } } },
  ])(
    "waits for a person where somebody had it $what before the backup, unseen here",
    async ({ does, undo }) => {
      await edit(a, does);
      await synced(a);
      await ok(story.now.view.individuals.patch(`${system}|ANA`, undo, { ifMatch: "*" }));
      await story.restore(story.backup());
      await a.client.sync();
      await a.client.sync();
      expect(await story.told()).toEqual(["Cruz"]);
      expect(await a.client.parked()).toMatchObject([{ reason: "conflict", conflicts: [] }]);
    },
  );

  it("waits for a person where somebody changed the same since", async () => {
    const older = story.backup();
    await edit(a, rename("Reyes"));
    await edit(a, call("1"));
    await synced(a);
    await story.restore(older);
    await ok(
      story.now.view.individuals.patch(`${system}|ANA`, { name: { family: "Santos" } }, { ifMatch: "*" }),
    );
    expect(await a.client.sync()).toMatchObject({ pending: 0, parked: 1 });
    const [parked] = await a.client.parked();
    expect(parked).toMatchObject({
      reason: "conflict",
      conflicts: [{ path: "/name/family", base: "Cruz", ours: "Reyes", theirs: "Santos" }],
    });
    const choices = { "/name/family": "theirs" } as const;
    await ok(a.client.resolve(ana, { kind: "choose", revision: parked?.revision ?? "", choices }));
    await synced(a);
    expect(await story.told()).toEqual(["Santos 1"]);
  });

  describe("and that was made on a tablet", () => {
    const household = {
      group: { groupType: "household", name: "Reyes", active: true },
      members: [{ individual: { active: true, name: { family: "Reyes" } }, role: "head" }],
    } as const;
    let reference: string;
    let older: MemoryMedium;

    beforeEach(async () => {
      older = story.backup();
      const { members } = await ok(a.client.registerHousehold(household));
      reference = members[0]?.reference ?? "";
      await synced(a);
      await edit(a, call("1"), reference);
      await synced(a);
      await synced(b);
    });

    it("is registered again under its identifiers, with what belongs to it", async () => {
      await story.restore(older);
      await synced(a);
      expect(await story.told()).toEqual(["Cruz", "Reyes 1"]);
      const again = await ok(story.now.view.individuals.read(reference.replace("Individual/", "")));
      expect(again.identifier[0]?.system).toBe(made);
      const groups = (await ok(story.now.view.groups.search({}))).data;
      expect(groups).toMatchObject([{ member: [{ entity: { reference } }] }]);
      await synced(b);
      expect(await shown(b)).toEqual(await shown(a));
      await edit(a, call("2"), reference);
      await synced(a);
      await synced(b);
      expect(await shown(b)).toEqual(["Cruz", "Reyes 1 2"]);
    });

    it("gets what another tablet did to it as soon as it is there", async () => {
      await edit(b, call("2"), reference);
      await synced(b);
      await story.restore(older);
      expect(await b.client.sync()).toMatchObject({ pending: 0, parked: 1 });
      expect(await b.client.parked()).toMatchObject([{ reason: "gone" }]);
      await synced(a);
      await synced(b);
      await synced(a);
      expect(await story.told()).toEqual(["Cruz", "Reyes 1 2"]);
      expect(await shown(a)).toEqual(["Cruz", "Reyes 1 2"]);
      expect(await shown(b)).toEqual(["Cruz", "Reyes 1 2"]);
    });

    it("is registered anew from another tablet where a person says so, and is one record then too", async () => {
      await edit(b, call("2"), reference);
      await synced(b);
      await story.restore(older);
      await b.client.sync();
      await ok(b.client.resolve(reference, { kind: "retry" }));
      await b.client.sync();
      expect(await story.told()).toEqual(["Cruz", "Reyes 1 2"]);
      await synced(a);
      await synced(b);
      expect(await story.told()).toEqual(["Cruz", "Reyes 1 2"]);
      expect(await shown(a)).toEqual(["Cruz", "Reyes 1 2"]);
      expect(await shown(b)).toEqual(["Cruz", "Reyes 1 2"]);
    });

    it("is not on the tablet any more, nor given again, where it left it before", async () => {
      await ok(
        story.world.view.individuals.patch(
          reference.replace("Individual/", ""),
          { active: false },
          { ifMatch: "*" },
        ),
      );
      await synced(a);
      expect(JSON.stringify([...(a.medium.collections.get("accepted")?.values() ?? [])])).not.toContain(
        '"phone"',
      );
      await story.restore(older);
      await a.client.sync();
      expect(await story.told()).toEqual(["Cruz"]);
    });
  });

  describe("and that was made on a tablet under a card's number alone", () => {
    const card = { system, value: "77" };
    const reference = `Individual/${system}|77`;
    let older: MemoryMedium;

    beforeEach(async () => {
      older = story.backup();
      await ok(a.client.individuals.create({ identifier: [card], name: { family: "Reyes" } }));
      await synced(a);
      await synced(b);
      await edit(b, call("2"), reference);
      await synced(b);
    });

    /** The tablet that only changed it registers it anew. */
    async function givenBackByAnother(): Promise<void> {
      await story.restore(older);
      await b.client.sync();
      await ok(b.client.resolve(reference, { kind: "retry" }));
      await synced(b);
    }

    it("is there once where another one gave it back and both say the same", async () => {
      await synced(a);
      await givenBackByAnother();
      await synced(a);
      expect(await shown(a)).toEqual(["Cruz", "Reyes 2"]);
      expect(await story.told()).toEqual(["Cruz", "Reyes 2"]);
      await ok(
        story.now.view.individuals.patch(`${system}|77`, { birthDate: "1990-01-01" }, { ifMatch: "*" }),
      );
      await synced(a);
      expect((await ok(a.client.individuals.read(reference))).record.birthDate).toBe("1990-01-01");
      expect(a.medium.collections.get("Individual")?.size).toBe(2);
    });

    it("is there once, with what was changed while that came out", async () => {
      await synced(a);
      await givenBackByAnother();
      a.online = false;
      await edit(a, call("3"), reference);
      a.online = true;
      await synced(a);
      await synced(a);
      expect(await shown(a)).toEqual(["Cruz", "Reyes 2 3"]);
      expect(await story.told()).toEqual(["Cruz", "Reyes 2 3"]);
    });

    it.each([
      { name: "with another name", is: { name: { family: "Santos" } } },
      { name: "born on another day", is: { name: { family: "Reyes" }, birthDate: "1990-01-01" } },
    ])("is left to a person where the number is somebody else's by then, $name", async ({ is }) => {
      await edit(a, (draft) => void Object.assign(draft, { birthDate: "1980-01-01" }), reference);
      await synced(a);
      await synced(a);
      await story.restore(older);
      await ok(story.now.view.individuals.create({ type: "Individual", identifier: [card], ...is }));
      expect(await a.client.sync()).toMatchObject({ parked: 1 });
      expect(await a.client.parked()).toMatchObject([{ reason: "duplicate" }]);
      expect(await shown(a)).toEqual(["Cruz", is.name.family, "Reyes 2"].toSorted());
      expect(await story.told()).toEqual(["Cruz", is.name.family]);
    });
  });

  it("is one person's: nobody else gives it again, and it waits for that one", async () => {
    const older = story.backup();
    await edit(a, call("1"));
    await synced(a);
    await ok(a.client.signIn({ ...credentials, clientId: "other" }));
    await synced(a);
    await story.goBack(older);
    await ok(a.client.signIn({ ...credentials, clientId: "other" }));
    await synced(a);
    expect(await story.told()).toEqual(["Cruz"]);
    await ok(a.client.signIn(credentials));
    await synced(a);
    expect(await story.told()).toEqual(["Cruz 1"]);
  });

  it.each([
    { name: "meanwhile", isLater: false },
    { name: "after they had come back", isLater: true },
  ])("is one person's also where the record came back from another tablet $name", async ({ isLater }) => {
    const older = story.backup();
    const { reference } = await ok(b.client.individuals.create({ name: { family: "Reyes" } }));
    await synced(b);
    await synced(a);
    await edit(a, call("1"), reference);
    await synced(a);
    await ok(a.client.signIn({ ...credentials, clientId: "other" }));
    await synced(a);
    await story.goBack(older);
    const comeBack = async () => {
      await ok(a.client.signIn(credentials));
      await synced(a);
    };
    if (isLater) await comeBack();
    await ok(b.client.signIn(credentials));
    await synced(b);
    expect(await story.told()).toEqual(["Cruz", "Reyes"]);
    await comeBack();
    expect(await story.told()).toEqual(["Cruz", "Reyes 1"]);
    expect(await shown(a)).toEqual(["Cruz", "Reyes 1"]);
  });

  describe("and that the next person at the tablet gave back", () => {
    const as = (clientId: string) => ok(a.client.signIn({ ...credentials, clientId }));
    let reference: string;

    /** Who comes back finds the record made here under another key. */
    async function givenBackByAnother(changes: readonly ((draft: Individual) => void)[]): Promise<void> {
      const older = story.backup();
      reference = (await ok(a.client.individuals.create({ name: { family: "Reyes" } }))).reference;
      await synced(a);
      for (const change of changes) {
        await edit(a, change, reference);
        await synced(a);
      }
      await as("other");
      await synced(a);
      await edit(a, call("2"), reference);
      await story.goBack(older);
      await as("other");
      await a.client.sync();
      await ok(a.client.resolve(reference, { kind: "retry" }));
      await synced(a);
      await as(credentials.clientId);
    }

    it.each([
      { name: "only made by them", changes: [], left: "Reyes 2" },
      { name: "also changed by them", changes: [rename("Cruz"), rename("Santos")], left: "Santos 2" },
    ])("is one record, $name, when who made it comes back", async ({ changes, left }) => {
      await givenBackByAnother(changes);
      await synced(a);
      await synced(a);
      expect(await shown(a)).toEqual(["Cruz", left]);
      expect(await story.told()).toEqual(["Cruz", left]);
      expect(a.medium.collections.get("Individual")?.size).toBe(2);
    });

    it("is still given back, with all that, when the server loses it once more", async () => {
      await givenBackByAnother([rename("Santos")]);
      const older = story.backup();
      await synced(a);
      await edit(a, call("3"), reference);
      await synced(a);
      await story.restore(older);
      await synced(a);
      expect(await story.told()).toEqual(["Cruz", "Santos 2 3"]);
      expect(await shown(a)).toEqual(["Cruz", "Santos 2 3"]);
    });
  });

  it.each([
    { name: "a record that it made", make: true, left: ["Cruz", "Reyes"] },
    { name: "a change of a record", make: false, left: ["Reyes"] },
  ])(
    "is given to it again by a device that had not finished its first pull: $name",
    async ({ make, left }) => {
      const older = story.backup();
      // Of the first pull one page of one record comes through; then feeds have no answers for a while.
      let pages = 1;
      const c = story.world.device("c", {
        network: (send) => (url, init) =>
          url.includes("/$changes") && pages-- <= 0 ? Promise.reject(new TypeError("lost")) : send(url, init),
      });
      await ok(c.client.signIn(credentials));
      if (make) await ok(c.client.individuals.create({ active: true, name: { family: "Reyes" } }));
      else {
        pages = 2;
        await c.client.sync();
        await edit(c, rename("Reyes"));
      }
      pages = 1;
      await c.client.sync();
      expect(await story.told()).toEqual(left);
      await story.restore(older);
      await c.client.signIn(credentials);
      pages = 1_000;
      await synced(c);
      expect(await story.told()).toEqual(left);
      expect(await shown(c)).toEqual(left);
    },
  );

  it("is forgotten after ninety days, with how the edits ended", async () => {
    await edit(a, call("1"));
    await synced(a);
    const kept = (name: string) => a.medium.collections.get(name)?.size ?? 0;
    expect([kept("accepted"), kept("outbox-history")]).toEqual([1, 1]);
    story.world.pass(91 * 24 * 3_600_000);
    await ok(a.client.signIn(credentials));
    await synced(a);
    expect([kept("accepted"), kept("outbox-history")]).toEqual([0, 0]);
  });
});
