import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { other } from "./support/files.ts";
import { ok } from "./support/people.ts";
import { call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";
import { credentials } from "./support/world.ts";

type Change = (draft: Individual) => void;
const uncall: Change = (draft) => {
  draft.telecom = [];
};

/**
 * A change was made and taken back, both arrived, and it was made once more; before that is sent somebody else has the tablet, and the
 * server is restored to what it has now. The unsent change stands on a copy without a version, which says again what the first change
 * found: that must not be taken for one that lacks both.
 */
describe("an unsent change that says once more what had arrived and been taken back", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  const handOver = async () => {
    const { client } = story.a;
    await ok(client.signIn(other));
    await client.sync();
    await story.goBack(story.backup());
    await ok(client.signIn(credentials));
  };

  it.each([
    { name: "a phone number", once: call("1"), back: uncall, left: "Cruz 1" },
    { name: "a name", once: rename("Reyes"), back: rename("Cruz"), left: "Reyes" },
  ])("is sent or asked about when its person is back: $name", async ({ once, back, left }) => {
    for (const change of [once, back]) {
      await edit(story.a, change);
      await synced(story.a);
    }
    story.a.online = false;
    await edit(story.a, once);
    story.a.online = true;
    await handOver();
    for (let nth = 0; nth < 3; nth++) await story.a.client.sync();
    const asked = (await story.a.client.parked()).length > 0;
    expect({ asked, told: await story.told() }).toEqual({ asked, told: asked ? ["Cruz"] : [left] });
  });

  it("leaves the number whose use is corrected, and corrected back", async () => {
    const use = (value?: "work"): Change => {
      return (draft) => {
        draft.telecom = [{ system: "phone", value: "1", ...(value && { use: value }) }];
      };
    };
    for (const change of [use(), use("work")]) {
      await edit(story.a, change);
      await synced(story.a);
    }
    story.a.online = false;
    await edit(story.a, use());
    story.a.online = true;
    await handOver();
    for (let nth = 0; nth < 3; nth++) await story.a.client.sync();
    expect(await story.told()).toEqual(["Cruz 1"]);
  });
});
