import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { asOffice, fileOf, run, tabletOf, take } from "./support/files.ts";
import { ok, system } from "./support/people.ts";
import { ana, call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";
import { createWorld, type Device } from "./support/world.ts";

const photo = picture("A".repeat(40));

describe("work that a second tablet sent and the office took back is not done again by the first", () => {
  let story: Story;
  let a: Device;
  let b: Device;
  let drops = false;
  const network =
    (send: Fetch): Fetch =>
    async (url, init) => {
      if (drops && init.method !== "GET") throw new TypeError("the network is gone");
      return send(url, init);
    };

  /** What the first does then: it asks. */
  const expectAsked = async (families: readonly string[]) => {
    a.online = true;
    await run(a, 2);
    expect(await story.told()).toEqual(families);
    expect(await a.client.parked()).toMatchObject([
      { reason: "conflict", detail: expect.stringContaining("undone") },
    ]);
  };

  beforeEach(async () => {
    drops = false;
    story = await createStory();
    a = await tabletOf(story.world, "aa", { network });
    b = story.b;
  });

  it("where its request was tried before the file was made, and merged by the second", async () => {
    await edit(a, rename("Reyes"));
    drops = true;
    await a.client.sync();
    await take(b, await fileOf(a));
    await asOffice(story.world, { birthDate: "1990-01-01" });
    await synced(b);
    expect(await story.told()).toEqual(["Reyes"]);
    await asOffice(story.world, { name: { family: "Cruz" } });
    drops = false;
    await expectAsked(["Cruz"]);
  });

  it("where it was done after a first file, and is in the second", async () => {
    a.online = false;
    await edit(a, call("1"));
    await fileOf(a);
    await edit(a, rename("Reyes"));
    await take(b, await fileOf(a));
    await run(b, 2);
    expect(await story.told()).toEqual(["Reyes 1"]);
    await asOffice(story.world, { name: { family: "Cruz" } });
    await expectAsked(["Cruz 1"]);
  });

  it("where a person had decided the same on both", async () => {
    a.online = false;
    await edit(a, rename("Reyes"));
    await asOffice(story.world, { name: { family: "Santos" } });
    a.online = true;
    expect(await a.client.sync()).toMatchObject({ parked: 1 });
    await take(b, await fileOf(a));
    a.online = false;
    for (const { client } of [a, b]) {
      const [parked] = await client.parked();
      const choices = { "/name/family": "ours" } as const;
      await ok(client.resolve(ana, { kind: "choose", revision: parked?.revision ?? "", choices }));
    }
    await run(b, 2);
    expect(await story.told()).toEqual(["Reyes"]);
    await asOffice(story.world, { name: { family: "Santos" } });
    await expectAsked(["Santos"]);
  });

  it("where it is a photo", async () => {
    a.online = false;
    await edit(a, (draft) => {
      draft.photo = photo;
    });
    await take(b, await fileOf(a));
    await run(b, 2);
    const read = () => ok(story.world.view.individuals.read(`${system}|ANA`));
    expect(await read()).toMatchObject({ photo });
    await asOffice(story.world, { photo: null });
    await expectAsked(["Cruz"]);
    expect(await read()).not.toHaveProperty("photo");
  });
});

describe.each(["the tablet that the file came from", "the one that took it in"])(
  "%s syncs first",
  (first) => {
    it.each([[["ANA", "BEA"]], [["BEA"]]])(
      "leaves out who was taken out of a household of %s since",
      async (values) => {
        const world = await createWorld();
        const [a, b] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
        a.online = false;
        const person = (value: string) => `Individual/${system}|${value}`;
        const born = (value: string) => ({ identifier: [{ system, value }], name: { given: value } });
        const members = values.map((value) => ({ individual: born(value), role: "child" }));
        const { group } = await ok(
          a.client.registerHousehold({ group: { groupType: "household", name: "Diaz" }, members }),
        );
        await take(b, await fileOf(a));
        await ok(
          a.client.groups.update(group.reference, (draft) => {
            draft.member = (draft.member ?? []).filter(({ entity }) => entity.reference !== person("BEA"));
          }),
        );
        a.online = true;
        for (let n = 0; n < 3; n++)
          for (const each of first.includes("came") ? [a, b] : [b, a]) await run(each, 1);
        const stays = values.filter((value) => value !== "BEA").map(person);
        const groups = (await ok(world.view.groups.search({}))).data;
        expect(groups.map(({ member = [] }) => member.map(({ entity }) => entity.reference))).toEqual([
          stays,
        ]);
        for (const { client } of [a, b]) expect(await client.parked()).toEqual([]);
      },
    );
  },
);
