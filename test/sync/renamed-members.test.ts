import type { Group, Individual } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { asOffice, fileOf, other, run, tabletOf, take } from "./support/files.ts";
import { ok, personOf, refusal, system } from "./support/people.ts";
import { ana, createStory, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, type DeviceOptions, type World } from "./support/world.ts";

const household = `Group/${system}|H`;
const anaNow = `Individual/${system}|ANA2`;
const ben = `Individual/${system}|BEN`;

const person = ({ view }: World, value: string) =>
  ok(view.individuals.create(personOf(value, { family: "Cruz", given: value })));
const home = ({ view }: World, ...references: readonly string[]) => {
  const member = references.map((reference) => ({ entity: { reference } }));
  const house = { active: true, identifier: [{ system, value: "H" }], name: "Home" };
  return ok(view.groups.create({ type: "Group", ...house, groupType: "household", member }));
};
const membersOf = async ({ view }: World) => (await ok(view.groups.read(`${system}|H`))).member ?? [];
const namesOf = async (world: World) => (await membersOf(world)).map(({ entity }) => entity.reference);
const correct = (world: World) => asOffice(world, { identifier: [{ system, value: "ANA2" }] });
const rename = ({ view }: World) => ok(view.groups.patch(`${system}|H`, { name: "House" }, { ifMatch: "*" }));

const takeOut = (draft: Group) => {
  draft.member = (draft.member ?? []).filter(({ entity }) => entity.reference !== ana);
};
const leave = (draft: Group) => {
  draft.member = (draft.member ?? []).map((each) =>
    each.entity.reference === ana ? { ...each, inactive: true, period: { end: "2026-01-10" } } : each,
  );
};

describe("a member whose number an office corrects meanwhile", () => {
  let world: World;
  let holdsUp: boolean;
  let tablet: Device;

  const edit = (change: (draft: Group) => void) => ok(tablet.client.groups.update(household, change));

  beforeEach(async () => {
    world = await createWorld();
    holdsUp = false;
    for (const value of ["ANA", "BEN"]) await person(world, value);
    await home(world, ana, ben);
    const network = answering(({ method, body }) =>
      holdsUp && method === "POST" && JSON.stringify(body ?? "").includes("Individual")
        ? refusal(500, "internal")
        : undefined,
    );
    tablet = await tabletOf(world, "a", { network });
    tablet.online = false;
  });

  it.each([
    ["nobody's", "left alone"],
    ["nobody's", "changed too"],
    ["somebody else's", "left alone"],
  ])("is taken out, the former number %s, the household %s", async (whose, what) => {
    await edit(takeOut);
    await correct(world);
    if (whose !== "nobody's") await ok(world.view.individuals.create(personOf("ANA", { given: "Zoe" })));
    if (what !== "left alone") await rename(world);
    tablet.online = true;
    await synced(tablet);
    expect(await namesOf(world)).toEqual([ben]);
  });

  it("has left, without a question", async () => {
    await edit(leave);
    await correct(world);
    await rename(world);
    tablet.online = true;
    await synced(tablet);
    expect(await membersOf(world)).toMatchObject([
      { entity: { reference: anaNow }, inactive: true, period: { end: "2026-01-10" } },
      { entity: { reference: ben } },
    ]);
  });

  it("stays where the office took her out and put somebody else in", async () => {
    await edit(takeOut);
    await person(world, "EVA");
    const member = [{ entity: { reference: `Individual/${system}|EVA` } }, { entity: { reference: ben } }];
    await ok(world.view.groups.patch(`${system}|H`, { member }, { ifMatch: "*" }));
    tablet.online = true;
    await synced(tablet);
    expect(await namesOf(world)).toEqual([`Individual/${system}|EVA`, ben]);
  });

  it("is taken out where the household is told before her, while it waits for another", async () => {
    await edit(takeOut);
    const { reference } = await ok(tablet.client.individuals.create(personOf("NEW", { given: "Noa" })));
    await edit((draft) => {
      draft.member = [...(draft.member ?? []), { entity: { reference } }];
    });
    await correct(world);
    for (let nth = 0; nth < 220; nth++) await person(world, `P${nth}`);
    await asOffice(world, { birthDate: "1990-01-01" }, anaNow);
    tablet.online = true;
    holdsUp = true;
    await run(tablet, 1);
    expect(tablet.client.status.current).toMatchObject({ pending: 1, sending: 1 });
    holdsUp = false;
    await synced(tablet);
    expect(await namesOf(world)).toEqual([ben, `Individual/${system}|NEW`]);
  });

  it.each([1, 2])("is taken out where the tablet was handed over in between, %s", async (times) => {
    await edit(takeOut);
    tablet.online = true;
    await ok(tablet.client.signIn(other));
    if (times > 1) await run(tablet, 1);
    await correct(world);
    await run(tablet, 1);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 2);
    expect(await namesOf(world)).toEqual([ben]);
  });

  it("is taken out on the device that took in a file", async () => {
    await edit(takeOut);
    const file = await fileOf(tablet);
    await correct(world);
    const second = await tabletOf(world, "b");
    await take(second, file);
    await run(second, 2);
    expect(await namesOf(world)).toEqual([ben]);
  });

  it("is taken out in a form that was open meanwhile", async () => {
    tablet.online = true;
    const seen = (await ok(tablet.client.groups.read(household))).record;
    await correct(world);
    await tablet.client.sync();
    await ok(tablet.client.groups.update(household, takeOut, { seen }));
    await synced(tablet);
    expect(await namesOf(world)).toEqual([ben]);
  });
});

describe("a restored server that corrects a member's number", () => {
  it("is told once more that she was taken out", async () => {
    const story = await createStory();
    await home(story.world, ana);
    await synced(story.a);
    const backup = story.backup();
    await ok(story.a.client.groups.update(household, takeOut));
    await synced(story.a);
    await story.restore(backup);
    await correct(story.now);
    await run(story.a, 2);
    expect(await namesOf(story.now)).toEqual([]);
  });

  it("is told once more of a member whose number it had corrected before", async () => {
    const story = await createStory();
    const [eva, evaNow] = ["EVA", "EVA2"].map((value) => `Individual/${system}|${value}`);
    await person(story.world, "EVA");
    await home(story.world, ana);
    await synced(story.a);
    const backup = story.backup();
    await ok(
      story.a.client.groups.update(household, (draft) => {
        draft.member = [...(draft.member ?? []), { entity: { reference: eva ?? "" } }];
      }),
    );
    await synced(story.a);
    await asOffice(story.now, { identifier: [{ system, value: "EVA2" }] } satisfies Partial<Individual>, eva);
    await synced(story.a);
    expect(await namesOf(story.now)).toEqual([ana, evaNow]);
    await story.restore(backup);
    await run(story.a, 2);
    expect(await namesOf(story.now)).toEqual([ana, eva]);
  });
});

describe.each([
  ["told with its answers", true],
  ["not told with its answers", false],
])("a member whose number an office corrects, with the server's key %s", (_, isKeyed) => {
  const untold: DeviceOptions["network"] = (send) => async (url, init) => {
    const given = await send(url, init);
    const get = (name: string) => (/record-key/i.test(name) ? null : given.headers.get(name));
    return { status: given.status, headers: { get }, text: () => given.text() };
  };

  it("is in the household once where both sides added her", async () => {
    const world = await createWorld();
    for (const value of ["ANA", "BEN"]) await person(world, value);
    await home(world, ben);
    const tablet = await tabletOf(world, "a", isKeyed ? {} : { network: untold });
    tablet.online = false;
    await ok(
      tablet.client.groups.update(household, (draft) => {
        draft.member = [...(draft.member ?? []), { entity: { reference: ana } }];
      }),
    );
    await correct(world);
    const member = [ben, anaNow].map((reference) => ({ entity: { reference } }));
    await ok(world.view.groups.patch(`${system}|H`, { member }, { ifMatch: "*" }));
    tablet.online = true;
    await synced(tablet);
    expect(await namesOf(world)).toEqual([ben, anaNow]);
  });
});
