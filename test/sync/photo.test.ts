import { createMemoryStore, type Store } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { asOffice, born, clientOn } from "./support/files.ts";
import { answer, ok, refusal } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
/** PNGs as far as anybody looks: the signature, and something of their own. */
const photo = (name: string) => picture(name.padEnd(24, "."));

describe("a photo", () => {
  let world: World;

  beforeEach(async () => {
    world = await createWorld();
    const identifier = [{ system, value: "ANA" }];
    await ok(world.view.individuals.create({ type: "Individual", identifier, name: { given: "Ana" } }));
  });

  async function ready(name: string) {
    const { client } = world.device(name);
    await ok(client.signIn(credentials));
    await client.sync();
    const take = (taken: string) =>
      ok(
        client.individuals.update(ana, (draft) => {
          draft.photo = photo(taken);
        }),
      );
    return { client, take };
  }
  const onServer = async () => (await ok(world.view.individuals.read(`${system}|ANA`))).photo;

  it("goes out when nobody else took one, and again when it is taken anew", async () => {
    const { client, take } = await ready("a");
    for (const name of ["first", "second"]) {
      await take(name);
      expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
      expect(await onServer()).toBe(photo(name));
    }
  });

  it("goes where an office took it out, and stays where that took out something else", async () => {
    const { client, take } = await ready("a");
    const shown = async () => (await ok(client.individuals.read(ana))).record;
    await take("first");
    await ok(client.individuals.update(ana, born));
    await client.sync();
    await asOffice(world, { birthDate: null });
    await client.sync();
    expect(await shown()).toMatchObject({ photo: photo("first") });
    expect(await shown()).not.toHaveProperty("birthDate");
    await asOffice(world, { photo: null });
    await ok(client.individuals.update(ana, born));
    await client.sync();
    expect(await shown()).not.toHaveProperty("photo");
    expect(await ok(world.view.individuals.read(`${system}|ANA`))).toMatchObject({ birthDate: "1990-01-01" });
  });

  it("that another tab adds while a request is frozen does not replace one that nobody saw", async () => {
    const { client, medium } = world.device("a");
    await ok(client.signIn(credentials));
    await client.sync();
    await client.close();
    const inner = createMemoryStore({ medium });
    let adds: (() => Promise<unknown>) | null = null;
    const get: Store["get"] = async (keys) => {
      const found = await inner.get(keys);
      const add = keys.some(({ collection }) => collection === "outbox") ? adds : null;
      if (add) adds = null;
      await add?.();
      return found;
    };
    const [one, two] = [clientOn(world, medium, { store: { ...inner, get } }), clientOn(world, medium)];
    await asOffice(world, { photo: photo("theirs") });
    await one.sync();
    await ok(one.individuals.update(ana, born));
    adds = () =>
      ok(
        two.individuals.update(ana, (draft) => {
          draft.photo = photo("ours");
        }),
      );
    expect(await one.sync()).toMatchObject({ parked: 1 });
    expect(await ok(world.view.individuals.read(`${system}|ANA`))).toMatchObject({
      ...{ birthDate: "1990-01-01", photo: photo("theirs") },
    });
  });

  it("is put off where the record can't be seen before, and goes when it can", async () => {
    let walled = true;
    const { client } = world.device("a", {
      network: (send) => async (url, init) =>
        walled && init.method === "GET" && url.includes("/Individual/")
          ? answer(200, "<html>Blocked.</html>", "text/html")
          : send(url, init),
    });
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.photo = photo("a");
      }),
    );
    const status = await client.sync();
    expect(status).toMatchObject({ pending: 1 });
    const { attempts, nextAttemptAt, lastAnswer } = await ok(client.explain(ana));
    expect([attempts, lastAnswer]).toEqual([1, expect.stringContaining("200")]);
    expect(Date.parse(nextAttemptAt ?? "")).toBeGreaterThan(Date.parse(status.lastSuccessAt ?? ""));
    walled = false;
    expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await onServer()).toBe(photo("a"));
  });

  const problem = (status: number, kind: string) =>
    answer(status, refusal(status, kind).body, "application/problem+json");
  it.each([
    ["that one is forbidden", problem(403, "authorization"), { parked: 1 }],
    ["that nothing is there", problem(404, "not-found"), { parked: 1 }],
    ["that the request is wrong", problem(422, "validation"), { pending: 1 }],
    ["that the request is too large", answer(413, "<html>", "text/html"), { pending: 1 }],
  ])("does not replace one where the look at it is told %s", async (_, told, waits) => {
    let isRefused = false;
    const { client } = world.device("a", {
      network: (send) => async (url, init) =>
        isRefused && init.method === "GET" && url.includes("/Individual/") ? told.clone() : send(url, init),
    });
    await ok(client.signIn(credentials));
    await asOffice(world, { photo: photo("theirs") });
    await client.sync();
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.photo = photo("ours");
      }),
    );
    isRefused = true;
    for (let nth = 0; nth < 2; nth++) expect(await client.sync()).toMatchObject(waits);
    expect(await onServer()).toBe(photo("theirs"));
    isRefused = false;
    await client.resolve(ana, { kind: "retry" });
    await client.sync();
    expect(await client.parked()).toMatchObject([{ reason: "conflict", conflicts: [{ path: "/photo" }] }]);
  });

  it("that can't be sent, for the look at it is refused, holds up no other edit of its record", async () => {
    let isRefused = true;
    const { client } = world.device("a", {
      network: (send) => async (url, init) =>
        isRefused && init.method === "GET" && url.includes("/Individual/")
          ? answer(413, "<html>", "text/html")
          : send(url, init),
    });
    await ok(client.signIn(credentials));
    await client.sync();
    for (const taken of ["first", "second"]) {
      await ok(
        client.individuals.update(ana, (draft) => {
          draft.photo = photo(taken);
          draft.name.family = taken;
        }),
      );
      expect(await client.sync()).toMatchObject({ pending: 1, photos: 1, parked: 0 });
      expect(await ok(world.view.individuals.read(`${system}|ANA`))).toMatchObject({
        name: { family: taken },
      });
      expect(await onServer()).toBeUndefined();
    }
    isRefused = false;
    expect(await client.sync()).toMatchObject({ pending: 0, photos: 0, parked: 0 });
    expect(await onServer()).toBe(photo("second"));
  });

  it("never replaces one that was not seen: the person is asked", async () => {
    const [a, b] = [await ready("a"), await ready("b")];
    await a.take("of a");
    await a.client.sync();
    await b.client.sync();
    await b.take("of b");
    expect(await b.client.sync()).toMatchObject({ parked: 1 });
    expect(await onServer()).toBe(photo("of a"));
    const [parked] = await b.client.parked();
    expect(parked?.conflicts).toMatchObject([{ path: "/photo", ours: photo("of b"), theirs: photo("of a") }]);
    const choices = { "/photo": "ours" } as const;
    await ok(b.client.resolve(ana, { kind: "choose", revision: parked?.revision ?? "", choices }));
    expect(await b.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(await onServer()).toBe(photo("of b"));
    await a.take("of a again");
    expect(await a.client.sync()).toMatchObject({ parked: 1 });
    expect(await onServer()).toBe(photo("of b"));
  });
});

describe("a photo on a metered network, where photos are to wait", () => {
  let world: World;
  let device: Device;
  const writes = () => world.requests.filter((request) => !request.startsWith("GET"));

  beforeEach(async () => {
    world = await createWorld();
    device = world.device("a", { photos: "unmetered" });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    device.metered = true;
    world.requests.length = 0;
  });

  const register = (name: string, taken?: string) =>
    ok(
      device.client.individuals.create({
        active: true,
        identifier: [{ system, value: name }],
        name: { given: name },
        ...(taken !== undefined && { photo: photo(taken) }),
      }),
    );
  const onServer = (name: string) => ok(world.view.individuals.read(`${system}|${name}`));

  it("waits, and its record goes first and is shown with it; without the meter it follows", async () => {
    await register("BEN", "ben");
    expect(await device.client.sync()).toMatchObject({ pending: 1, photos: 1, parked: 0 });
    expect(await onServer("BEN")).toMatchObject({ name: { given: "BEN" }, meta: { versionId: "1" } });
    expect((await onServer("BEN")).photo).toBeUndefined();
    const shown = await ok(device.client.individuals.read(`Individual/${system}|BEN`));
    expect(shown).toMatchObject({ state: "pending", record: { photo: photo("ben") } });
    const before = writes().length;
    await device.client.sync();
    expect(writes()).toHaveLength(before);
    device.metered = false;
    expect(await device.client.sync()).toMatchObject({ pending: 0, photos: 0, sending: 0, parked: 0 });
    expect(await onServer("BEN")).toMatchObject({ photo: photo("ben"), meta: { versionId: "2" } });
  });

  it.each([
    ["as the server tells", (text: string) => text],
    [
      "as a server may that does not tell of photos",
      (text: string) => text.replaceAll(/,"photo":(true|false)/g, ""),
    ],
  ])("is removed in the end, %s, where an office clears something else meanwhile", async (_, told) => {
    const reference = `Individual/${system}|ANA`;
    const tablet = world.device("b", {
      photos: "unmetered",
      network: (send) => async (url, init) => {
        const given = await send(url, init);
        return url.includes("$changes")
          ? answer(given.status, told(await given.text()), "application/json")
          : given;
      },
    });
    await ok(
      world.view.individuals.create({
        ...{ type: "Individual", identifier: [{ system, value: "ANA" }], name: { given: "Ana" } },
        birthDate: "1990-01-01",
      }),
    );
    const { client } = tablet;
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => void Object.assign(draft, { photo: photo("ana") })),
    );
    await client.sync();
    tablet.metered = true;
    await ok(client.individuals.update(reference, (draft) => void Reflect.deleteProperty(draft, "photo")));
    await asOffice(world, { birthDate: null });
    expect(await client.sync()).toMatchObject({ pending: 1, photos: 1 });
    tablet.metered = false;
    expect(await client.sync()).toMatchObject({ pending: 0, photos: 0, parked: 0 });
    expect(await onServer("ANA")).not.toHaveProperty("photo");
  });

  it("holds up nothing: what refers to its record goes, and so do edits beside it", async () => {
    await ok(
      device.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Household" },
        members: [{ individual: { active: true, name: { given: "Jo" }, photo: photo("jo") } }],
      }),
    );
    await register("BEN", "ben");
    expect(await device.client.sync()).toMatchObject({ pending: 2, photos: 2 });
    expect((await ok(world.view.groups.search())).data).toHaveLength(1);
    await ok(
      device.client.individuals.update(`Individual/${system}|BEN`, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    expect(await device.client.sync()).toMatchObject({ pending: 2, photos: 2 });
    expect(await onServer("BEN")).toMatchObject({ name: { family: "Reyes" } });
    expect((await onServer("BEN")).photo).toBeUndefined();
  });

  it("is not lost when the app is killed, and goes once, after what was refused is corrected", async () => {
    await register("BEN", "ben");
    await device.client.sync();
    device.kill();
    device.metered = false;
    await device.client.sync();
    await device.client.sync();
    expect(await onServer("BEN")).toMatchObject({ photo: photo("ben"), meta: { versionId: "2" } });
  });

  it("does not keep a refused record from waiting for its person", async () => {
    await register("BEN", "ben");
    await ok(
      world.view.individuals.create({
        type: "Individual",
        identifier: [{ system, value: "BEN" }],
        name: { given: "Somebody else" },
      }),
    );
    expect(await device.client.sync()).toMatchObject({ parked: 1 });
    const before = writes().length;
    expect(await device.client.sync()).toMatchObject({ parked: 1 });
    expect(writes()).toHaveLength(before);
    expect(await device.client.parked()).toMatchObject([{ ours: { photo: photo("ben") } }]);
  });
});
