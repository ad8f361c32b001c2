import { expect, it } from "vitest";
import { asOffice, fileOf, run, tabletOf, take } from "./support/files.ts";
import { system } from "./support/people.ts";
import { call, createStory, edit } from "./support/restored.ts";

/** Found by the simulator, seed 65009: nobody was to register such a person anew, whom the server has. */
it("work that a file brought, upon somebody of another area with another number by now, arrives once after a restore", async () => {
  const story = await createStory();
  const { a } = story;
  a.online = false;
  await edit(a, call("2"));
  const b = await tabletOf(story.now, "far", { feeds: ["area:PH/Cavite"] });
  b.online = false;
  await take(b, await fileOf(a));
  await asOffice(story.now, { identifier: [{ system, value: "NEW" }] });
  await story.restore(story.backup());
  b.online = true;
  await run(b, 3);
  expect(await b.client.parked()).toEqual([]);
  expect(await story.told()).toEqual(["Cruz 2"]);
});
