import type { Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { run } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, type Story, synced } from "./support/restored.ts";
import type { Device } from "./support/world.ts";

const photo = (name: string) => picture(name.padEnd(24, "."));
const take = (name: string) => (draft: Individual) => {
  draft.photo = photo(name);
};
const remove = (draft: Individual) => {
  delete draft.photo;
};

describe("a photo that a server had accepted, and still has when it is restored", () => {
  let story: Story;
  let a: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a } = story);
    await edit(a, take("wrong"));
    await synced(a);
    a.online = false;
  });

  const there = async () => (await ok(story.now.view.individuals.read(`${system}|ANA`))).photo;
  const restored = async () => {
    a.online = true;
    await story.restore(story.backup());
    await run(a, 2);
  };

  it("is taken out where that was not sent before", async () => {
    await edit(a, remove);
    await restored();
    await synced(a);
    expect(await there()).toBeUndefined();
    expect((await ok(a.client.individuals.read(ana))).record.photo).toBeUndefined();
  });

  it("is taken out with something else that was not sent before", async () => {
    await edit(a, remove);
    await edit(a, call("1"));
    await restored();
    await synced(a);
    expect(await there()).toBeUndefined();
  });

  it("is replaced by the one that was taken since, and nobody is asked, for nobody else changed it", async () => {
    await edit(a, take("right"));
    await restored();
    expect(await a.client.parked()).toEqual([]);
    expect(await there()).toBe(photo("right"));
  });
});
