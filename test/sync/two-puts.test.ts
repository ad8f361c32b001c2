import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answer, ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, restoredFrom, type World } from "./support/world.ts";

const system = "urn:test:national";
const arrived = { pending: 0, sending: 0, parked: 0, lastError: null };
const person = (value: string, given: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { given, family: "Cruz" },
  birthDate: "1985-05-05",
});

describe.each([
  ["a server with a feed", (send: Fetch) => send],
  ["a plain server", (send: Fetch) => plain(send)],
])("news of two who share a number here, on one page, at %s", (kind, way) => {
  let world: World;
  let client: FieldClient;
  let refuses = false;
  let afterPush: (() => Promise<unknown>) | null = null;

  beforeEach(async () => {
    world = await createWorld();
    refuses = false;
    afterPush = null;
    let pushed = false;
    const inTime = async (url: string, method: string) => {
      const change = isReading(url, method) ? afterPush : null;
      if (change) afterPush = null;
      await change?.();
    };
    await ok(world.view.individuals.create(person("1", "Ana")));
    const rejected = { type: "urn:service:error:validation", status: 422, detail: "No." };
    const isReading = (url: string, method: string) =>
      pushed && method === "GET" && /changes|_lastUpdated/.test(url);
    const device = world.device("a", {
      network: (send) => {
        const reach = way(send);
        return async (url, init) => {
          if (init.method === "PATCH" && refuses) return answer(422, rejected, "application/problem+json");
          await inTime(url, init.method);
          if (init.method === "PATCH") pushed = true;
          return reach(url, init);
        };
      },
    });
    client = device.client;
    await ok(client.signIn(credentials));
    await client.sync();
  });

  const correct = () =>
    ok(
      client.individuals.update(`Individual/${system}|1`, (draft) => {
        draft.identifier = [{ system, value: "9" }];
      }),
    );
  const anaChanges = (patch: object) =>
    ok(world.view.individuals.patch(`${system}|1`, patch, { ifMatch: "*" }));
  const given = async (value: string) =>
    (await ok(client.individuals.read(`Individual/${system}|${value}`))).record.name.given;
  async function discardAll() {
    for (const { reference } of await client.parked())
      await ok(client.resolve(reference, { kind: "discard" }));
  }

  it("are taken in where a corrected number waits as a duplicate", async () => {
    await correct();
    await ok(world.view.individuals.create(person("9", "Dan")));
    afterPush = () => anaChanges({ birthDate: "1980-01-01" });
    expect(await client.sync()).toMatchObject({ parked: 1, lastError: null });
    expect(afterPush).toBeNull();
    expect(await given("9")).toBe("Dan");
    await discardAll();
    expect(await client.sync()).toMatchObject(arrived);
    expect(await given("1")).toBe("Ana");
  });

  it("are taken in where the correction was rejected before, with nothing in a hurry", async () => {
    await correct();
    refuses = true;
    expect(await client.sync()).toMatchObject({ parked: 1 });
    refuses = false;
    await anaChanges({ birthDate: "1980-01-01" });
    await ok(world.view.individuals.create(person("9", "Dan")));
    await ok(world.view.individuals.create(person("10", "Eva")));
    expect(await client.sync()).toMatchObject({ parked: 1, lastError: null });
    expect(await given("9")).toBe("Dan");
    expect(await given("10")).toBe("Eva");
    await discardAll();
    expect(await client.sync()).toMatchObject(arrived);
    expect(await given("1")).toBe("Ana");
  });

  it("are taken in where a conflict waits, and somebody else has got the former number", async () => {
    await ok(
      client.individuals.update(`Individual/${system}|1`, (draft) => {
        draft.name.given = "Anna";
      }),
    );
    await anaChanges({ name: { given: "Anita" } });
    expect(await client.sync()).toMatchObject({ parked: 1 });
    await anaChanges({ identifier: [{ system, value: "7" }], birthDate: null });
    await ok(world.view.individuals.create({ ...person("1", "Eva"), birthDate: "1999-09-09" }));
    expect(await client.sync()).toMatchObject({ lastError: null });
    expect(await given("1")).toBe("Eva");
  });

  // A plain server has no epoch to tell a restored one by.
  if (kind === "a plain server") return;

  it("are taken in while a restored server is read anew", async () => {
    const backup = structuredClone(world.medium);
    const other = await restoredFrom(backup);
    await ok(other.view.individuals.patch(`${system}|1`, { birthDate: "1980-01-01" }, { ifMatch: "*" }));
    await ok(other.view.individuals.create(person("9", "Dan")));
    await correct();
    world.moveTo(other);
    expect(await client.sync()).toMatchObject({ parked: 1, lastError: null });
    expect(await given("9")).toBe("Dan");
    await discardAll();
    expect(await client.sync()).toMatchObject(arrived);
  });
});
