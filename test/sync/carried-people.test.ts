import { createMemoryMedium, createMemoryStore, type Store } from "@fieldroll/core";
import type { Fetch, UnsentCopy } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { archive, born, clientOn, fileOf, other, passphrase, run, tabletOf, take } from "./support/files.ts";
import { mortal } from "./support/mortal.ts";
import { answer, ok, personOf, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import {
  ana,
  call,
  createStory,
  edit,
  everybody,
  rename,
  type Story,
  shown,
  synced,
} from "./support/restored.ts";
import { manualTimers } from "./support/timers.ts";
import { createWorld, credentials, type Device, partner, type World } from "./support/world.ts";

/** Something that waits until it is told to go on. */
function gate() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describe("a file, and who has the tablet", () => {
  let story: Story;
  let a: Device;
  let b: Device;

  beforeEach(async () => {
    story = await createStory();
    ({ a, b } = story);
    a.online = false;
  });

  it("is nothing of a person who signs in while it is opened", async () => {
    await edit(a, call("1"));
    const file = await fileOf(a);
    const importing = b.client.importUnsent(file, passphrase);
    await ok(b.client.signIn(other));
    await importing;
    await synced(b);
    expect(await story.told()).toEqual(["Cruz"]);
    await take(b, file);
    await ok(b.client.signIn(credentials));
    await synced(b);
    expect(await story.told()).toEqual(["Cruz 1"]);
  });

  it("shows nothing that was put away where its person signs out while it is opened", async () => {
    await edit(a, call("1"));
    const file = await fileOf(a);
    b.online = false;
    await ok(b.client.individuals.create({ name: { family: "Secret", given: "S" } }));
    const importing = b.client.importUnsent(file, passphrase);
    expect(await ok(b.client.signOut({ unsent: "seal" }))).toEqual({ sealed: 1 });
    await importing;
    expect(await shown(b)).not.toContain("Secret");
  });

  it("has nothing of a person who takes the tablet back while it is made", async () => {
    const medium = createMemoryMedium();
    const own = createMemoryStore({ medium });
    const [asked, answers] = [gate(), gate()];
    let slow = false;
    const store: Store = {
      ...own,
      async query(query) {
        if (slow && query.collection === "outbox") {
          slow = false;
          asked.open();
          await answers.opened;
        }
        return own.query(query);
      },
    };
    const client = clientOn(story.world, medium, { store });
    await ok(client.signIn(other));
    await client.sync();
    await ok(client.individuals.update(ana, rename("Others")));
    await ok(client.signIn(credentials));
    slow = true;
    const exporting = client.exportUnsent(passphrase);
    await asked.opened;
    await ok(client.signIn(other));
    answers.open();
    expect(await exporting).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    expect(await ok(client.exportUnsent(passphrase))).toMatchObject({ records: 1 });
  });

  it.each([
    ["plain", (send: Fetch) => plain(send)],
    ["full", (send: Fetch) => send],
  ])("is not taken at another %s server, where the same number is another person's", async (_, network) => {
    const [north, south] = [await createWorld(), await createWorld()];
    await ok(north.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    await ok(south.view.individuals.create(personOf("ANA", { family: "Zeta", given: "Zoe" })));
    const tablet = async (world: World, server: string) => {
      const client = clientOn(world, createMemoryMedium(), { server, fetch: network(world.send) });
      await ok(client.signIn(credentials));
      await client.sync();
      return client;
    };
    const northern = await tablet(north, "http://north.test/api/v2");
    const southern = await tablet(south, "http://south.test/api/v2");
    await ok(northern.individuals.create({ name: { given: "Jo" } }));
    await ok(northern.individuals.update(ana, born));
    const { file } = await ok(northern.exportUnsent(passphrase));
    expect(await southern.importUnsent(file, passphrase)).toMatchObject({ ok: false });
    await run({ client: southern }, 3);
    const people = await everybody(south.view);
    expect(people.map(({ name, birthDate }) => [name.family, birthDate])).toEqual([["Zeta", undefined]]);
  });
});

describe("somebody who left the register", () => {
  let story: Story;
  let a: Device;
  let b: Device;

  const expectGone = async (device: Device) => {
    await run(device, 4);
    expect(device.client.status.current).toMatchObject(settled);
    expect(await shown(device)).toEqual([]);
  };

  beforeEach(async () => {
    story = await createStory();
    ({ a, b } = story);
  });

  it.each([
    ["was archived", credentials],
    ["withdrew the consent", partner],
  ])("does not come back with work that waited behind other work: who %s", async (_, as) => {
    const terms = { subject: { reference: ana }, grantee: { organization: "Aid" } };
    const scope = [{ resourceType: "Individual" as const, fieldAccess: "all" as const }];
    const { id } = await ok(story.world.view.consents.grant({ ...terms, scope }));
    for (const device of [a, b]) {
      await ok(device.client.signIn(as));
      await device.client.sync();
      device.online = false;
    }
    await edit(a, born);
    await edit(b, call("1"));
    expect(await take(b, await fileOf(a))).toEqual({ restored: 0, sealed: 1 });
    a.online = true;
    await synced(a);
    if (as === partner) await ok(story.world.view.consents.revoke(id, { reason: "asked for it" }));
    else await archive(story.world);
    b.online = true;
    await b.client.sync();
    expect(await b.client.parked()).toMatchObject([{ reason: "gone" }]);
    await ok(b.client.resolve(ana, { kind: "discard" }));
    expect(await shown(b)).toEqual([]);
    await expectGone(b);
  });

  it.each([1, 2, 3])("does not come back with a file whose import was killed after commit %i", async (at) => {
    a.online = false;
    await edit(a, born);
    const file = await fileOf(a);
    a.online = true;
    await synced(a);
    await archive(story.world);
    await synced(b);
    await b.client.close();
    const died = gate();
    const store = mortal(createMemoryStore({ medium: b.medium }), { at, side: "after" }, died.open);
    const dying = clientOn(story.world, b.medium, { store });
    await Promise.race([died.opened, dying.importUnsent(file, passphrase)]);
    b.kill();
    await expectGone(b);
  });

  it.each([
    ["answers", false],
    ["fails", true],
  ])("does not come back with a file while everything is read anew, where one feed %s", async (_, fails) => {
    await ok(story.world.view.individuals.create(personOf("CY", { family: "Reyes", given: "Cy" })));
    let down = false;
    const network: (send: Fetch) => Fetch = (send) => async (url, init) =>
      down && decodeURIComponent(url).includes("feed=programs") ? answer(500) : send(url, init);
    const c = await tabletOf(story.world, "c", { network, feeds: ["all", "programs"] });
    await a.client.sync();
    a.online = false;
    await edit(a, born, `Individual/${system}|CY`);
    const first = await fileOf(a);
    await edit(a, born);
    const second = await fileOf(a);
    down = fails;
    await take(c, first);
    await c.client.sync();
    a.online = true;
    await synced(a);
    await archive(story.world);
    await c.client.sync();
    expect(await shown(c)).toEqual(["Reyes"]);
    expect(await take(c, second)).toEqual({ restored: 1, sealed: 0 });
    down = false;
    await run(c, 5);
    expect(c.client.status.current).toMatchObject(settled);
    expect(await shown(c)).toEqual(["Reyes"]);
  });

  it("does not come back with a copy that could not be read at first", async () => {
    const { world } = story;
    let text: string | null = null;
    let readable = true;
    let losesAnswers = true;
    const copy: UnsentCopy = {
      async read() {
        if (!readable) throw new DOMException("The disk does not answer.", "NotReadableError");
        return text;
      },
      async write(next) {
        text = next;
      },
    };
    const fetch: Fetch = async (url, init) => {
      const received = await world.send(url, init);
      if (losesAnswers && init.method === "PATCH") throw new TypeError("connection reset");
      return received;
    };
    const timers = manualTimers(world.busy);
    const start = async () => {
      const client = clientOn(world, createMemoryMedium(), { copy, timers, fetch });
      await ok(client.signIn(credentials));
      await client.sync();
      return client;
    };
    const lost = await start();
    await ok(lost.individuals.update(ana, rename("Reyes")));
    await lost.sync();
    await timers.advance(60_000);
    await archive(world);
    [readable, losesAnswers] = [false, false];
    const client = await start();
    expect((await ok(client.individuals.search())).data).toEqual([]);
    readable = true;
    await ok(client.individuals.create({ name: { given: "Jo" } }));
    await timers.advance(60_000);
    await run({ client }, 4);
    expect(client.status.current).toMatchObject(settled);
    expect((await ok(client.individuals.search())).data).toMatchObject([
      { record: { name: { given: "Jo" } } },
    ]);
  });
});
