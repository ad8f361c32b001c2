import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, ben, consentWorld, cora } from "./consent-world.ts";
import { stores } from "./fixture.ts";
import type { World } from "./world.ts";

const helpers = { organization: "Helpers" };

describe.each(stores)("headers of a read on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
  });
  const consentHeaders = async (client: string, path = ana) => {
    const { headers } = await world.get(client, `/${path}`);
    return ["Status", "Scope", "Expires"].map((name) => headers.get(`X-Consent-${name}`));
  };

  it("say that a legal basis shows it, or a consent, what of it and until when", async () => {
    expect((await consentHeaders("ministry")).slice(0, 1)).toEqual(["legal_basis"]);
    await world.grant({ subject: ana, ...helpers, more: { expiryDate: "2026-12-31" } });
    const [status, scope, expires] = await consentHeaders("ngo");
    expect([status, expires]).toEqual(["active", "2026-12-31"]);
    expect(scope).toMatch(/all/);
  });

  it("name the fields and extensions of a custom consent", async () => {
    await world.grant({
      subject: ana,
      ...helpers,
      access: "custom",
      fields: ["gender", "name.given"],
      extensions: ["farmer"],
    });
    const [status, scope, expires] = await consentHeaders("ngo");
    expect([status, expires]).toEqual(["active", null]);
    for (const name of ["gender", "name.given", "farmer"]) expect(scope).toContain(name);
    expect(scope).not.toContain("birthDate");
  });

  it("are the same for what is hidden and what is unknown", async () => {
    expect(await consentHeaders("ngo", ben)).toEqual(await consentHeaders("ngo", "Individual/urn:x|9"));
  });
});

describe.each(stores)("the audit trail on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open);
    world.reads.length = 0;
  });
  const headers = { "X-Request-Id": "trace-7" };

  it("tells a read: who, when, which record, which fields, under which consent, which request", async () => {
    const consent = await world.grant({ subject: ana, ...helpers, access: "custom", fields: ["gender"] });
    await world.get("ngo", `/${ana}`, headers);
    expect(world.reads).toHaveLength(1);
    const [entry] = world.reads;
    expect(entry).toMatchObject({
      at: "2026-03-01T08:00:00.000Z",
      action: "read",
      clientId: "ngo",
      organization: "Helpers",
      requestId: "trace-7",
      consents: [consent],
      records: [expect.stringMatching(/^Individual\//)],
    });
    expect(entry?.fields).toContain("gender");
    expect(entry?.fields).not.toContain("birthDate");
  });

  it("tells the legal basis of a caller that is exempt", async () => {
    await world.get("ministry", `/${ana}`, headers);
    expect(world.reads).toMatchObject([
      { action: "read", clientId: "ministry", legalBasis: "public_task", requestId: "trace-7" },
    ]);
  });

  it("tells every record of a search, a feed and a history", async () => {
    await world.get("ministry", "/Individual");
    expect(world.reads.at(-1)).toMatchObject({ action: "search" });
    expect(world.reads.flatMap(({ records }) => records)).toHaveLength(3);
    world.reads.length = 0;
    await world.get("ministry", "/$changes?feed=all&limit=500");
    expect(world.reads.at(-1)).toMatchObject({ action: "feed" });
    expect(
      world.reads.flatMap(({ records }) => records).filter((name) => name.startsWith("Individual/")),
    ).toHaveLength(3);
    world.reads.length = 0;
    await world.get("ministry", `/${ana}/$history`);
    expect(world.reads.flatMap(({ records }) => records)).toHaveLength(1);
  });

  it("tells reads inside bundles and of registrants", async () => {
    const bundle = {
      resourceType: "Bundle",
      type: "batch",
      entry: [{ request: { method: "GET", url: ana } }, { request: { method: "GET", url: cora } }],
    };
    expect((await world.post("ministry", "/$batch", bundle)).status).toBe(200);
    expect(new Set(world.reads.flatMap(({ records }) => records)).size).toBe(2);
    world.reads.length = 0;
    await world.get("ministry", "/registry/registrant");
    expect(new Set(world.reads.flatMap(({ records }) => records)).size).toBe(3);
  });

  it("tells nothing of records that were not shown", async () => {
    await world.grant({ subject: ana, ...helpers });
    await world.get("ngo", `/${ben}`);
    await world.get("ngo", "/Individual/urn:x|9");
    expect(world.reads).toEqual([]);
    await world.get("ngo", "/Individual");
    expect(world.reads.flatMap(({ records }) => records)).toHaveLength(1);
  });

  it("tells a change in the commit that makes it", async () => {
    const commits: number[] = [];
    const start = world.clock.now;
    world.clock.now = new Date(start.getTime() + 60_000);
    await world.send(
      "ministry",
      {
        method: "PATCH",
        path: `/${ana}`,
        body: { birthDate: "2000-01-01" },
        headers: { ...headers, "If-Match": '"1"' },
      },
      200,
    );
    commits.push(...world.storeCalls.list.filter((call) => call.startsWith("commit")).map(() => 1));
    expect(commits).toHaveLength(1);
    const { data } = unwrap(
      await world.registry.audit({
        clientId: "ministry",
        from: "2026-03-01T08:01:00.000Z",
        below: "2026-03-01T08:02:00.000Z",
      }),
    );
    expect(data).toMatchObject([
      {
        action: "change",
        clientId: "ministry",
        requestId: "trace-7",
        legalBasis: "public_task",
        versionId: "2",
        fields: expect.arrayContaining(["birthDate"]),
      },
    ]);
  });

  it("tells creates, grants and revocations; refused writes and writes that change nothing tell nothing", async () => {
    const id = await world.grant({ subject: ana, ...helpers });
    await world.post("ministry", `/Consent/${id}/$revoke`, {});
    const count = async () => unwrap(await world.registry.audit({ limit: 500 })).data.length;
    const actions = unwrap(await world.registry.audit({ limit: 500 })).data.map(({ action }) => action);
    expect(actions.filter((action) => action === "create").length).toBeGreaterThanOrEqual(6);
    expect(actions).toEqual(expect.arrayContaining(["grant", "revoke"]));
    const before = await count();
    await world.change("ministry", "PATCH", `/${ana}`, { birthDate: "nonsense" });
    await world.change("ministry", "PATCH", `/${ana}`, {});
    await world.send("ministry", {
      method: "PATCH",
      path: `/${ana}`,
      body: {},
      headers: { "If-Match": '"9"' },
    });
    expect(await count()).toBe(before);
  });
});
