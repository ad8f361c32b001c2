import type { Outcome, Problem } from "@fieldroll/core";
import type { FieldClient, ParkedRecord } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { answering } from "./support/bundles.ts";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type Device, type DeviceOptions, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const area = (city: string) => [{ type: "physical" as const, country: "PH", state: "Cavite", city }];

async function problem(outcome: Promise<Outcome<unknown>>): Promise<Problem> {
  const settled = await outcome;
  if (settled.ok) throw new Error("a problem was expected");
  return settled.problem;
}

async function ready(world: World, name: string, options?: DeviceOptions): Promise<Device> {
  const device = world.device(name, options);
  await ok(device.client.signIn(credentials));
  await device.client.sync();
  return device;
}

async function onlyParked(client: FieldClient): Promise<ParkedRecord> {
  const parked = await client.parked();
  expect(parked).toHaveLength(1);
  return parked[0] as ParkedRecord;
}

const addressOf = (reference: string) => reference.slice(reference.indexOf("/") + 1);

describe("what becomes of an edit", () => {
  let world: World;
  const person = (value: string, city = "Bacoor") => ({
    type: "Individual",
    identifier: [{ system, value }],
    name: { family: "Cruz", given: "Ana" },
    address: area(city),
  });
  const patchOnServer = (reference: string, patch: object) =>
    ok(world.view.individuals.patch(addressOf(reference), patch, { ifMatch: "*" }));

  beforeEach(async () => {
    world = await createWorld();
    await ok(world.view.individuals.create(person("ANA")));
  });

  it("parks a create whose identifier someone else took, and lets a new identifier send it", async () => {
    const { client } = await ready(world, "a");
    const held = await ok(
      client.individuals.create({
        active: true,
        identifier: [{ system, value: "B" }],
        name: { family: "Diaz" },
      }),
    );
    await ok(world.view.individuals.create(person("B")));
    expect(await client.sync()).toMatchObject({ parked: 1, pending: 0 });
    expect(await onlyParked(client)).toMatchObject({
      reason: "duplicate",
      theirs: { name: { family: "Cruz" } },
    });
    await ok(
      client.individuals.update(held.reference, (draft) => {
        draft.identifier = [{ system, value: "B2" }];
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    await client.sync();
    expect((await ok(client.individuals.read(`Individual/${system}|B`))).record.name.family).toBe("Cruz");
    expect((await ok(client.individuals.read(`Individual/${system}|B2`))).record.name.family).toBe("Diaz");
  });

  it("adopts the other record when a person chooses between two copies of a duplicate", async () => {
    const { client } = await ready(world, "a");
    const identifier = [{ system, value: "B" }];
    await ok(client.individuals.create({ active: true, identifier, name: { family: "Diaz", given: "Ana" } }));
    await ok(world.view.individuals.create(person("B")));
    await client.sync();
    const { reference, revision, conflicts } = await onlyParked(client);
    expect(conflicts.map(({ path }) => path)).toEqual(["/name/family"]);
    await ok(client.resolve(reference, { kind: "choose", revision, choices: { "/name/family": "ours" } }));
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect(await ok(world.view.individuals.read(addressOf(reference)))).toMatchObject({
      name: { family: "Diaz" },
      address: area("Bacoor"),
    });
  });

  it("adopts its own record when the answer to its create was lost and the key forgotten", async () => {
    const device = await ready(world, "a", {
      network: (send) => async (url, init) => {
        const { "idempotency-key": _, ...headers } = init.headers;
        const answer = await send(url, { ...init, headers });
        if (init.method === "POST" && url.endsWith("/Individual") && first) {
          first = false;
          throw new TypeError("connection reset");
        }
        return answer;
      },
    });
    let first = true;
    await ok(device.client.individuals.create({ active: true, name: { family: "Diaz" } }));
    await device.client.sync();
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0, sending: 0 });
    expect((await ok(world.view.individuals.search({ name: "Diaz" }))).data).toHaveLength(1);
    expect((await ok(device.client.individuals.search({ name: "Diaz" }))).data).toHaveLength(1);
  });

  it("parks what the server refuses with its errors, holds back what depends on it and nothing else", async () => {
    const refuse = { now: true };
    const { client } = await ready(world, "a", {
      network: (send) => async (url, init) => {
        if (!refuse.now || init.method !== "POST" || !init.body?.includes("Wrong")) return send(url, init);
        const errors = [{ field: "/name/family", code: "invalid_value", message: "is not a name" }];
        const body = { type: "urn:service:error:validation", status: 422, detail: "name", errors };
        return Response.json(body, { status: 422, headers: { "content-type": "application/problem+json" } });
      },
    });
    const registered = await ok(
      client.registerHousehold({
        group: { active: true, groupType: "household", name: "Wrong household" },
        members: ["Wrong", "Right"].map((family) => ({ individual: { active: true, name: { family } } })),
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 1, pending: 1 });
    expect(await onlyParked(client)).toMatchObject({
      reason: "rejected",
      errors: [{ field: "/name/family" }],
    });
    expect(
      await problem(client.resolve(registered.members[0]?.reference ?? "", { kind: "discard" })),
    ).toMatchObject({
      kind: "invalid-state",
    });
    refuse.now = false;
    await ok(
      client.individuals.update(registered.members[0]?.reference ?? "", (draft) => {
        draft.name.family = "Better";
      }),
    );
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    const group = await ok(world.view.groups.read(addressOf(registered.group.reference)));
    expect(group.member).toHaveLength(2);
  });

  it("keeps what a scope is missing for, says so, and sends the rest", async () => {
    const { client } = await ready(world, "a", {
      network: answering(({ method }) => {
        if (method !== "PATCH") return undefined;
        const body = {
          type: "urn:service:error:authorization",
          status: 403,
          detail: "The scope registry:write is missing.",
          missing_scope: "registry:write",
        };
        return { status: 403, body };
      }),
    });
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    await ok(client.individuals.create({ active: true, name: { family: "Diaz" } }));
    const lastError = "The scope registry:write is missing.";
    expect(await client.sync()).toMatchObject({
      phase: "idle",
      pending: 0,
      sending: 1,
      parked: 0,
      lastError,
    });
    expect(await ok(client.explain(ana))).toMatchObject({ lastAnswer: lastError });
    expect((await ok(world.view.individuals.search({ name: "Diaz" }))).data).toHaveLength(1);
  });

  it("drops a clean record that leaves the area and parks an edited one as gone", async () => {
    await ok(world.view.individuals.create(person("BEN")));
    const ben = `Individual/${system}|BEN`;
    const device = await ready(world, "a", { feeds: ["programs", "area:PH/Cavite/Bacoor"] });
    device.online = false;
    await ok(
      device.client.individuals.update(ben, (draft) => {
        draft.name.given = "Benjamin";
      }),
    );
    await patchOnServer(ana, { address: area("Imus") });
    await patchOnServer(ben, { address: area("Imus") });
    device.online = true;
    const held: string[] = [];
    const { client } = device;
    await client.sync();
    for (const one of (await ok(client.individuals.search())).data) held.push(one.reference);
    expect(held).toEqual([]);
    expect(await problem(client.individuals.read(ana))).toMatchObject({ kind: "not-found" });
    expect((await ok(world.view.individuals.read(addressOf(ben)))).name.given).toBe("Benjamin");
  });

  it("keeps a record that moves between two areas of the device, in either order of the feeds", async () => {
    for (const cities of [
      ["Bacoor", "Imus"],
      ["Imus", "Bacoor"],
    ]) {
      const { client } = await ready(world, "a", { feeds: cities.map((city) => `area:PH/Cavite/${city}`) });
      await patchOnServer(ana, { address: area("Imus") });
      await client.sync();
      expect((await ok(client.individuals.read(ana))).record.address).toEqual(area("Imus"));
      await patchOnServer(ana, { address: area("Bacoor") });
      await client.sync();
      expect((await ok(client.individuals.read(ana))).record.address).toEqual(area("Bacoor"));
      await patchOnServer(ana, { address: area("Silang") });
      await client.sync();
      expect(await problem(client.individuals.read(ana))).toMatchObject({ kind: "not-found" });
      await patchOnServer(ana, { address: area("Bacoor") });
    }
  });

  it("keeps news that waits for a record made here while one of two areas tells of it", async () => {
    const { client } = await ready(world, "a", { feeds: ["area:PH/Cavite", "area:PH/Cavite/Bacoor"] });
    const { reference } = await ok(client.individuals.create(person("B")));
    const identifier = ["OTHER", "B"].map((value) => ({ system, value }));
    await ok(world.view.individuals.create({ ...person("B"), identifier, name: { family: "Other" } }));
    expect(await client.sync()).toMatchObject({ parked: 1 });
    await patchOnServer(`Individual/${system}|OTHER`, { address: area("Imus") });
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.identifier = [{ system, value: "C" }];
      }),
    );
    expect(await client.sync()).toMatchObject({ pending: 0, parked: 0 });
    const other = (await ok(client.individuals.read(`Individual/${system}|OTHER`))).record;
    expect(other).toMatchObject({ name: { family: "Other" }, address: area("Imus") });
  });

  it("finds a record made here again after the server replaced all its identifiers", async () => {
    const { client } = await ready(world, "a");
    const { reference } = await ok(client.individuals.create({ active: true, name: { family: "Diaz" } }));
    await client.sync();
    await patchOnServer(reference, { identifier: [{ system, value: "NEW" }] });
    await client.sync();
    expect(
      (await ok(client.individuals.search({ name: "Diaz" }))).data.map((held) => held.reference),
    ).toEqual([`Individual/${system}|NEW`]);
  });

  it("starts over when the server's data was restored: older versions count, what is gone goes, edits stay", async () => {
    await ok(world.view.individuals.create(person("BEN")));
    const device = await ready(world, "a");
    await ok(device.client.individuals.create({ active: true, name: { family: "Unsent" } }));
    const restored = await createWorld();
    await ok(restored.view.individuals.create({ ...person("ANA"), name: { family: "Restored" } }));
    world.moveTo(restored);
    await ok(device.client.signIn(credentials));
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0, lastError: null });
    const families = (await ok(device.client.individuals.search())).data.map(
      ({ record }) => record.name.family,
    );
    expect(families.sort()).toEqual(["Restored", "Unsent"]);
    expect((await ok(restored.view.individuals.search({ name: "Unsent" }))).data).toHaveLength(1);
  });

  it("merges an edit begun on an older copy and refuses what both changed, naming the fields", async () => {
    const { client } = await ready(world, "a");
    const seen = (await ok(client.individuals.read(ana))).record;
    await patchOnServer(ana, { name: { family: "Reyes" } });
    await client.sync();
    const merged = await ok(
      client.individuals.update(
        ana,
        (draft) => {
          draft.name.given = "Anita";
        },
        { seen },
      ),
    );
    expect(merged.record.name).toMatchObject({ family: "Reyes", given: "Anita" });
    const refused = await problem(
      client.individuals.update(
        ana,
        (draft) => {
          draft.name.family = "Santos";
        },
        { seen },
      ),
    );
    expect(refused).toMatchObject({ kind: "conflict", errors: [{ field: "/name/family" }] });
  });

  it("keeps the photo that the feed never carries", async () => {
    const { client } = await ready(world, "a");
    const photo = "data:image/jpeg;base64,/9j/2gAC/9k=";
    await ok(
      client.individuals.update(ana, (draft) => {
        draft.photo = photo;
      }),
    );
    await client.sync();
    await patchOnServer(ana, { name: { family: "Reyes" } });
    await client.sync();
    expect((await ok(client.individuals.read(ana))).record).toMatchObject({
      photo,
      name: { family: "Reyes" },
    });
  });

  it("sends an enrollment's moves in steps that the server's rules know", async () => {
    await ok(
      world.view.programs.create({
        type: "Program",
        identifier: [{ system: "urn:service:program", value: "P" }],
        name: "P",
        targetType: "individual",
      }),
    );
    const { client } = await ready(world, "a");
    const { reference } = await ok(
      client.memberships.create({
        program: { reference: "Program/urn:service:program|P" },
        beneficiary: { reference: ana },
        status: "draft",
      }),
    );
    for (const status of ["enrolled", "paused", "exited"] as const) {
      await ok(
        client.memberships.update(reference, (draft) => {
          draft.status = status;
          if (status === "exited") draft.exitReason = "Moved away";
        }),
      );
    }
    expect(await client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect(await ok(world.view.memberships.read(addressOf(reference)))).toMatchObject({ status: "exited" });
    expect(await ok(client.memberships.read(reference))).toMatchObject({ state: "synced" });
  });

  it("refuses to sign out while edits are unsent, and forgets the records when another signs in", async () => {
    const device = await ready(world, "a");
    device.online = false;
    await ok(device.client.individuals.create({ active: true, name: { family: "Unsent" } }));
    device.online = true;
    expect(await problem(device.client.signOut())).toMatchObject({ kind: "invalid-state" });
    await device.client.sync();
    await ok(device.client.signOut());
    expect(await device.client.sync()).toMatchObject({ phase: "signed-out", signedInAs: null });
    await ok(device.client.signIn({ ...credentials, clientId: "other" }));
    // What the former person could see is gone before anything else is fetched.
    expect((await ok(device.client.individuals.search())).data).toEqual([]);
    expect(await device.client.sync()).toMatchObject({ phase: "idle", signedInAs: "other" });
    expect((await ok(device.client.individuals.search())).data).toHaveLength(2);
  });

  it("explains a record's edits and forgets them when a person discards them", async () => {
    const device = await ready(world, "a");
    device.online = false;
    for (const client of [device.client]) {
      await ok(
        client.individuals.update(ana, (draft) => {
          draft.name.family = "Mine";
        }),
      );
    }
    await patchOnServer(ana, { name: { family: "Theirs" } });
    device.online = true;
    await device.client.sync();
    const explained = await ok(device.client.explain(ana));
    expect(explained).toMatchObject({
      state: "parked",
      baseVersion: "1",
      edits: [{ by: "tablet", patch: { name: { family: "Mine" } } }],
      parked: { reason: "conflict", conflicts: [{ base: "Cruz", ours: "Mine", theirs: "Theirs" }] },
    });
    await ok(device.client.resolve(ana, { kind: "discard" }));
    expect(await ok(device.client.individuals.read(ana))).toMatchObject({
      state: "synced",
      record: { name: { family: "Theirs" } },
    });
  });

  it("settles a parked conflict when the person edits the record to what the other said", async () => {
    const device = await ready(world, "a");
    const rename = (family: string) =>
      ok(
        device.client.individuals.update(ana, (draft) => {
          draft.name.family = family;
        }),
      );
    device.online = false;
    await rename("Mine");
    await patchOnServer(ana, { name: { family: "Theirs", given: "Anita" } });
    device.online = true;
    expect(await device.client.sync()).toMatchObject({ parked: 1 });
    expect(await rename("Theirs")).toMatchObject({
      state: "synced",
      record: { name: { family: "Theirs", given: "Anita" } },
    });
  });
});
