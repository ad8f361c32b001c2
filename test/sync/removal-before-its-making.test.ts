import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";

type Change = (draft: Individual) => void;
const uncall: Change = (draft) => {
  draft.telecom = [];
};

/**
 * One tablet adds something, another one that has seen it takes it out again; both arrived, and the server goes back to before both. Where
 * the second tablet comes first, nothing of its edit is missing there until the first one gives back what it took out.
 */
describe("what one tablet took back of another one's work, where a restored server has lost both", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  const cases: readonly { readonly name: string; readonly once: Change; readonly back: Change }[] = [
    { name: "a phone number", once: call("1"), back: uncall },
    { name: "a name", once: rename("Reyes"), back: rename("Cruz") },
  ];

  const lose = async ({ once, back }: (typeof cases)[number]) => {
    const { a, b } = story;
    const before = story.backup();
    await edit(a, once);
    await synced(a);
    await synced(b);
    await edit(b, back);
    await synced(b);
    await story.restore(before);
  };
  const outcome = async () => ({
    told: await story.told(),
    asked: [...(await story.a.client.parked()), ...(await story.b.client.parked())].length > 0,
  });

  it.each(cases)("stays out where the first tablet comes first: $name", async (changes) => {
    await lose(changes);
    for (const tablet of [story.a, story.b, story.a, story.b]) await run(tablet, 2);
    expect(await outcome()).toEqual({ told: ["Cruz"], asked: false });
  });

  it.each(cases)("stays out, or is asked about, where the second one comes first: $name", async (changes) => {
    await lose(changes);
    for (const tablet of [story.b, story.a, story.b, story.a]) await run(tablet, 2);
    const { told, asked } = await outcome();
    expect(asked || told.join() === "Cruz").toBe(true);
  });
});
