import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { ana, call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";

describe("what a server accepted in more requests of one record than are kept one by one", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  // As many as a list may have beside those of each test.
  const all = Array.from({ length: 45 }, (_, i) => `${i}`);

  /** 60 requests. */
  async function addAll(): Promise<void> {
    for (const [i, value] of all.entries()) {
      await edit(story.a, call(value));
      await synced(story.a);
      if (i % 3 > 0) continue;
      await edit(story.a, (draft) => {
        draft.birthDate = `19${i + 10}-01-01`;
      });
      await synced(story.a);
    }
  }

  it("is given to it again with the first of them", async () => {
    const older = story.backup();
    await edit(story.a, (draft) => {
      draft.name.middle = "Maria";
    });
    await synced(story.a);
    await addAll();
    await story.restore(older);
    await synced(story.a);
    expect(await story.told()).toEqual([["Cruz", ...all].join(" ")]);
    expect(await ok(story.now.view.individuals.read(ana.slice("Individual/".length)))).toMatchObject({
      name: { middle: "Maria" },
      birthDate: "1952-01-01",
    });
  });

  it("is given to it again where its backup has some of them, and others' work stays", async () => {
    for (const value of ["x", "y"]) {
      await edit(story.a, call(value));
      await synced(story.a);
    }
    const older = story.backup();
    await edit(story.a, call("z"));
    await synced(story.a);
    await addAll();
    await story.restore(older);
    await edit(story.b, rename("Reyes"));
    await story.b.client.sync();
    await synced(story.a);
    expect(await story.told()).toEqual([["Reyes", "x", "y", "z", ...all].join(" ")]);
  });
});
