import { createMemoryMedium } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { answering } from "./support/bundles.ts";
import { asOffice, born, clientOn, fileOf, run, tabletOf, take } from "./support/files.ts";
import { ok, refusal, settled, system } from "./support/people.ts";
import {
  ana,
  call,
  createStory,
  edit,
  everybody,
  rename,
  type Story,
  said,
  synced,
} from "./support/restored.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

describe("an edit that went to another tablet in a file", () => {
  let story: Story;
  let a: Device;
  let b: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a, b } = story);
    a.online = false;
  });

  it.each([
    ["nothing else", null, 0],
    ["something else too", { birthDate: "1990-01-01" }, 1],
  ])(
    "is not made again by its own tablet after the office undid it and changed %s",
    async (_, patch, parked) => {
      await edit(a, rename("Reyes"));
      await take(b, await fileOf(a));
      if (patch) await asOffice(story.world, patch);
      await synced(b);
      expect(await story.told()).toEqual(["Reyes"]);
      await asOffice(story.world, { name: { family: "Cruz" } });
      a.online = true;
      expect(await a.client.sync()).toMatchObject({ pending: 0, sending: 0, parked });
      expect(await story.told()).toEqual(["Cruz"]);
    },
  );

  it("is not made again by the other tablet after its own took it back", async () => {
    await edit(a, rename("Reyes"));
    await take(b, await fileOf(a));
    await edit(a, rename("Cruz"));
    a.online = true;
    await synced(a);
    await b.client.sync();
    expect(await story.told()).toEqual(["Cruz"]);
  });

  it("is not made again by a second file after it was merged with the office's, and the office undid it", async () => {
    await edit(a, rename("Reyes"));
    await take(b, await fileOf(a));
    await asOffice(story.world, { birthDate: "1990-01-01" });
    await synced(b);
    expect(await story.told()).toEqual(["Reyes"]);
    await asOffice(story.world, { name: { family: "Cruz" } });
    await b.client.sync();
    await edit(a, call("1"));
    await take(b, await fileOf(a));
    await run(b, 2);
    expect(await story.told()).toEqual(["Cruz 1"]);
  });

  it("does not come with a second file after a person discarded it there", async () => {
    let refuses = true;
    const network = answering(({ method }) =>
      refuses && method === "PATCH" ? refusal(422, "validation") : undefined,
    );
    const c = await tabletOf(story.world, "c", { network });
    await edit(a, rename("Wrong"));
    const first = await fileOf(a);
    await edit(a, call("1"));
    const second = await fileOf(a);
    await take(c, first);
    expect(await c.client.sync()).toMatchObject({ parked: 1 });
    await ok(c.client.resolve(ana, { kind: "discard" }));
    refuses = false;
    await take(c, second);
    await run(c, 3);
    expect(await story.told()).toEqual(["Cruz 1"]);
  });

  /** What both tablets met of the office's, decided on each by somebody else. */
  const decide = async ({ client }: Device, choice: "ours" | "theirs" | "discard") => {
    expect(await client.sync()).toMatchObject({ parked: 1 });
    const [parked] = await client.parked();
    const choices = { "/name/family": choice as "ours" };
    const choose = { kind: "choose", revision: parked?.revision ?? "", choices } as const;
    await ok(client.resolve(ana, choice === "discard" ? { kind: "discard" } : choose));
  };
  const birthDate = async () => (await everybody(story.world.view))[0]?.birthDate;

  it.each([
    ["ours", "discard", "Santos"],
    ["ours", "ours", "Reyes 1"],
    ["theirs", "ours", "Reyes 1"],
    ["theirs", "discard", "Santos"],
  ] as const)(
    "loses nothing of a second file, and does not decide again, where its tablet chose %s and this one %s",
    async (there, here, expected) => {
      await edit(a, (draft) => {
        rename("Reyes")(draft);
        call("1")(draft);
      });
      await take(b, await fileOf(a));
      await asOffice(story.world, { name: { family: "Santos" } });
      a.online = true;
      await decide(a, there);
      a.online = false;
      await decide(b, here);
      await run(b, 2);
      await edit(a, born);
      await take(b, await fileOf(a));
      await run(b, 3);
      expect(await story.told()).toEqual([expected]);
      expect(await birthDate()).toBe("1990-01-01");
    },
  );

  it("is followed by what a second file adds, also where both were to leave as one", async () => {
    let refuses = true;
    const network = answering(({ method }) =>
      refuses && method === "PATCH" ? refusal(422, "validation") : undefined,
    );
    const [c, d] = [
      await tabletOf(story.world, "c", { network }),
      await tabletOf(story.world, "d", { network }),
    ];
    await edit(c, rename("Reyes"));
    await c.client.sync();
    await take(d, await fileOf(c));
    expect(await d.client.sync()).toMatchObject({ parked: 1 });
    c.online = false;
    await edit(c, born);
    await take(d, await fileOf(c));
    refuses = false;
    await ok(d.client.resolve(ana, { kind: "retry" }));
    await run(d, 2);
    expect(await story.told()).toEqual(["Reyes"]);
    expect(await birthDate()).toBe("1990-01-01");
  });
});

describe("a photo taken offline", () => {
  const photo = (letter: string) => picture(letter.repeat(40));
  let story: Story;
  let tablet: Device;

  const onServer = () => ok(story.world.view.individuals.read(`${system}|ANA`));

  beforeEach(async () => {
    story = await createStory();
    tablet = await tabletOf(story.world, "c", { photos: "unmetered" });
  });

  it.each([
    ["", false],
    [", though a file was made", true],
  ])("does not replace one that its tablet never showed%s", async (_, exports) => {
    await asOffice(story.world, { photo: photo("O") });
    await tablet.client.sync();
    tablet.online = false;
    await edit(tablet, (draft) => {
      draft.photo = photo("A");
    });
    if (exports) await fileOf(tablet);
    tablet.online = true;
    expect(await tablet.client.sync()).toMatchObject({ parked: 1 });
    expect(await onServer()).toMatchObject({ photo: photo("O") });
  });

  it.each([
    ["", false],
    [", though a file was made", true],
  ])("waits for a network that is not metered, and the rest does not%s", async (_, exports) => {
    tablet.online = false;
    await edit(tablet, (draft) => {
      draft.photo = photo("A");
      draft.birthDate = "1990-01-01";
    });
    if (exports) await fileOf(tablet);
    [tablet.online, tablet.metered] = [true, true];
    await tablet.client.sync();
    expect(await onServer()).toMatchObject({ birthDate: "1990-01-01" });
    expect(await onServer()).not.toHaveProperty("photo");
    tablet.metered = false;
    await synced(tablet);
    expect(await onServer()).toMatchObject({ photo: photo("A") });
  });
});

describe("a photo that is all that is left of an edit after a decision", () => {
  it("waits for a network that is not metered without a run each second", async () => {
    const { world } = await createStory();
    const tablet = await tabletOf(world, "c", { photos: "unmetered" });
    tablet.metered = true;
    await edit(tablet, (draft) => {
      draft.name.family = "Reyes";
      draft.photo = picture("A".repeat(40));
    });
    await asOffice(world, { name: { family: "Santos" } });
    expect(await tablet.client.sync()).toMatchObject({ parked: 1 });
    const [parked] = await tablet.client.parked();
    const choices = { "/name/family": "theirs" } as const;
    await ok(tablet.client.resolve(ana, { kind: "choose", choices, revision: parked?.revision ?? "" }));
    await run(tablet, 2);
    const { photos, nextAttemptAt } = tablet.client.status.current;
    expect(photos).toBe(1);
    expect(Date.parse(nextAttemptAt ?? "") - world.now().getTime()).toBeGreaterThan(60_000);
  });
});

describe("what was said together with a photo that left later", () => {
  const photo = picture("A".repeat(40));

  it.each([
    { what: "changed", metered: true },
    { what: "changed", metered: false },
    { what: "made", metered: true },
    { what: "made", metered: false },
  ])("is given to a restored server again with it: $what, metered $metered", async ({ what, metered }) => {
    const story = await createStory();
    const tablet = await tabletOf(story.world, "c", { photos: "unmetered" });
    const backup = story.backup();
    tablet.online = false;
    const said = { name: { family: "Reyes" }, photo };
    if (what === "made") await ok(tablet.client.individuals.create(said));
    else await edit(tablet, (draft) => void Object.assign(draft, said));
    if (!metered) await fileOf(tablet);
    [tablet.online, tablet.metered] = [true, metered];
    await run(tablet, 2);
    tablet.metered = false;
    await synced(tablet);
    await story.restore(backup);
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 3);
    await synced(tablet);
    const all = await everybody(story.now.view);
    expect(all.filter(({ name }) => name.family === "Reyes")).toHaveLength(1);
    const reference = all.find(({ name }) => name.family === "Reyes")?.identifier?.[0];
    const address = `${reference?.system}|${reference?.value}`;
    expect(await ok(story.now.view.individuals.read(address))).toMatchObject({ photo });
  });
});

describe("what is added to a record that the server has from elsewhere", () => {
  let world: World;
  /** So many registrations do not arrive. */
  let lost: number;

  const registers: (...request: Parameters<Fetch>) => boolean = (url, { method }) =>
    method === "POST" && new URL(url).pathname.endsWith("/Individual");
  const losing =
    (send: Fetch): Fetch =>
    async (url, init) => {
      if (lost === 0 || !registers(url, init)) return send(url, init);
      lost -= 1;
      throw new TypeError("connection refused");
    };
  const onServer = async () => (await everybody(world.view)).map(said);

  beforeEach(async () => {
    lost = 0;
    world = await createWorld();
  });

  it.each([
    ["at once", false, 0],
    ["after a request that never arrived", false, 1],
    ["after another file was made", true, 0],
  ])("is not lost where that one was corrected there and sent, this one %s", async (_, exports, requests) => {
    let refuses = true;
    const network = answering(({ path }) =>
      refuses && path === "Individual" ? refusal(422, "validation") : undefined,
    );
    const a = await tabletOf(world, "a", { network });
    const b = await tabletOf(world, "b", { network: losing });
    const { reference } = await ok(a.client.individuals.create({ name: { family: "Diaz", given: "Jo" } }));
    expect(await a.client.sync()).toMatchObject({ parked: 1 });
    refuses = false;
    await take(b, await fileOf(a));
    await edit(a, born, reference);
    await synced(a);
    await edit(b, call("1"), reference);
    if (exports) await fileOf(b);
    lost = requests;
    await run(b, 2);
    expect(lost).toBe(0);
    expect(await onServer()).toEqual(["Diaz 1"]);
    expect(await everybody(world.view)).toMatchObject([{ birthDate: "1990-01-01" }]);
  });

  it("is not lost, nor what is taken away, where the store went back to when it was made, and a copy outside it did not", async () => {
    let text: string | null = null;
    const copy = {
      read: async () => text,
      write: async (next: string) => {
        text = next;
      },
    };
    const medium = createMemoryMedium();
    const former = clientOn(world, medium, { copy });
    await ok(former.signIn(credentials));
    await former.sync();
    const person = {
      name: { family: "Diaz", given: "Jo" },
      telecom: [{ system: "phone" as const, value: "1" }],
    };
    const { reference } = await ok(former.individuals.create(person));
    const before = structuredClone(medium);
    await ok(
      former.individuals.update(reference, (draft) => {
        delete draft.telecom;
        born(draft);
      }),
    );
    await former.close();
    const client = clientOn(world, before, { copy });
    await run({ client }, 2);
    expect(await client.sync()).toMatchObject(settled);
    expect(await onServer()).toEqual(["Diaz"]);
    expect(await everybody(world.view)).toMatchObject([{ birthDate: "1990-01-01" }]);
  });

  it.each([
    ["", 0],
    [", after a request that never arrived", 1],
  ])("is not lost where the store went back to before it was sent%s", async (_, requests) => {
    const medium = createMemoryMedium();
    const former = clientOn(world, medium);
    await ok(former.signIn(credentials));
    await former.sync();
    const { reference } = await ok(former.individuals.create({ name: { family: "Diaz", given: "Jo" } }));
    const before = structuredClone(medium);
    expect(await former.sync()).toMatchObject(settled);
    await former.close();
    const client = clientOn(world, before, { fetch: losing(world.send) });
    await ok(client.individuals.update(reference, call("1")));
    lost = requests;
    await run({ client }, 3);
    expect(lost).toBe(0);
    expect(await onServer()).toEqual(["Diaz 1"]);
  });
});
