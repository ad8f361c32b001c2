import type { Group, Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, born } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { ana, call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";
import type { Device } from "./support/world.ts";

type Change = (draft: Individual) => void;

/** One form that was saved with several fields, of which one was changed again before the backup. */
describe("a form of several fields, of which one was changed again before the backup", () => {
  let story: Story;
  let a: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a } = story);
  });

  const called =
    (given: string): Change =>
    (draft) => {
      draft.name.given = given;
    };
  const both =
    (...changes: readonly Change[]): Change =>
    (draft) => {
      for (const change of changes) change(draft);
    };
  const uncall: Change = (draft) => {
    draft.telecom = [];
  };
  const atWork: Change = (draft) => {
    draft.telecom = (draft.telecom ?? []).map((contact) => ({ ...contact, use: "work" }));
  };
  const bornLater: Change = (draft) => {
    draft.birthDate = "1990-01-02";
  };
  const there = async () => {
    const { name, birthDate, telecom = [] } = await ok(story.now.view.individuals.read(`${system}|ANA`));
    return [name.family, birthDate, ...telecom.map(({ value, use }) => `${value} ${use ?? ""}`.trim())];
  };

  describe.each([
    { who: "on the tablet", again: () => edit(a, called("Y")) },
    { who: "by the office", again: () => asOffice(story.world, { name: { given: "Y" } }) },
  ])("$who", ({ again }) => {
    describe.each([
      { name: "a removal", form: call("1"), change: uncall, left: ["Cruz", undefined] },
      { name: "a change of an item", form: call("1"), change: atWork, left: ["Cruz", undefined, "1 work"] },
      { name: "a change back", form: rename("Reyes"), change: rename("Cruz"), left: ["Cruz", undefined] },
      { name: "another value", form: born, change: bornLater, left: ["Cruz", "1990-01-02"] },
    ])("$name of another one", ({ form, change, left }) => {
      beforeEach(async () => {
        await edit(a, both(called("X"), form));
        await synced(a);
        await again();
        await synced(a);
      });

      it("is sent where it was not before, and nothing is lost", async () => {
        a.online = false;
        await edit(a, change);
        a.online = true;
        await story.restore(story.backup());
        await synced(a);
        expect(await there()).toEqual(left);
      });

      it("is given again where it is lost", async () => {
        const backup = story.backup();
        await edit(a, change);
        await synced(a);
        await story.restore(backup);
        await synced(a);
        expect(await there()).toEqual(left);
      });
    });
  });

  it("leaves a household as its tablet has changed it since", async () => {
    const household = `Group/${system}|H`;
    const of = (value: string, code: string) => ({
      entity: { reference: `Individual/${system}|${value}` },
      role: { coding: [{ system: "urn:service:vocab:relationship", code }] },
    });
    await ok(story.world.view.individuals.create(personOf("BEA", { family: "Cruz", given: "Bea" })));
    const identifier = [{ system, value: "H" }];
    await ok(
      story.world.view.groups.create({ type: "Group", identifier, groupType: "household", name: "H" }),
    );
    await synced(a);
    const save = (change: (draft: Group) => void) =>
      ok(a.client.groups.update(household, (draft) => change(draft)));
    await save((draft) => {
      draft.name = "Cruz";
      draft.member = [of("ANA", "head"), of("BEA", "child")];
    });
    await synced(a);
    await save((draft) => {
      draft.name = "Cruz of the hill";
    });
    await synced(a);
    a.online = false;
    await save((draft) => {
      draft.member = [of("ANA", "head")];
    });
    a.online = true;
    await story.restore(story.backup());
    await synced(a);
    const { member = [] } = await ok(story.now.view.groups.read(`${system}|H`));
    expect(member.map(({ entity }) => entity.reference)).toEqual([ana]);
  });
});
