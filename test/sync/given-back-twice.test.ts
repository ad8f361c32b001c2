import { beforeEach, describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { ok } from "./support/people.ts";
import { call, createStory, edit, type Story } from "./support/restored.ts";

/** Somebody whom a tablet registered and changed, whom a restored server lost, got back from it at once, and lost again. */
describe("somebody whom a restored server lost twice", () => {
  let story: Story;
  let reference: string;
  let lose: () => Promise<void>;

  beforeEach(async () => {
    story = await createStory();
    const { a, b } = story;
    for (const each of [a, b]) await run(each, 1);
    const backup = story.backup();
    lose = () => story.restore(backup);
    ({ reference } = await ok(a.client.individuals.create({ name: { family: "Diaz", given: "Jo" } })));
    for (const each of [a, b]) await run(each, 1);
    await edit(a, call("1"), reference);
    await run(a, 1);
    await lose();
    await run(a, 1);
  });

  const phones = async () => {
    const { telecom = [] } = await ok(story.now.view.individuals.read(reference.slice("Individual/".length)));
    return telecom.map(({ value }) => value).sort();
  };

  it("has the change that went with the giving back, and the other tablet's that registered them anew", async () => {
    expect(await phones()).toHaveLength(1);
    await lose();
    await edit(story.b, call("2"), reference);
    await run(story.b, 1);
    expect(await story.b.client.parked()).toMatchObject([{ reason: "gone" }]);
    await ok(story.b.client.resolve(reference, { kind: "retry" }));
    await run(story.b, 1);
    expect(await phones()).toHaveLength(1);
    await run(story.a, 2);
    expect(await phones()).toHaveLength(2);
    expect(await story.a.client.parked()).toEqual([]);
  });

  it("is as it was when nobody else gave it back", async () => {
    await lose();
    await run(story.a, 1);
    expect(await phones()).toHaveLength(1);
    expect(await story.a.client.parked()).toEqual([]);
  });
});
