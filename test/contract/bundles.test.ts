import { beforeEach, describe, expect, it } from "vitest";
import { household, person, program, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const personId = "urn:uuid:0190a6b0-0000-7000-8000-00000000000a";
const groupId = "urn:uuid:0190a6b0-0000-7000-8000-00000000000b";

interface Entry {
  readonly fullUrl?: string;
  readonly request: { readonly method: string; readonly url: string; readonly ifMatch?: string };
  readonly resource?: unknown;
}

const post = (type: string, resource: unknown, fullUrl?: string): Entry => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  request: { method: "POST", url: type },
  resource,
});
const statuses = (body: { entry: { response: { status: number } }[] }) =>
  body.entry.map(({ response }) => response.status);

describe.each(stores)("$batch on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ open, clients: [writer] });
    await seed(world, [person("1"), program]);
  });
  const send = (type: string, entry: readonly Entry[], headers = {}) =>
    world.post("writer", "/$batch", { resourceType: "Bundle", type, entry }, headers);
  const family: readonly Entry[] = [
    post("ProgramMembership", {
      type: "ProgramMembership",
      identifier: [{ system: "urn:m", value: "1" }],
      program: { reference: "Program/urn:service:program|cash" },
      beneficiary: { reference: groupId },
      status: "enrolled",
    }),
    post("Group", household("g", [personId]), groupId),
    post("Individual", person("2"), personId),
  ];

  it.each(["transaction", "batch"])("%s resolves placeholders in any order", async (type) => {
    const order = type === "transaction" ? family : [...family].reverse();
    const { status, body } = await send(type, order);
    expect(status, JSON.stringify(body)).toBe(200);
    expect([body.resourceType, body.type, statuses(body)]).toEqual([
      "Bundle",
      `${type}-response`,
      [201, 201, 201],
    ]);
    const group = await world.get("writer", "/Group/urn:service:group|g");
    expect(group.body.member[0].entity.reference).toBe("Individual/urn:gov:ph:nid|2");
    for (const { response, resource } of body.entry) {
      expect(response).toMatchObject({ etag: '"1"', location: expect.stringContaining("/api/v2/") });
      expect((await world.get("writer", response.location)).body.identifier).toEqual(resource.identifier);
    }
  });

  it("changes, replaces and reads every resource, later entries of a batch seeing earlier ones", async () => {
    await send("transaction", family);
    const at = (method: string, url: string, resource?: unknown): Entry => ({
      request: { method, url, ...(method === "GET" ? {} : { ifMatch: '"1"' }) },
      ...(resource === undefined ? {} : { resource }),
    });
    const membership = {
      ...(family[0]?.resource as object),
      beneficiary: { reference: "Group/urn:service:group|g" },
    };
    const { body } = await send("batch", [
      at("PATCH", "Individual/urn:gov:ph:nid|2", { birthDate: "1990-01-01" }),
      at("GET", "Individual/urn:gov:ph:nid|2"),
      at("PUT", "Group/urn:service:group|g", household("g", [])),
      at("PUT", "ProgramMembership/urn:m|1", { ...membership, status: "paused" }),
      at("GET", "Individual?birthdate=1990-01-01"),
      at("GET", "Program/urn:service:program|cash"),
    ]);
    expect(statuses(body)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(body.entry[1].resource).toMatchObject({ birthDate: "1990-01-01", meta: { versionId: "2" } });
    expect(body.entry[4].resource.data).toHaveLength(1);
  });

  it("transaction: all or nothing; the failure is the whole answer, with its entry", async () => {
    const { status, body } = await send("transaction", [
      post("Individual", person("3")),
      post("Individual", person("1")),
    ]);
    expect([status, body.type, body.entry]).toEqual([409, "urn:service:error:duplicate", 1]);
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|3")).status).toBe(404);
  });

  it("batch: each entry by itself, failures as problems", async () => {
    const { status, body } = await send("batch", [
      post("Individual", person("3")),
      post("Individual", person("1")),
      post("Individual", { type: "Individual" }),
      { request: { method: "GET", url: "Individual/urn:x|9" } },
      { request: { method: "PATCH", url: "Individual/urn:gov:ph:nid|1" }, resource: {} },
    ]);
    expect([status, statuses(body)]).toEqual([200, [201, 409, 422, 404, 428]]);
    expect(body.entry[1].resource).toMatchObject({ type: "urn:service:error:duplicate", status: 409 });
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|3")).status).toBe(200);
  });

  it("ifMatch is compared as the header would be", async () => {
    const patch = (ifMatch: string): Entry => ({
      request: { method: "PATCH", url: "Individual/urn:gov:ph:nid|1", ifMatch },
      resource: { birthDate: "1990-01-01" },
    });
    expect(statuses((await send("batch", [patch('"7"')])).body)).toEqual([409]);
    const whole = await send("transaction", [patch('"7"')]);
    expect([whole.status, whole.body.type, whole.body.entry]).toEqual([409, "urn:service:error:conflict", 0]);
  });

  it.each(["transaction", "batch"])("%s: an undeclared placeholder is refused", async (type) => {
    const { status, body } = await send(type, [post("Group", household("g", [personId]))]);
    expect(type === "batch" && status === 200 ? statuses(body)[0] : status).toBe(422);
    expect((await world.get("writer", "/Group")).body.data).toEqual([]);
  });

  it("100 entries are taken, 101 are too many", async () => {
    const entries = Array.from({ length: 101 }, (_, i) => post("Individual", person(`b${i}`)));
    expect((await send("transaction", entries)).status).toBe(413);
    expect((await send("transaction", entries.slice(1))).status).toBe(200);
    expect((await world.get("writer", "/Individual?_total=accurate")).body.meta.total).toBe(101);
  });

  it.each([
    ["no bundle", { resourceType: "List" }],
    ["another type of bundle", { resourceType: "Bundle", type: "history", entry: [] }],
    ["an unknown member", { resourceType: "Bundle", type: "batch", entry: [], total: 1 }],
  ])("%s is refused", async (_case, body) => {
    expect((await world.post("writer", "/$batch", body)).status).toBe(422);
  });

  it.each(["transaction", "batch"])(
    "%s: the same Idempotency-Key has one effect and the stored answer",
    async (type) => {
      const headers = { "Idempotency-Key": "b1" };
      const entries = [post("Individual", person("3"))];
      const first = await send(type, entries, headers);
      const again = await send(type, entries, headers);
      expect([again.status, again.headers.get("Idempotent-Replayed"), again.body]).toEqual([
        200,
        "true",
        first.body,
      ]);
      expect(statuses(again.body)).toEqual([201]);
      const other = await send(type, [post("Individual", person("4"))], headers);
      expect([other.status, other.body.type]).toEqual([422, "urn:service:error:idempotency-mismatch"]);
    },
  );
});
