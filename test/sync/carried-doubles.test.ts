import type { Fetch } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { archive, asOffice, born, fileOf, other, passphrase, run, tabletOf, take } from "./support/files.ts";
import { ok, personOf, refusal, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { call, createStory, edit, everybody, shown, synced } from "./support/restored.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

describe("a record that was made offline, and two tablets have work of", () => {
  let world: World;
  let a: Device;
  let b: Device;
  let reference: string;

  beforeEach(async () => {
    world = await createWorld();
    [a, b] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    ({ reference } = await ok(a.client.individuals.create({ name: { family: "Diaz", given: "Jo" } })));
    for (const device of [a, b]) await synced(device);
    for (const device of [a, b]) device.online = false;
    await edit(a, call("1"), reference);
    await edit(b, call("2"), reference);
  });

  it("stays one record where both files are taken in for somebody who signs in later", async () => {
    const c = world.device("c");
    await ok(c.client.signIn(other));
    await c.client.sync();
    for (const from of [a, b]) expect(await take(c, await fileOf(from))).toEqual({ restored: 0, sealed: 1 });
    await ok(c.client.signIn(credentials));
    await run(c, 3);
    await synced(c);
    expect(await shown(c)).toEqual(["Diaz 1 2"]);
    const [told] = await everybody(world.view);
    expect(told?.telecom?.map(({ value }) => value).sort()).toEqual(["1", "2"]);
    await archive(world, reference);
    await c.client.sync();
    expect(await shown(c)).toEqual([]);
  });

  it("stays one record where the tablet changed hands and came back", async () => {
    expect(await take(a, await fileOf(b))).toEqual({ restored: 0, sealed: 1 });
    a.online = true;
    await ok(a.client.signIn(other));
    await ok(a.client.signIn(credentials));
    await run(a, 3);
    await synced(a);
    expect(await shown(a)).toEqual(["Diaz 1 2"]);
    await archive(world, reference);
    await a.client.sync();
    expect(await shown(a)).toEqual([]);
  });
});

describe("a record that is shown already", () => {
  const twoDays = 2 * 24 * 3_600_000;
  const servers = [
    ["full", (send: Fetch) => send],
    ["plain", (send: Fetch) => plain(send)],
  ] as const;

  it("is shown once with work that a file brings, under its own number", async () => {
    const world = await createWorld();
    const [a, b] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    const jo = personOf("JO", { family: "Diaz", given: "Jo" });
    const { reference } = await ok(a.client.individuals.create(jo));
    for (const device of [a, b]) await synced(device);
    for (const device of [a, b]) device.online = false;
    await edit(a, call("1"), reference);
    await take(b, await fileOf(a));
    expect(await shown(b)).toEqual(["Diaz 1"]);
    b.online = true;
    await run(b, 2);
    await synced(b);
    expect(await shown(b)).toEqual(["Diaz 1"]);
    await archive(world, reference);
    await b.client.sync();
    expect(await shown(b)).toEqual([]);
  });

  it.each(servers)("is shown once at a %s server until it is archived", async (_, network) => {
    const { world } = await createStory();
    const [a, b] = [await tabletOf(world, "a", { network }), await tabletOf(world, "b", { network })];
    const later = async () => {
      world.pass(twoDays);
      await ok(b.client.signIn(credentials));
      await run(b, 2);
    };
    for (const device of [a, b]) device.online = false;
    await edit(a, born);
    await edit(b, call("1"));
    await take(b, await fileOf(a));
    expect(await shown(b)).toEqual(["Cruz 1"]);
    b.online = true;
    await run(b, 3);
    expect(await shown(b)).toEqual(["Cruz 1"]);
    await later();
    expect(await shown(b)).toEqual(["Cruz 1"]);
    expect(b.client.status.current).toMatchObject(settled);
    await archive(world);
    await later();
    expect(await shown(b)).toEqual([]);
  });

  it.each(servers)(
    "is shown once at a %s server where own unsent work goes before the file's",
    async (_, network) => {
      const { world, told } = await createStory();
      const [a, b] = [await tabletOf(world, "a", { network }), await tabletOf(world, "b", { network })];
      b.online = false;
      await edit(b, call("2"));
      await edit(a, call("3"));
      await a.client.sync();
      a.online = false;
      await edit(a, call("4"));
      await take(a, await fileOf(b));
      expect(await shown(a)).toEqual(["Cruz 3 4"]);
      await fileOf(a);
      await asOffice(world, { birthDate: "1990-01-01" });
      a.online = true;
      await run(a, 2);
      expect(await shown(a)).toHaveLength(1);
      // What came in the file may have been sent by its own tablet: it may wait for a person to say that it was not.
      for (const { reference } of await a.client.parked()) {
        await ok(a.client.resolve(reference, { kind: "retry" }));
      }
      await synced(a);
      expect(await shown(a)).toEqual(["Cruz 3 4 2"]);
      expect(await told()).toEqual(["Cruz 3 4 2"]);
    },
  );
});

describe("somebody whom a file brings, registered by a number that somebody here has", () => {
  const n4 = `Individual/${system}|N4`;
  const person = personOf("N4", { family: "Cruz", given: "Nina" });

  it.each([
    { kind: "adopt", by: "the office", left: "Cruz 1" },
    { kind: "adopt", by: "this tablet", left: "Cruz 1" },
    { kind: "discard", by: "the office", left: "Cruz" },
    { kind: "discard", by: "this tablet", left: "Cruz" },
  ] as const)("is there once after $kind, where $by had registered that one", async ({ kind, by, left }) => {
    const world = await createWorld();
    const [a, b] = [await tabletOf(world, "a"), await tabletOf(world, "b")];
    b.online = false;
    if (by === "the office") await ok(world.view.individuals.create(person));
    else await ok(a.client.individuals.create(person));
    await run(a, 2);
    const member = [{ entity: { reference: n4 } }];
    const home = await ok(a.client.groups.create({ groupType: "household", name: "Home", member }));
    await synced(a);
    await ok(b.client.individuals.create({ ...person, telecom: [{ system: "phone", value: "1" }] }));
    await take(a, await fileOf(b));
    await run(a, 2);
    const [{ reference = "", revision = "" } = {}] = await a.client.parked();
    const address = home.reference.slice(home.reference.indexOf("/") + 1);
    await ok(world.view.groups.patch(address, { name: "House" }, { ifMatch: "*" }));
    await a.client.sync();
    await ok(a.client.resolve(reference, kind === "adopt" ? { kind, revision } : { kind }));
    const { record } = await ok(a.client.individuals.read(n4));
    expect(record.groupMembership).toHaveLength(1);
    await run(a, 2);
    expect(await shown(a)).toEqual([left]);
    await asOffice(world, { name: { family: "Reyes" } }, n4);
    await synced(a);
    expect(await shown(a)).toEqual([left.replace("Cruz", "Reyes")]);
    await archive(world, n4);
    await a.client.sync();
    expect(await shown(a)).toEqual([]);
  });
});

describe("a file that a tablet makes", () => {
  it("has what came in a file and waits behind other work of its record", async () => {
    const { a, b, world } = await createStory();
    const c = await tabletOf(world, "c");
    for (const device of [a, b]) device.online = false;
    await edit(a, born);
    await edit(b, call("1"));
    expect(await take(b, await fileOf(a))).toEqual({ restored: 0, sealed: 1 });
    await take(c, await fileOf(b));
    await run(c, 3);
    expect(c.client.status.current).toMatchObject(settled);
    expect(await everybody(world.view)).toMatchObject([
      { birthDate: "1990-01-01", telecom: [{ value: "1" }] },
    ]);
  });
});

describe("a household whose member is refused", () => {
  it.each([
    ["where no file was made", false],
    ["where a file was made", true],
  ])("is discarded, and its member after it, %s", async (_, exports) => {
    const network = answering(({ path }) => (path === "Individual" ? refusal(422, "validation") : undefined));
    const { client } = await tabletOf(await createWorld(), "a", { network });
    await ok(
      client.registerHousehold({
        group: { active: true, groupType: "household", name: "Household" },
        members: [{ individual: { active: true, name: { given: "Jo" } } }],
      }),
    );
    if (exports) await ok(client.exportUnsent(passphrase));
    expect(await client.sync()).toMatchObject({ pending: 1, parked: 1 });
    const [group] = (await ok(client.groups.search())).data;
    const [member] = (await ok(client.individuals.search())).data;
    const discard = (reference = "") => client.resolve(reference, { kind: "discard" });
    expect(await discard(member?.reference)).toMatchObject({ ok: false });
    await ok(discard(group?.reference));
    await ok(discard(member?.reference));
    expect((await ok(client.groups.search())).data).toEqual([]);
    expect((await ok(client.individuals.search())).data).toEqual([]);
    expect(await client.sync()).toMatchObject(settled);
  });
});
