import { readFileSync } from "node:fs";
import type { JsonObject } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA-4711`;

function problem(kind: string, status: number, more: object = {}): Response {
  const body = { type: `urn:service:error:${kind}`, status, detail: `${ana}: no, says Ana Cruz`, ...more };
  return new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/problem+json" },
  });
}

/** Every value that stands anywhere in a piece of JSON and could name somebody. */
function valuesIn(json: unknown): readonly string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  return Object.values(json).flatMap(valuesIn);
}

describe("looking into a record and a device", () => {
  let world: World;
  let device: Device;
  let answer: (() => Response) | null;
  let ahead: number;
  const person = {
    type: "Individual" as const,
    identifier: [{ system, value: "ANA-4711" }],
    name: { family: "Cruz", given: "Anastasia" },
    telecom: [{ system: "phone" as const, value: "+63 917 555 0101", use: "mobile" as const }],
    address: [{ type: "physical" as const, country: "PH", state: "Cavite", city: "Bacoor" }],
  };

  beforeEach(async () => {
    answer = null;
    ahead = 0;
    world = await createWorld();
    await ok(world.view.individuals.create(person));
    device = world.device("tablet", {
      feeds: ["programs", "area:PH/Cavite"],
      network: (send) => async (url, init) => {
        if (answer && init.method !== "GET" && !url.endsWith("/token")) return answer();
        const response = await send(url, init);
        const date = new Date(world.now().getTime() - ahead).toUTCString();
        const headers = { get: (name: string) => (name === "date" ? date : response.headers.get(name)) };
        return { status: response.status, headers, text: () => response.text() };
      },
    });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  });

  const rename = (client: FieldClient, family: string) =>
    ok(
      client.individuals.update(ana, (draft) => {
        draft.name.family = family;
      }),
    );

  it("explains each attempt with its time, status and message, the last five of them", async () => {
    await rename(device.client, "Reyes");
    answer = () => problem("internal", 500);
    for (let attempt = 0; attempt < 6; attempt++) {
      await device.client.sync();
      world.pass(3_600_000);
    }
    answer = () => {
      throw new TypeError("connection reset");
    };
    await device.client.sync();
    const explained = await ok(device.client.explain(ana));
    expect(explained).toMatchObject({ state: "sending", baseVersion: "1", attempts: 7, blockedBy: null });
    expect(explained.answers.map(({ status }) => status)).toEqual([500, 500, 500, 500, null]);
    expect(explained.answers[0]?.message).toContain("no, says");
    const times = explained.answers.map(({ at }) => at);
    expect([...times].sort()).toEqual(times);
    answer = () =>
      problem("validation", 422, { errors: [{ field: "/name/family", code: "x", message: "y" }] });
    await device.client.sync();
    expect(await ok(device.client.explain(ana))).toMatchObject({
      answers: [{}, {}, {}, { status: null }, { status: 422 }],
      parked: { reason: "rejected" },
    });
  });

  it("explains which record has to arrive first", async () => {
    answer = () => problem("internal", 500);
    const { group, members } = await ok(
      device.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Diaz household" },
        members: [{ individual: { active: true, name: { family: "Diaz", given: "Jo" } } }],
      }),
    );
    await device.client.sync();
    expect(await ok(device.client.explain(group.reference))).toMatchObject({
      blockedBy: members[0]?.reference,
      answers: [],
    });
  });

  it("tells how far the device's clock is from the server's, whatever a portal says", async () => {
    expect(device.client.status.current).toMatchObject({ clockSkew: 0 });
    ahead = 3_600_000;
    expect(await device.client.sync()).toMatchObject({ clockSkew: 3_600_000 });
    ahead = -720_000;
    expect(await device.client.sync()).toMatchObject({ clockSkew: -720_000 });
  });

  it("gives diagnostics that hold no value of any record, identifier, message or person", async () => {
    await rename(device.client, "Santos");
    answer = () =>
      problem("validation", 422, { errors: [{ field: "/name/family", code: "Santos", message: "Santos" }] });
    await device.client.sync();
    answer = () => problem("internal", 500);
    await ok(
      device.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Villanueva household" },
        members: [
          {
            individual: {
              active: true,
              name: { family: "Villanueva", given: "Jo" },
              birthDate: "1987-06-05",
            },
          },
        ],
      }),
    );
    await device.client.sync();
    const found = [
      ...(await ok(device.client.individuals.search())).data,
      ...(await ok(device.client.groups.search())).data,
    ];
    const secrets = [
      ...valuesIn(found.map(({ record }) => record) as unknown as JsonObject[]),
      ...found.map(({ reference }) => reference),
      ...valuesIn(await device.client.parked()),
      ...[credentials.clientId, credentials.clientSecret, "Cavite", "Bacoor", "4711", "says"],
    ].filter((value) => !harmless.has(value) && !isInstant(value) && value.length > 1);
    expect(secrets.length).toBeGreaterThan(25);
    const bundle = JSON.stringify(await device.client.diagnostics());
    expect(secrets.filter((value) => bundle.includes(value))).toEqual([]);
    const { entries, documents, feeds, status, engine } = await device.client.diagnostics();
    expect(entries.map(({ type, state }) => `${type} ${state}`)).toEqual([
      "Individual parked",
      "Individual sending",
      "Group pending",
    ]);
    expect(entries[0]).toMatchObject({ reason: "rejected", answers: [{ status: 422 }] });
    expect(entries[2]).toMatchObject({ blocked: true, isNew: true });
    expect(documents).toMatchObject({ Individual: 2, Group: 1, outbox: 3, sealed: 0 });
    expect(feeds.map(({ kind }) => kind)).toEqual(["programs", "area"]);
    expect(status).toMatchObject({ signedIn: true, parked: 1 });
    expect(engine).toMatchObject({ leading: true, session: "valid" });
  });

  it("gives diagnostics of at most a megabyte, the most urgent entries first", async () => {
    device.online = false;
    const name = { family: "Diaz" };
    for (let i = 0; i < 520; i++) await ok(device.client.individuals.create({ active: true, name }));
    const diagnostics = await device.client.diagnostics();
    expect(diagnostics).toMatchObject({ entriesLeftOut: 20, documents: { outbox: 520 } });
    expect(JSON.stringify(diagnostics).length).toBeLessThan(500_000);
  });

  it("names the version of the package", async () => {
    const description = readFileSync(new URL("../../packages/sync/package.json", import.meta.url), "utf8");
    expect((await device.client.diagnostics()).software).toBe(JSON.parse(description).version);
  });
});

/** When something was done is told; a day, as of a birth, is not. */
function isInstant(value: string): boolean {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value);
}

/** Words of the interface itself, which tell nobody apart. */
const harmless: ReadonlySet<string> = new Set(["Individual", "Group", "rejected", "physical", "household"]);
