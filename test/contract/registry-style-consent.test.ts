import { operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { stores } from "./fixture.ts";
import { nobody, openWorld, type World } from "./registry-style-world.ts";

const all = { resourceType: "all", fieldAccess: "all" };

/** What a caller could tell two answers apart by, but for the address that it asked for. */
function apart(answer: { status: number; headers: Headers; body: unknown }, extId: string): string {
  const headers = ["Content-Type", "ETag", "X-Consent-Status"].map((name) => answer.headers.get(name));
  return JSON.stringify([answer.status, headers, answer.body]).replaceAll(extId, "<ext_id>");
}

/** Counts the calls to the store that an action makes, by their names. */
async function callsOf(world: World, act: () => Promise<unknown>): Promise<readonly string[]> {
  const calls: string[] = [];
  const { store } = world;
  const names = ["get", "resolve", "query", "commit"] as const;
  const kept = names.map((name) => [name, store[name]] as const);
  for (const [name, own] of kept) {
    Object.assign(store, {
      [name]: (...args: never[]) => {
        calls.push(name);
        return (own as (...args: never[]) => unknown).apply(store, args);
      },
    });
  }
  await act();
  for (const [name, own] of kept) Object.assign(store, { [name]: own });
  return calls;
}

describe.each(stores)("a caller bound by consent, over %s", (_store, open) => {
  it("sees of a registrant what the consents in force show", async () => {
    const { callAid, consent, ana, ben, call, registry } = await openWorld(open);
    await call({
      method: "PUT",
      path: `/registry/registrant/${ana}`,
      body: { name: "Ana Reyes", birthdate: "1990-01-01", gender: "female" },
    });
    const id = await consent(ana, {
      resourceType: "Individual",
      fieldAccess: "custom",
      fields: ["name", "gender"],
    });
    const read = await callAid({ path: `/registry/registrant/${ana}` });
    expect(read.body.data).toMatchObject({
      ext_id: ana,
      name: "Ana Reyes",
      birthdate: null,
      gender: "female",
    });
    expect(read.headers.get("X-Consent-Status")).toBe("active");
    expect(read.headers.get("X-Consent-Scope")).toContain("name");
    const listed = await callAid({ path: "/registry/registrant" });
    expect(listed.body).toEqual({
      data: [read.body.data],
      pagination: { next_cursor: null, has_more: false },
    });
    expect((await callAid({ path: `/registry/registrant/${ben}` })).status).toBe(403);
    unwrap(await registry.as(operator).consents.revoke(id));
    expect((await callAid({ path: `/registry/registrant/${ana}` })).status).toBe(403);
    expect((await callAid({ path: "/registry/registrant" })).body.data).toEqual([]);
  });

  it.each<[string, string, (world: World) => Promise<string>, object | undefined]>([
    ["GET", "/registry/registrant/", async ({ ben }) => ben, undefined],
    ["PUT", "/registry/registrant/", async ({ ben }) => ben, { name: "B" }],
    ["GET", "/entitlements/", ({ entitlement, ben }) => entitlement({ registrant_ext_id: ben }), undefined],
    [
      "POST",
      "/entitlements/<>/approve",
      ({ entitlement, ben }) => entitlement({ registrant_ext_id: ben }),
      undefined,
    ],
  ])(
    "can't tell by %s %s what is hidden from what is not there, nor by the work done",
    async (method, path, hide, body) => {
      const world = await openWorld(open);
      const hidden = await hide(world);
      const ask = (extId: string) =>
        world.callAid({
          method,
          path: path.includes("<>") ? path.replace("<>", extId) : `${path}${extId}`,
          body,
        });
      const [a, b] = [await ask(hidden), await ask(nobody)];
      expect(a.status).toBe(403);
      expect(apart(a, hidden)).toBe(apart(b, nobody));
      const work = await callsOf(world, () => ask(hidden));
      expect(work.length).toBeGreaterThan(0);
      expect(work).toEqual(await callsOf(world, () => ask(nobody)));
    },
  );

  it("can't enroll a registrant that it may not see, nor tell that it is there", async () => {
    const world = await openWorld(open);
    const path = `/programs/${world.program}/enroll`;
    const ask = (extId: string) =>
      world.callAid({ method: "POST", path, body: { registrant_ext_id: extId } });
    const [a, b] = [await ask(world.ben), await ask(nobody)];
    expect(a.status).toBe(422);
    expect(apart(a, world.ben)).toBe(apart(b, nobody));
  });

  it("can't enroll one whose enrollments it may not see, whether or not there is one", async () => {
    const { callAid, call, consent, ana, program } = await openWorld(open);
    await consent(ana, { resourceType: "Individual", fieldAccess: "all" });
    const enrolling = {
      method: "POST",
      path: `/programs/${program}/enroll`,
      body: { registrant_ext_id: ana },
    };
    const before = await callAid(enrolling);
    expect(before.status).toBe(403);
    expect((await call(enrolling)).status).toBe(201);
    expect(apart(await callAid(enrolling), ana)).toBe(apart(before, ana));
  });

  it("enrolls one that it may see", async () => {
    const { callAid, consent, ana, program } = await openWorld(open);
    await consent(ana, all);
    const body = { registrant_ext_id: ana };
    const made = await callAid({ method: "POST", path: `/programs/${program}/enroll`, body });
    expect(made).toMatchObject({
      status: 201,
      body: { data: { registrant_ext_id: ana, status: "enrolled" } },
    });
  });

  it("is answered an enrolling again only while it may see the person's enrollments", async () => {
    const { callAid, call, consent, ana, program } = await openWorld(open);
    const withdrawn = await consent(ana, all);
    const enrolling = {
      method: "POST",
      path: `/programs/${program}/enroll`,
      body: { registrant_ext_id: ana },
      headers: { "Idempotency-Key": "k" },
    };
    const first = await callAid(enrolling);
    const again = await callAid(enrolling);
    expect([first.status, again.status, again.headers.get("Idempotent-Replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    expect(again.body).toEqual(first.body);
    await call({ method: "POST", path: `/Consent/${withdrawn}/$revoke`, body: {} });
    const hidden = await callAid(enrolling);
    expect([hidden.status, hidden.body.type]).toEqual([403, "urn:service:error:authorization"]);
    expect(JSON.stringify(hidden.body)).not.toContain(first.body.data.ext_id);
    await consent(ana, {
      resourceType: "ProgramMembership",
      fieldAccess: "custom",
      fields: ["beneficiary", "program"],
    });
    const narrow = await callAid(enrolling);
    expect(narrow).toMatchObject({ status: 201, body: { data: { enrollment_date: null } } });
  });

  it("replaces a registrant whose meta is hidden, in the version that it was told", async () => {
    const { callAid, consent, ana } = await openWorld(open);
    await consent(ana, { resourceType: "Individual", fieldAccess: "custom", fields: ["name"] });
    const put = { method: "PUT", path: `/registry/registrant/${ana}`, body: { name: "Ana Lim" } };
    expect(await callAid(put)).toMatchObject({ status: 200, body: { data: { name: "Ana Lim" } } });
    const { headers } = await callAid({ path: put.path });
    expect(headers.get("ETag")).toBe('"2"');
    expect((await callAid({ ...put, headers: { "If-Match": '"1"' } })).status).toBe(409);
    expect((await callAid({ ...put, headers: { "If-Match": '"2"' } })).status).toBe(200);
  });

  it("sees the entitlements of those whose memberships it may see, and counts no others", async () => {
    const { callAid, consent, ana, ben, entitlement } = await openWorld(open);
    const mine = [await entitlement(), await entitlement()];
    for (let i = 0; i < 3; i++) await entitlement({ registrant_ext_id: ben });
    expect((await callAid({ path: "/entitlements" })).body).toEqual({
      data: [],
      pagination: { next_cursor: null, has_more: false },
    });
    await consent(ben, { resourceType: "Individual", fieldAccess: "all" });
    await consent(ana, { resourceType: "ProgramMembership", fieldAccess: "all" });
    const first = await callAid({ path: "/entitlements?limit=1" });
    expect(first.body).toMatchObject({ data: [{ ext_id: mine[0] }], pagination: { has_more: true } });
    const { next_cursor } = first.body.pagination;
    const next = await callAid({ path: `/entitlements?limit=1&cursor=${next_cursor}` });
    expect(next.body).toMatchObject({
      data: [{ ext_id: mine[1] }],
      pagination: { next_cursor: null, has_more: false },
    });
    expect((await callAid({ path: `/entitlements/${mine[0]}` })).status).toBe(200);
    const asked = (query: string) => callAid({ path: `/entitlements?${query}` });
    const hers = await asked(`registrant_ext_id=${ana}&state=pending_validation`);
    expect(hers.body.data.map(({ ext_id }: { ext_id: string }) => ext_id)).toEqual(mine);
    const hidden = await asked(`registrant_ext_id=${ben}`);
    const unknown = await asked("registrant_ext_id=018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8e9f");
    expect(hidden.body).toEqual({ data: [], pagination: { next_cursor: null, has_more: false } });
    expect(unknown.body).toEqual(hidden.body);
  });

  it.each([
    ["the bare minimum", { fieldAccess: "basic" }, 403],
    ["whose they are, but not in which program", { fieldAccess: "custom", fields: ["beneficiary"] }, 403],
    [
      "whose they are and in which program",
      { fieldAccess: "custom", fields: ["beneficiary", "program"] },
      200,
    ],
  ])("that is shown of memberships %s sees entitlements accordingly", async (_name, access, status) => {
    const { callAid, consent, ana, entitlement } = await openWorld(open);
    const id = await entitlement();
    await consent(ana, { resourceType: "ProgramMembership", ...access });
    expect((await callAid({ path: `/entitlements/${id}` })).status).toBe(status);
    const { data, pagination } = (await callAid({ path: "/entitlements?limit=1" })).body;
    expect(data).toHaveLength(status === 200 ? 1 : 0);
    expect(pagination).toEqual({ next_cursor: null, has_more: false });
  });

  it("is answered an approval again only while it may see the entitlement", async () => {
    const { callAid, call, consent, ana, program, entitlement, registry } = await openWorld(open);
    const withdrawn = await consent(ana, all);
    const id = await entitlement();
    unwrap(await registry.as(operator).programDesk.setFund(program, { value: "5000", currency: "PHP" }));
    const approval = {
      method: "POST",
      path: `/entitlements/${id}/approve`,
      headers: { "Idempotency-Key": "k" },
    };
    expect((await callAid(approval)).status).toBe(200);
    const again = await callAid(approval);
    expect([again.status, again.headers.get("Idempotent-Replayed")]).toEqual([200, "true"]);
    await call({ method: "POST", path: `/Consent/${withdrawn}/$revoke`, body: {} });
    const hidden = await callAid(approval);
    const read = await callAid({ path: `/entitlements/${id}` });
    expect([hidden.status, hidden.body.type, hidden.body.detail]).toEqual([
      403,
      read.body.type,
      read.body.detail,
    ]);
  });

  it("writes no field that it can't see, and keeps those it does not name", async () => {
    const { callAid, call, consent, ana } = await openWorld(open);
    const path = `/registry/registrant/${ana}`;
    await call({ method: "PUT", path, body: { name: "Ana Reyes", birthdate: "1990-01-01" } });
    await consent(ana, { resourceType: "Individual", fieldAccess: "custom", fields: ["name"] });
    const named = await callAid({ method: "PUT", path, body: { name: "Ana Lim", birthdate: "1991-01-01" } });
    expect(named).toMatchObject({ status: 403, body: { type: "urn:service:error:authorization" } });
    expect(JSON.stringify(named.body)).toContain("birth");
    const renamed = await callAid({ method: "PUT", path, body: { name: "Ana Lim", birthdate: null } });
    expect(renamed).toMatchObject({ status: 200, body: { data: { name: "Ana Lim", birthdate: null } } });
    expect((await call({ path })).body.data).toMatchObject({ name: "Ana Lim", birthdate: "1990-01-01" });
  });

  it("creates a registrant, and is shown what consents show of it: nothing yet", async () => {
    const { callAid, call } = await openWorld(open);
    const made = await callAid({ method: "POST", path: "/registry/registrant", body: { name: "Eva Lim" } });
    expect(made).toMatchObject({ status: 201, body: { data: { name: null } } });
    const { ext_id } = made.body.data;
    expect((await call({ path: `/registry/registrant/${ext_id}` })).body.data.name).toBe("Eva Lim");
  });

  it("sees its own change requests only", async () => {
    const { callAid, call } = await openWorld(open);
    const body = { type: "add_farmer", data: { name: "Eva", farmer: {} } };
    const own = await callAid({ method: "POST", path: "/change_request", body });
    const other = (await call({ method: "POST", path: "/change_request", body })).body.data.ext_id;
    const seen = await callAid({ path: `/change_request/${own.body.data.ext_id}` });
    expect([seen.status, seen.body.data.data.name]).toEqual([200, "Eva"]);
    expect((await callAid({ path: "/change_request" })).body.data).toMatchObject([
      { ext_id: own.body.data.ext_id },
    ]);
    const mine: string = own.body.data.ext_id;
    for (const [method, rest, status, ofMine] of [
      ["GET", "", 404, 200],
      ["POST", "/$approve", 403, 403],
      ["POST", "/$reject", 403, 403],
      ["POST", "/$revise", 403, 403],
      ["POST", "/$submit", 404, 409],
      ["POST", "/$apply", 403, 403],
    ] as const) {
      const [a, b, c] = [
        await callAid({ method, path: `/change_request/${other}${rest}` }),
        await callAid({ method, path: `/change_request/${nobody}${rest}` }),
        await callAid({ method, path: `/change_request/${mine}${rest}` }),
      ];
      expect([a.status, c.status]).toEqual([status, ofMine]);
      expect(apart(a, other)).toBe(apart(b, nobody));
    }
  });
});

it("shows to a caller with fields of its own no others, of programs neither", async () => {
  const { call, program, ana } = await openWorld(
    stores[0]?.[1] ?? (() => Promise.reject(new Error("no store"))),
  );
  await call({
    method: "PUT",
    path: `/registry/registrant/${ana}`,
    body: { name: "Ana", birthdate: "1990-01-01" },
  });
  const person = await call({ path: `/registry/registrant/${ana}`, as: "bank" });
  expect(person.body.data).toMatchObject({ name: "Ana", birthdate: null });
  expect((await call({ path: `/registry/registrant/${nobody}`, as: "bank" })).status).toBe(404);
  const { data } = (await call({ path: `/programs/${program}`, as: "bank" })).body;
  expect(data).toMatchObject({ name: "Cash", description: null, status: null, start_date: null });
});

it("leaves in the audit trail who read and approved which entitlement", async () => {
  const world = await openWorld(stores[0]?.[1] ?? (() => Promise.reject(new Error("no store"))));
  const id = await world.entitlement();
  const fund = { value: "1200.00", currency: "PHP" };
  unwrap(await world.registry.as(operator).programDesk.setFund(world.program, fund));
  const headers = { "X-Request-Id": "request-7" };
  await world.call({ method: "POST", path: `/entitlements/${id}/approve`, as: "finance", headers });
  const { data } = unwrap(await world.registry.audit({ record: `Entitlement/${id}` }));
  expect(data.at(-1)).toMatchObject({
    action: "change",
    clientId: "finance",
    requestId: "request-7",
    legalBasis: "public_task",
    fields: ["state", "approved_at"],
  });
});
