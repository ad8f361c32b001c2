import type { Individual } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { asOffice, born, other } from "./support/files.ts";
import { answer, ok, personOf, settled, system } from "./support/people.ts";
import { createWorld, credentials, partner, type World } from "./support/world.ts";

const oneDay = 24 * 60 * 60_000;
const newcomer = `Individual/${system}|NEW`;
const lives = (state: string) => ({ address: [{ type: "physical" as const, country: "PH", state }] });
const inCavite = ["area:PH/Cavite"];

const pictured = (draft: Individual) => {
  draft.photo = picture(".".repeat(24));
};

/** A server that tells no keys in its answers, as before they did. */
const keyless = (send: Fetch): Fetch => {
  return async (url, init) => {
    const told = await send(url, init);
    const get = (name: string) => (name === "x-record-key" ? null : told.headers.get(name));
    return { status: told.status, text: () => told.text(), headers: { get } };
  };
};

describe("somebody who was registered here, and of whom no feed tells", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
  });

  /** A tablet that registered somebody who lives outside its area. */
  async function registered(who = credentials, network?: (send: Fetch) => Fetch): Promise<FieldClient> {
    const { client } = world.device("a", { feeds: inCavite, ...(network && { network }) });
    await ok(client.signIn(who));
    await client.sync();
    await ok(
      client.individuals.create({ ...personOf("NEW", { family: "Cruz", given: "Ana" }), ...lives("Laguna") }),
    );
    expect(await client.sync()).toMatchObject(settled);
    return client;
  }

  async function aDayLater(client: FieldClient) {
    world.pass(oneDay);
    expect(await client.sync()).toMatchObject(settled);
    return client.individuals.read(newcomer);
  }

  it("is asked for once a day, and brought up to date", async () => {
    const client = await registered();
    await asOffice(world, { name: { given: "Eva" } }, newcomer);
    world.requests.length = 0;
    expect((await ok(aDayLater(client))).record.name.given).toBe("Eva");
    await client.sync();
    expect(world.requests.filter((request) => request.includes("/Individual/"))).toHaveLength(1);
    await asOffice(world, { name: { given: "Ida" } }, newcomer);
    expect((await ok(aDayLater(client))).record.name.given).toBe("Ida");
  });

  it("is brought up to date where a person asks for it again", async () => {
    const client = await registered();
    await client.sync();
    await asOffice(world, { name: { given: "Eva" } }, newcomer);
    world.pass(2 * 60_000);
    await client.sync();
    expect((await ok(client.individuals.read(newcomer))).record.name.given).toBe("Eva");
  });

  /** Once, the same twenty were looked at again and again, and one that gave no answer kept all from it. */
  it("is brought up to date in its turn where there are many, though one gives no answer", async () => {
    const values = Array.from({ length: 45 }, (_, i) => `N${i}`);
    const client = await registered(credentials, (send) => async (url, init) => {
      if (/(%7C|\|)N7\?/.test(url) && init?.method === "GET") throw new TypeError("Failed to fetch");
      return send(url, init);
    });
    for (const value of values)
      await ok(
        client.individuals.create({
          ...personOf(value, { family: "Cruz", given: "Ana" }),
          ...lives("Laguna"),
        }),
      );
    await client.sync();
    for (const value of values)
      await asOffice(world, { name: { family: "Reyes" } }, `Individual/${system}|${value}`);
    for (let runs = 0; runs < 4; runs++) {
      world.pass(2 * 60_000);
      expect(await client.sync()).toMatchObject({ phase: "idle" });
    }
    const found = await Promise.all(
      values.map((value) => ok(client.individuals.read(`Individual/${system}|${value}`))),
    );
    const old = found.filter(({ record }) => record.name.family !== "Reyes");
    expect(old.map(({ reference }) => reference)).toEqual([`Individual/${system}|N7`]);
  });

  it.each([
    { what: "an edit from a namesake", change: born, other: { family: "Cruz", given: "Ana" } },
    { what: "a photo from a namesake", change: pictured, other: { family: "Cruz", given: "Ana" } },
    {
      what: "an edit from anybody else, where no key is told",
      change: born,
      other: { family: "Bello", given: "Bea" },
      network: keyless,
    },
  ])("keeps $what who has the number by now", async ({ change, other: name, network }) => {
    const parked = network ? 1 : 0;
    const client = await registered(credentials, network);
    await asOffice(world, { identifier: [{ system, value: "N9" }] }, newcomer);
    const stranger = await ok(world.view.individuals.create(personOf("NEW", name)));
    await ok(client.individuals.update(newcomer, change));
    expect(await client.sync()).toMatchObject({ pending: 0, parked });
    expect(await ok(world.view.individuals.read(`${system}|NEW`))).toEqual(stranger.record);
    const { birthDate, photo } = await ok(world.view.individuals.read(`${system}|N9`));
    expect(birthDate ?? photo).toEqual(parked === 0 ? expect.anything() : undefined);
  });

  it("stays while somebody else here waits for the number that they have by now", async () => {
    await ok(
      world.view.individuals.create({
        ...personOf("B", { family: "Bello", given: "Bea" }),
        ...lives("Cavite"),
      }),
    );
    const client = await registered();
    await ok(
      client.individuals.update(`Individual/${system}|B`, (draft) => {
        draft.identifier = [{ system, value: "N9" }];
      }),
    );
    await asOffice(world, { identifier: [{ system, value: "N9" }] }, newcomer);
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 1 });
    world.pass(oneDay);
    await client.sync();
    await asOffice(world, { active: false }, `Individual/${system}|B`);
    for (let day = 0; day < 3; day++) {
      world.pass(oneDay);
      expect(await client.sync()).toMatchObject({ pending: 0, parked: 1 });
    }
    const [waiting] = await client.parked();
    await ok(client.resolve(waiting?.reference ?? "", { kind: "discard" }));
    await client.sync();
    expect((await ok(client.individuals.read(`Individual/${system}|N9`))).record.name.given).toBe("Ana");
  });

  it("goes when archived", async () => {
    const client = await registered();
    await asOffice(world, { active: false }, newcomer);
    expect(await aDayLater(client)).toMatchObject({ ok: false });
    world.requests.length = 0;
    await aDayLater(client);
    expect(world.requests.filter((request) => request.includes("/Individual/"))).toEqual([]);
  });

  it("goes where no consent shows them", async () => {
    expect(await aDayLater(await registered(partner))).toMatchObject({ ok: false });
  });

  it("holds up one run in a day at most, where they can't be asked for", async () => {
    const client = await registered(credentials, (send) => async (url, init) => {
      const isAsked = init.method === "GET" && url.includes("/Individual/");
      return isAsked ? answer(500, "<html>Oh.</html>", "text/html") : send(url, init);
    });
    world.pass(oneDay);
    await client.sync();
    for (let nth = 0; nth < 3; nth++) {
      world.pass(60_000);
      expect(await client.sync()).toMatchObject(settled);
    }
    expect((await ok(client.individuals.read(newcomer))).state).toBe("synced");
  });

  it("is asked for no more once a feed tells of them", async () => {
    const client = await registered();
    await asOffice(world, lives("Cavite"), newcomer);
    await client.sync();
    world.requests.length = 0;
    await ok(aDayLater(client));
    expect(world.requests.filter((request) => request.includes("/Individual/"))).toEqual([]);
  });
});

describe("somebody who is registered and sent while everything is read anew", () => {
  it("stays here, although their feed was read before", async () => {
    const world = await createWorld();
    for (const [value, state] of [
      ["ANA", "Cavite"],
      ["BEN", "Laguna"],
      ["EVA", "Laguna"],
    ] as const)
      await ok(world.view.individuals.create({ ...personOf(value, { given: value }), ...lives(state) }));
    let meanwhile: (() => Promise<unknown>) | null = null;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const response = await send(url.replace(/limit=\d+/, "limit=1"), init);
        const text = await response.text();
        const acts = url.includes("Laguna") ? meanwhile : null;
        if (acts) meanwhile = null;
        await acts?.();
        return answer(response.status, text);
      };
    const { client } = world.device("a", { feeds: [...inCavite, "area:PH/Laguna"], network });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(client.individuals.update(`Individual/${system}|ANA`, born));
    await ok(client.signOut({ unsent: "seal" }));
    await ok(client.signIn(other));
    await ok(client.signIn(credentials));
    meanwhile = () =>
      ok(
        client.individuals.create({
          ...personOf("NEW", { family: "Cruz", given: "Ana" }),
          ...lives("Cavite"),
        }),
      );
    expect(await client.sync()).toMatchObject(settled);
    expect((await ok(client.individuals.read(newcomer))).state).toBe("synced");
    expect((await ok(world.view.individuals.read(`${system}|NEW`))).name.given).toBe("Ana");
  });
});
