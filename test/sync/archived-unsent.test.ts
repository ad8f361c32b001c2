import { beforeEach, describe, expect, it } from "vitest";
import { archive, run } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, type Story, shown, synced } from "./support/restored.ts";

/** As without a restore, and as where nothing was accepted before: what was never sent waits for a person. */
describe("an edit that was not sent, of somebody whom an office archives after a restore", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
  });

  it.each([
    { name: "beside what was accepted here and lost", accepted: true, isRestored: true },
    { name: "with nothing accepted", accepted: false, isRestored: true },
    { name: "where nothing is restored", accepted: true, isRestored: false },
  ])("waits for its person and is not sent: $name", async ({ accepted, isRestored }) => {
    const { a } = story;
    const backup = story.backup();
    if (accepted) {
      await edit(a, call("1"));
      await synced(a);
    }
    a.online = false;
    await edit(a, call("2"));
    a.online = true;
    if (isRestored) await story.restore(backup);
    await archive(story.now);
    await run(a, 2);
    expect(await a.client.parked()).toMatchObject([{ reference: ana, reason: "gone", isArchived: true }]);
    expect((await shown(a)).join()).toContain("2");
    const { active, telecom = [] } = await ok(story.now.view.individuals.read(`${system}|ANA`));
    expect(active).toBe(false);
    expect(telecom.map(({ value }) => value)).not.toContain("2");
  });

  it("is sent to that one where its person says so, who is not told to register her anew", async () => {
    const { a } = story;
    a.online = false;
    await edit(a, call("2"));
    a.online = true;
    await story.restore(story.backup());
    await archive(story.now);
    await run(a, 2);
    const [parked] = await a.client.parked();
    expect(parked).toMatchObject({ reason: "gone", detail: expect.stringContaining("archived") });
    await ok(a.client.resolve(ana, { kind: "retry" }));
    await run(a, 2);
    const there = await ok(story.now.view.individuals.read(`${system}|ANA`));
    expect(there).toMatchObject({ active: false, telecom: [{ value: "2" }] });
    expect(a.client.status.current).toMatchObject({ parked: 0, pending: 0 });
  });
});
