import { beforeEach, describe, expect, it } from "vitest";
import { asOffice, fileOf, take } from "./support/files.ts";
import { call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";
import { credentials } from "./support/world.ts";

describe("unsent work that a restored server has already, upon what it had accepted from here", () => {
  let story: Story;

  beforeEach(async () => {
    story = await createStory();
    await edit(story.a, rename("Reyes"));
    for (const device of [story.a, story.b]) await synced(device);
    story.a.online = false;
    await edit(story.a, rename("Santos"));
  });

  it("is over where the office has entered the same", async () => {
    const { a } = story;
    await story.restore(story.backup());
    await asOffice(story.now, { name: { family: "Santos" } });
    a.online = true;
    await a.client.sync();
    expect(await a.client.parked()).toEqual([]);
    expect(await story.told()).toEqual(["Santos"]);
  });

  it("is over where another tablet has sent it from a file", async () => {
    const { a, b } = story;
    const file = await fileOf(a);
    await story.goBack(story.backup());
    await b.client.signIn(credentials);
    await synced(b);
    await take(b, file);
    await synced(b);
    expect(await story.told()).toEqual(["Santos"]);
    a.online = true;
    await a.client.signIn(credentials);
    await a.client.sync();
    expect(await a.client.parked()).toEqual([]);
  });

  it("is over without a restore", async () => {
    const { a } = story;
    await asOffice(story.now, { name: { family: "Santos" }, telecom: [{ system: "phone", value: "1" }] });
    a.online = true;
    await synced(a);
    expect(await story.told()).toEqual(["Santos 1"]);
    await edit(a, call("2"));
    await synced(a);
  });
});
