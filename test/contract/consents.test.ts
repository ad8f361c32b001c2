import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, consentWorld, home } from "./consent-world.ts";
import { stores } from "./fixture.ts";
import type { World } from "./world.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const terms = {
  subject: { reference: ana },
  grantee: { organization: "Helpers" },
  scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name"], extensions: ["farmer"] }],
  purpose: "service_delivery",
  legalBasis: "consent",
  effectiveDate: "2026-02-01",
  expiryDate: "2027-01-31",
  collectionMethod: "written",
  evidence: "Form 7, page 2",
};

/** Whatever the store keeps of consents, the audit trail and earlier answers. */
async function everyDocument({ store }: World) {
  const collections = ["Consent", "change-request", "audit", "idempotency"];
  return Promise.all(collections.map((collection) => store.query({ collection, limit: 500 })));
}

describe.each(stores)("a consent on %s", (_name, open) => {
  let world: World;
  let id: string;
  beforeEach(async () => {
    world = await consentWorld(open);
    id = unwrap(await world.view.consents.grant(terms)).id;
  });
  const read = () => world.get("ministry", `/Consent/${id}`);
  const revoke = (body?: unknown) =>
    world.send("ministry", {
      method: "POST",
      path: `/Consent/${id}/$revoke`,
      ...(body === undefined ? {} : { body }),
    });

  it("is read by its id, with everything that was agreed", async () => {
    const { status, headers, body } = await read();
    expect(status).toBe(200);
    expect(body).toEqual({ ...terms, id, type: "Consent", status: "given", meta: expect.any(Object) });
    expect(body.id).toMatch(uuid);
    expect(headers.get("ETag")).toBe(`"${body.meta.versionId}"`);
  });

  it.each(["0190a6b0-0000-7000-8000-000000000000", "none", "urn:x|1"])(
    "is not found as %s",
    async (unknown) => {
      const answer = await world.get("ministry", `/Consent/${unknown}`);
      expect([answer.status, answer.body.type]).toEqual([404, "urn:service:error:not-found"]);
    },
  );

  it("can't be listed, created, replaced or patched over HTTP", async () => {
    for (const [method, path] of [
      ["GET", "/Consent"],
      ["POST", "/Consent"],
      ["PUT", `/Consent/${id}`],
      ["PATCH", `/Consent/${id}`],
    ] as const) {
      const { status } = await world.send("ministry", { method, path });
      expect([404, 405], `${method} ${path}`).toContain(status);
    }
  });

  it("is withdrawn by $revoke, with a reason or without", async () => {
    const { status, body } = await revoke({ reason: "moved" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id,
      status: "withdrawn",
      evidence: terms.evidence,
      revocation: {
        date: expect.stringMatching(/^2026-03-01/),
        by: expect.stringContaining("ministry"),
        reason: "moved",
      },
    });
    expect((await read()).body).toEqual(body);
    const other = await world.grant({ subject: ana, organization: "Helpers" });
    const bare = await world.send("ministry", { method: "POST", path: `/Consent/${other}/$revoke` });
    expect([bare.status, bare.body.status]).toEqual([200, "withdrawn"]);
  });

  it("is withdrawn once: again is an invalid state", async () => {
    await revoke({});
    const { status, body } = await revoke({});
    expect([status, body.type]).toEqual([409, "urn:service:error:invalid-state"]);
  });

  it("says that an answer to $revoke is a replay, as every other operation does", async () => {
    const headers = { "Idempotency-Key": "k-1" };
    const path = `/Consent/${id}/$revoke`;
    const first = await world.post("ministry", path, { reason: "moved" }, headers);
    expect([first.status, first.headers.get("Idempotent-Replayed")]).toEqual([200, null]);
    const again = await world.post("ministry", path, { reason: "moved" }, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    const other = await world.post("ministry", path, { reason: "else" }, headers);
    expect([other.status, other.body.type]).toEqual([422, "urn:service:error:idempotency-mismatch"]);
  });

  it.each([null, [], "x", 7, false])("is not revoked by %j, which is no object", async (body) => {
    const { status, body: problem } = await revoke(body);
    expect([status, problem.errors[0].code]).toEqual([422, "invalid_type"]);
    expect((await read()).body.status).toBe("given");
  });

  it("that a change request gave has its evidence alone, and leaves no copy when it is deleted", async () => {
    let keys = 0;
    const send = async (method: string, path: string, body?: unknown) => {
      const headers = { "Idempotency-Key": `key-${method === "GET" ? "none" : ++keys}` };
      const request = { method, path, headers, ...(body === undefined ? {} : { body }) };
      const answer = await world.send("ministry", request);
      expect(answer.status, `${method} ${path}`).toBeLessThan(300);
      // Sent again, as after a lost answer.
      return method === "GET" ? answer : world.send("ministry", request);
    };
    const data = { ...terms, evidence: "Form 8" };
    const made = await send("POST", "/change_request", { type: "grant_consent", data, draft: true });
    const { ext_id } = made.body.data;
    const path = `/change_request/${ext_id}`;
    await send("PUT", path, { data: terms });
    for (const step of ["$submit", "$approve"]) await send("POST", `${path}/${step}`);
    expect((await send("GET", path)).body.data.data.evidence).toBe(terms.evidence);
    const applied = await send("POST", `${path}/$apply`);
    const { evidence: _, ...kept } = terms;
    expect(applied.body.data).toMatchObject({ status: "applied", data: kept });
    expect((await send("GET", path)).body.data.data).toEqual(kept);
    expect((await send("GET", `/Consent/${ext_id}`)).body.evidence).toBe(terms.evidence);
    await world.send("ministry", { method: "DELETE", path: `/Consent/${id}` });
    await world.send("ministry", { method: "DELETE", path: `/Consent/${ext_id}` });
    const everything = JSON.stringify(await everyDocument(world));
    expect(everything).toContain(ext_id);
    for (const evidence of [terms.evidence, data.evidence]) expect(everything).not.toContain(evidence);
  });

  it("takes no unknown member in $revoke", async () => {
    expect((await revoke({ because: "x" })).status).toBe(422);
    expect((await read()).body.status).toBe("given");
  });

  it("has the same effect when deleted, and stays readable without its evidence", async () => {
    const answer = await world.send("ministry", { method: "DELETE", path: `/Consent/${id}` });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    const { status, body } = await read();
    expect([status, body.status]).toEqual([200, "withdrawn"]);
    expect(body).not.toHaveProperty("evidence");
    expect(body.scope).toEqual(terms.scope);
  });

  it("that has expired loses its evidence when deleted, and stays expired", async () => {
    world.clock.now = new Date("2027-02-01T00:00:00Z");
    const remove = () => world.send("ministry", { method: "DELETE", path: `/Consent/${id}` });
    expect((await revoke({})).status).toBe(409);
    expect((await read()).body).toMatchObject({ status: "expired", evidence: terms.evidence });
    expect((await remove()).status).toBe(204);
    const { body } = await read();
    expect([body.status, body.meta.versionId]).toEqual(["expired", "2"]);
    expect(body).not.toHaveProperty("evidence");
    expect(body).not.toHaveProperty("revocation");
    expect(JSON.stringify(await everyDocument(world))).not.toContain(terms.evidence);
    expect((await remove()).status).toBe(204);
    expect((await read()).body).toEqual(body);
  });

  it("that is unknown can't be revoked or deleted", async () => {
    const path = "/Consent/0190a6b0-0000-7000-8000-000000000000";
    expect((await world.send("ministry", { method: "POST", path: `${path}/$revoke` })).status).toBe(404);
    expect((await world.send("ministry", { method: "DELETE", path })).status).toBe(404);
  });

  it("stops to show anything on the very next request", async () => {
    const shown = await consentWorld(open);
    const consent = await shown.grant({ subject: ana, organization: "Helpers" });
    expect((await shown.get("ngo", `/${ana}`)).status).toBe(200);
    await shown.post("ministry", `/Consent/${consent}/$revoke`, {});
    expect((await shown.get("ngo", `/${ana}`)).status).toBe(403);
    expect((await shown.get("ngo", "/Individual")).body.data).toEqual([]);
  });

  it("reads expired after its last day, and can be renewed then", async () => {
    world.clock.now = new Date("2027-02-01T00:00:00Z");
    expect((await read()).body.status).toBe("expired");
    const renewed = await world.view.consents.move(id, "renewed", { expiryDate: "2028-01-31" });
    expect(unwrap(renewed)).toMatchObject({ status: "renewed", expiryDate: "2028-01-31" });
    expect((await revoke({})).body.status).toBe("withdrawn");
  });
});

describe.each(stores)("the terms of a consent on %s", (_name, open) => {
  const bad: readonly (readonly [string, Record<string, unknown>, string])[] = [
    ["without a subject", { subject: undefined }, "/subject"],
    ["about nobody known", { subject: { reference: "Individual/urn:x|9" } }, "/subject"],
    ["about a program", { subject: { reference: "Program/urn:service:program|cash" } }, "/subject"],
    ["for nobody", { grantee: {} }, "/grantee"],
    ["for a kind of organization that is none", { grantee: { organizationType: "club" } }, "/grantee"],
    ["without a scope", { scope: [] }, "/scope"],
    [
      "of a resource that is none",
      { scope: [{ resourceType: "Program", fieldAccess: "all" }] },
      "/scope/0/resourceType",
    ],
    [
      "of an access that is none",
      { scope: [{ resourceType: "all", fieldAccess: "most" }] },
      "/scope/0/fieldAccess",
    ],
    ["for a purpose that is none", { purpose: "fun" }, "/purpose"],
    ["collected by pigeon", { collectionMethod: "pigeon" }, "/collectionMethod"],
    ["on a day that is none", { effectiveDate: "2026-02-30" }, "/effectiveDate"],
    ["that ends before it begins", { effectiveDate: "2026-03-02", expiryDate: "2026-03-01" }, "/expiryDate"],
    ["with an unknown member", { color: "red" }, "/color"],
  ];
  it.each(bad)("%s is refused, with the field", async (_case, more, field) => {
    const world = await consentWorld(open);
    const outcome = await world.view.consents.grant(JSON.parse(JSON.stringify({ ...terms, ...more })));
    if (outcome.ok) throw new Error("was granted");
    expect(outcome.problem.kind).toBe("validation");
    expect(
      outcome.problem.errors?.some((error) => error.field.startsWith(field)),
      JSON.stringify(outcome.problem.errors),
    ).toBe(true);
  });

  const good: readonly Record<string, unknown>[] = [
    ...["government", "ngo", "ingo", "un", "private", "research", "other"].map((organizationType) => ({
      grantee: { organizationType },
    })),
    ...["Individual", "Group", "ProgramMembership", "all"].map((resourceType) => ({
      scope: [{ resourceType, fieldAccess: "basic" }],
    })),
    ...["service_delivery", "eligibility_verification", "analytics", "research", "audit"].map((purpose) => ({
      purpose,
    })),
    ...["written", "verbal", "electronic", "biometric"].map((collectionMethod) => ({ collectionMethod })),
    { subject: { reference: home } },
  ];
  it.each(good)("%j is accepted", async (more) => {
    const world = await consentWorld(open);
    expect(unwrap(await world.view.consents.grant({ ...terms, ...more }))).toMatchObject(more);
  });
});

const statuses = ["requested", "given", "refused", "withdrawn", "expired", "renewed", "invalidated"] as const;
type Status = (typeof statuses)[number];

/** The contract's section 2. */
const moves: Readonly<Record<Status, readonly Status[]>> = {
  requested: ["given", "refused"],
  given: ["withdrawn", "expired", "renewed", "invalidated"],
  renewed: ["withdrawn", "expired", "invalidated"],
  expired: ["renewed"],
  refused: [],
  withdrawn: [],
  invalidated: [],
};

describe.each(stores)("the states of a consent on %s", (_name, open) => {
  const pairs = statuses.flatMap((from) =>
    statuses.filter((to) => to !== from).map((to) => ({ from, to, allowed: moves[from].includes(to) })),
  );
  it.each(pairs)("$from to $to: allowed $allowed", async ({ from, to, allowed }) => {
    const world = await consentWorld(open);
    const id = "0190a6b0-0000-7000-8000-000000000001";
    unwrap(await world.view.consents.grant(terms, { trusted: { id, status: from } }));
    const details = to === "renewed" ? { expiryDate: "2028-01-31" } : {};
    const outcome =
      to === "withdrawn"
        ? await world.view.consents.revoke(id)
        : await world.view.consents.move(id, to, details);
    expect(outcome.ok ? outcome.value.status : outcome.problem.kind).toBe(allowed ? to : "invalid-state");
    expect((await world.get("ministry", `/Consent/${id}`)).body.status).toBe(allowed ? to : from);
  });

  it.each(statuses)("one that is %s shows something only when it is given or renewed", async (status) => {
    const world = await consentWorld(open);
    unwrap(
      await world.view.consents.grant(
        { ...terms, purpose: undefined },
        { trusted: { id: "0190a6b0-0000-7000-8000-000000000001", status } },
      ),
    );
    const answer = await world.get("ngo", `/${ana}`);
    expect(answer.status).toBe(status === "given" || status === "renewed" ? 200 : 403);
  });
});
