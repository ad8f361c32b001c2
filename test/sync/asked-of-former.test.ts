import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, born } from "./support/files.ts";
import { call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";

const atWork = (draft: Individual) => {
  draft.telecom = (draft.telecom ?? []).map((contact) => ({ ...contact, use: "work" }));
};

/** Everything had arrived, nothing is lost, nothing is unsent: a backup of this very moment took the server's place. */
describe("a tablet that changed one thing twice, at a server that was restored without a loss", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  describe.each([
    { name: "nobody changed the record since", patch: null },
    { name: "the office added something else since", patch: { address: [{ city: "Cavite" }] } },
  ])("where $name", ({ patch }) => {
    it.each([
      { name: "once", changes: [rename("Reyes")], told: "Reyes" },
      { name: "a name", changes: [rename("Reyes"), rename("Santos")], told: "Santos" },
      { name: "a number", changes: [call("1"), atWork], told: "Cruz 1" },
      { name: "a number, and something else", changes: [call("1"), born, atWork], told: "Cruz 1" },
    ])("is asked nothing and sends nothing: $name", async ({ changes, told }) => {
      const { a } = story;
      for (const change of changes) {
        await edit(a, change);
        await synced(a);
      }
      await story.restore(story.backup());
      if (patch) await asOffice(story.now, patch);
      await a.client.sync();
      expect(await a.client.parked()).toEqual([]);
      expect(await story.told()).toEqual([told]);
      expect(story.writes()).toEqual([]);
    });

    it("is asked nothing where the office had changed it again, and the tablet had read that", async () => {
      const { a } = story;
      await edit(a, rename("Reyes"));
      await synced(a);
      await asOffice(story.now, { name: { family: "Santos" } });
      await synced(a);
      await story.restore(story.backup());
      if (patch) await asOffice(story.now, patch);
      await a.client.sync();
      expect(await a.client.parked()).toEqual([]);
      expect(await story.told()).toEqual(["Santos"]);
    });
  });
});
