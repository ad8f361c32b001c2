import { createMemoryStore, farmer } from "@fieldroll/core";
import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const arrived = { pending: 0, sending: 0, parked: 0, lastError: null };
const program = "Program/urn:service:program|CASH";

const rename = (client: FieldClient, family: string) =>
  ok(
    client.individuals.update(ana, (draft) => {
      draft.name.family = family;
    }),
  );

const addPhone = (client: FieldClient, value: string) =>
  ok(
    client.individuals.update(ana, (draft) => {
      draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
    }),
  );

/** What is lost of the next request of a method: the request, its answer, or nothing, as it arrives twice. */
type Loss = "request" | "answer" | "nothing, as it comes twice";
const losses: readonly Loss[] = ["request", "answer", "nothing, as it comes twice"];

interface Line {
  next: { readonly method: string; readonly loses: Loss } | null;
  /** Writes that reached the server. */
  readonly writes: string[];
}

function lossy(send: Fetch, line: Line): Fetch {
  return async (url, init) => {
    const { next } = line;
    const reach: Fetch = async (...request) => {
      const answer = await send(...request);
      if (init.method !== "GET" && answer.status < 300 && !url.endsWith("/token"))
        line.writes.push(init.method);
      return answer;
    };
    if (next?.method !== init.method || url.endsWith("/token")) return reach(url, init);
    line.next = null;
    if (next.loses === "request") throw new TypeError("connection refused");
    const answer = await reach(url, init);
    if (next.loses === "answer") throw new TypeError("connection reset");
    return answer.status < 300 ? reach(url, init) : answer;
  };
}

async function start(world: World, restarting = false) {
  const line: Line = { next: null, writes: [] };
  const device = world.device("a", { network: (send) => lossy(plain(send), line) });
  await ok(device.client.signIn(credentials));
  await device.client.sync();
  line.writes.length = 0;
  /** Syncs until everything arrived, in another process the second time if wanted. */
  const settle = async () => {
    await device.client.sync();
    if (restarting) await ok(device.kill().signIn(credentials));
    await device.client.sync();
    return device.client.sync();
  };
  return { line, device, settle };
}

describe("a write to a server that keeps no idempotency keys", () => {
  let world: World;
  const onServer = () => ok(world.view.individuals.read(`${system}|ANA`));
  const change = (patch: Record<string, unknown>) =>
    ok(world.view.individuals.patch(`${system}|ANA`, patch, { ifMatch: "*" }));

  beforeEach(async () => {
    world = await createWorld();
    await ok(
      world.view.individuals.create({
        type: "Individual",
        identifier: [{ system, value: "ANA" }],
        name: { family: "Cruz", given: "Ana" },
      }),
    );
    await ok(
      world.view.programs.create({
        type: "Program",
        identifier: [{ system: "urn:service:program", value: "CASH" }],
        name: "Cash",
        targetType: "individual",
        period: { start: "2026-01-01" },
      }),
    );
  });

  const cases = losses.flatMap((loses) =>
    [false, true].map((restarting) => ({ loses, restarting, where: restarting ? "by another process" : "" })),
  );

  describe.each(cases)("that loses $loses $where", ({ loses, restarting }) => {
    it("changes a record once", async () => {
      const { line, device, settle } = await start(world, restarting);
      await addPhone(device.client, "1");
      line.next = { method: "PATCH", loses };
      expect(await settle()).toMatchObject(arrived);
      expect(await onServer()).toMatchObject({ telecom: [{ value: "1" }], meta: { versionId: "2" } });
      expect(line.writes).toEqual(["PATCH"]);
    });

    it.each(["Cruz", "Santos"])("keeps what its person says after it: %s", async (family) => {
      const { line, device, settle } = await start(world, restarting);
      await rename(device.client, "Reyes");
      line.next = { method: "PATCH", loses };
      await device.client.sync();
      await rename(device.client, family);
      expect(await settle()).toMatchObject(arrived);
      expect((await onServer()).name.family).toBe(family);
    });

    it("makes a record once", async () => {
      const { line, device, settle } = await start(world, restarting);
      await ok(device.client.individuals.create({ name: { family: "Diaz" } }));
      line.next = { method: "POST", loses };
      expect(await settle()).toMatchObject(arrived);
      expect((await ok(world.view.individuals.search({ name: "Diaz" }))).data).toHaveLength(1);
      expect(line.writes).toEqual(["POST"]);
    });

    it("makes a record once that has no identifier of this device", async () => {
      const { line, device, settle } = await start(world, restarting);
      const identifier = [{ system, value: "NEW" }];
      await ok(device.client.individuals.create({ identifier, name: { family: "Diaz" } }));
      line.next = { method: "POST", loses };
      expect(await settle()).toMatchObject(arrived);
      expect((await ok(world.view.individuals.search({ name: "Diaz" }))).data).toHaveLength(1);
    });

    it("enrolls somebody once, and pauses that once", async () => {
      const { line, device, settle } = await start(world, restarting);
      const { reference } = await ok(
        device.client.memberships.create({
          program: { reference: program },
          beneficiary: { reference: ana },
          status: "enrolled",
        }),
      );
      line.next = { method: "POST", loses };
      expect(await settle()).toMatchObject(arrived);
      await ok(
        device.client.memberships.update(reference, (draft) => {
          draft.status = "paused";
        }),
      );
      line.next = { method: "PUT", loses };
      expect(await settle()).toMatchObject(arrived);
      const [membership] = (await ok(world.view.memberships.search())).data;
      expect(membership).toMatchObject({ status: "paused", meta: { versionId: "2" } });
      expect(line.writes).toEqual(["POST", "PUT"]);
    });
  });

  it("goes on from a change that arrived, with what was edited since and what others changed", async () => {
    const { line, device } = await start(world);
    await rename(device.client, "Reyes");
    line.next = { method: "PATCH", loses: "answer" };
    await device.client.sync();
    await addPhone(device.client, "1");
    await change({ birthDate: "1990-01-01" });
    expect(await device.client.sync()).toMatchObject(arrived);
    expect(await onServer()).toMatchObject({
      name: { family: "Reyes" },
      birthDate: "1990-01-01",
      telecom: [{ value: "1" }],
      meta: { versionId: "4" },
    });
  });

  it("goes on from a record that arrived and was changed there since", async () => {
    const { line, device } = await start(world);
    const { reference } = await ok(
      device.client.individuals.create({ name: { family: "Diaz", given: "Jo" } }),
    );
    line.next = { method: "POST", loses: "answer" };
    await device.client.sync();
    const address = reference.slice("Individual/".length);
    await ok(world.view.individuals.patch(address, { name: { family: "Reyes" } }, { ifMatch: "*" }));
    expect(await device.client.sync()).toMatchObject(arrived);
    expect((await ok(device.client.individuals.read(reference))).record.name).toMatchObject({
      family: "Reyes",
      given: "Jo",
    });
  });

  it("asks a person before it makes a change again that may have been taken back", async () => {
    const { line, device } = await start(world);
    await addPhone(device.client, "1");
    line.next = { method: "PATCH", loses: "answer" };
    await device.client.sync();
    await change({ telecom: null });
    expect(await device.client.sync()).toMatchObject({ parked: 1, pending: 0 });
    await change({ birthDate: "1990-01-01" });
    expect(await device.client.sync()).toMatchObject({ parked: 1, pending: 0 });
    expect((await onServer()).telecom).toBeUndefined();
    const [parked] = await device.client.parked();
    expect(parked).toMatchObject({ reason: "conflict", conflicts: [] });
    await ok(device.client.resolve(ana, { kind: "retry" }));
    expect(await device.client.sync()).toMatchObject(arrived);
    expect(await onServer()).toMatchObject({ birthDate: "1990-01-01", telecom: [{ value: "1" }] });
  });

  it("asks a person where somebody else has made a record with the same identifier that says something else", async () => {
    const { line, device } = await start(world);
    const identifier = [{ system, value: "NEW" }];
    await ok(device.client.individuals.create({ identifier, name: { family: "Diaz" } }));
    line.next = { method: "POST", loses: "request" };
    await device.client.sync();
    await ok(world.view.individuals.create({ type: "Individual", identifier, name: { family: "Reyes" } }));
    await device.client.sync();
    expect(await device.client.parked()).toMatchObject([
      { reason: "duplicate", theirs: { name: { family: "Reyes" } } },
    ]);
  });

  it("goes on beside people who are enrolled here and elsewhere, until somebody has decided", async () => {
    const { device } = await start(world);
    const enrolled = { program: { reference: program }, beneficiary: { reference: ana }, status: "enrolled" };
    device.online = false;
    const { reference } = await ok(device.client.memberships.create(enrolled as never));
    await ok(world.view.memberships.create({ type: "ProgramMembership", ...enrolled } as never));
    device.online = true;
    const beside = { phase: "idle", parked: 1, lastError: null };
    for (let nth = 0; nth < 3; nth++) expect(await device.client.sync()).toMatchObject(beside);
    const store = createMemoryStore({ medium: device.medium });
    const { documents } = await store.query({ collection: "waiting", limit: 10 });
    expect(documents).toHaveLength(1);
    // Former versions of this software kept it several times.
    const [{ collection, body }] = documents as [(typeof documents)[number]];
    const again = { collection, key: "other", version: 1, body: { ...(body as object), key: "other" } };
    await store.commit({ put: [again] });
    for (let nth = 0; nth < 2; nth++) expect(await device.client.sync()).toMatchObject(beside);
    await ok(device.client.resolve(reference, { kind: "discard" }));
    for (let nth = 0; nth < 2; nth++) expect(await device.client.sync()).toMatchObject(arrived);
    expect((await ok(device.client.memberships.search())).data).toHaveLength(1);
  });

  it("keeps extensions, which answers to writes do not show", async () => {
    const farming = await createWorld({ extensions: [farmer] });
    const { device } = await start(farming);
    const extension = { farmer: { farmSize: 2 } };
    const made = await ok(device.client.individuals.create({ name: { family: "Diaz" }, extension }));
    expect(await device.client.sync()).toMatchObject(arrived);
    expect((await ok(device.client.individuals.read(made.reference))).record.extension).toMatchObject(
      extension,
    );
    const other = farming.device("b", { network: (send) => plain(send) });
    await ok(other.client.signIn(credentials));
    await other.client.sync();
    expect((await ok(other.client.individuals.read(made.reference))).record.extension).toMatchObject(
      extension,
    );
  });
});
