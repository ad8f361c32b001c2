import { beforeEach, describe, expect, it } from "vitest";
import { archive } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, type Story, synced } from "./support/restored.ts";

/** An edit that had arrived, of somebody whom the office archives at a restored server before the tablet hears of either. */
describe("an edit of somebody who was archived after a restore", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  const phones = async () =>
    (await ok(story.now.view.individuals.read(`${system}|ANA`))).telecom?.map(({ value }) => value);
  const expectLeft = async () => {
    expect(await story.a.client.parked()).toEqual([]);
    expect(await story.a.client.explain(ana)).toMatchObject({ ok: false });
  };

  it("is given to it again where it was lost, and the record leaves the tablet then", async () => {
    const older = story.backup();
    await edit(story.a, call("1"));
    await synced(story.a);
    await story.restore(older);
    await archive(story.now);
    await synced(story.a);
    expect(await phones()).toEqual(["1"]);
    await synced(story.a);
    await expectLeft();
  });

  it("is not sent where it is there, and the record leaves the tablet at once", async () => {
    await edit(story.a, call("1"));
    await synced(story.a);
    await story.restore(story.backup());
    await archive(story.now);
    await synced(story.a);
    expect(story.writes()).toEqual([]);
    await expectLeft();
  });
});
