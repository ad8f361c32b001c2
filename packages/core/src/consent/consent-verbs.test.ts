import { describe, expect, it } from "vitest";
import { success, unwrap } from "../problem.ts";
import { canonicalReference } from "../resource/reference.ts";
import { createTestRegistry } from "../testing/test-registry.ts";
import { decideMove } from "./decide.ts";
import { consentTransitions, statusOn } from "./transitions.ts";
import { consentStatuses } from "./types.ts";

const subject = { reference: "Individual/urn:gov:id|1" };
const terms = (more: object = {}) => ({
  subject,
  grantee: { organization: "Relief" },
  scope: [{ resourceType: "Individual", fieldAccess: "basic" }],
  evidence: "signed on paper",
  ...more,
});
const everything = [{ resourceType: "all", fieldAccess: "all" }];
const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system: "urn:gov:id", value }],
  name: { family: "Reyes" },
});

async function open() {
  const test = createTestRegistry();
  unwrap(await test.view.individuals.create(person("1")));
  const relief = test.as({ organization: "Relief", legalBasis: "consent" });
  const other = test.as({ organization: "Other", legalBasis: "consent" });
  return { ...test, relief, other };
}

describe("the states of a consent", () => {
  const allowed = new Set([
    "requested given",
    "requested refused",
    "given withdrawn",
    "given expired",
    "given renewed",
    "given invalidated",
    "renewed withdrawn",
    "renewed expired",
    "renewed invalidated",
    "expired renewed",
  ]);
  const pairs = consentStatuses.flatMap((from) => consentStatuses.map((to) => [from, to] as const));
  const meta = { versionId: "1", lastUpdated: "", source: "" };

  it.each(pairs)("from %s to %s", (from, to) => {
    const consent = {
      ...terms(),
      subject: { reference: canonicalReference("Individual", { system: "urn:x", value: "p" }) },
      id: "x",
      type: "Consent" as const,
      status: from,
      effectiveDate: "2026-01-01",
      scope: [],
      meta,
    };
    const stored = { version: 1, consent, subjectKey: "p", periods: [] };
    const at = "2026-02-01T08:00:00.000Z";
    const decided = decideMove(stored, { to, by: "urn:x", today: "2026-02-01", at, meta });
    expect(decided.ok).toBe(allowed.has(`${from} ${to}`));
    if (!decided.ok) expect(decided.problem.kind).toBe("invalid-state");
    expect(consentTransitions[from].includes(to)).toBe(decided.ok);
  });

  it.each([
    ["given", "2026-02-01", "given"],
    ["given", "2026-01-31", "expired"],
    ["renewed", "2026-01-31", "expired"],
    ["withdrawn", "2026-01-31", "withdrawn"],
  ] as const)("%s with the last day %s is %s", (status, expiryDate, expected) => {
    expect(statusOn({ status, expiryDate }, "2026-02-01")).toBe(expected);
  });
});

describe("consents", () => {
  it("are granted, read by those they name, and by nobody else who is bound by them", async () => {
    const { view, relief, other } = await open();
    const granted = unwrap(await view.consents.grant(terms()));
    expect(granted).toMatchObject({ type: "Consent", status: "given", subject, effectiveDate: "2026-01-01" });
    expect(granted.meta).toMatchObject({ versionId: "1", source: "urn:service:api-client:operator" });
    const { evidence, ...shown } = granted;
    expect(evidence).toBeDefined();
    expect(unwrap(await relief.consents.read(granted.id))).toEqual(shown);
    const hidden = await other.consents.read(granted.id);
    const unknown = await other.consents.read("00000000-0000-4000-8000-000000000000");
    expect(hidden).toMatchObject({ problem: { kind: "not-found" } });
    expect(JSON.stringify(hidden).replace(granted.id, "x")).toBe(
      JSON.stringify(unknown).replace("00000000-0000-4000-8000-000000000000", "x"),
    );
    expect(unwrap(await view.consents.ofSubject(subject.reference))).toEqual([granted]);
    expect(unwrap(await other.consents.ofSubject(subject.reference))).toEqual([]);
  });

  it("tell every fault of their terms at once", async () => {
    const { view } = await open();
    const bad = {
      ...terms({ grantee: { organization: "a", organizationType: "ngo" }, expiryDate: "2026-02-30" }),
      scope: [{ resourceType: "Program", fieldAccess: "custom" }],
      shoe: 1,
    };
    const refused = await view.consents.grant(bad);
    const fields = refused.ok ? [] : (refused.problem.errors ?? []).map(({ field }) => field).sort();
    expect(fields).toEqual(["/expiryDate", "/grantee", "/scope/0/fields", "/scope/0/resourceType", "/shoe"]);
  });

  it.each([
    ["an unknown subject", { subject: { reference: "Individual/urn:gov:id|9" } }, "/subject/reference"],
    ["a last day before the first", { expiryDate: "2025-12-31" }, "/expiryDate"],
    ["an id of its own", { id: "00000000-0000-4000-8000-000000000000" }, "/id"],
  ])("are refused with %s", async (_, more, field) => {
    const { view } = await open();
    expect(await view.consents.grant(terms(more))).toMatchObject({
      problem: { kind: "validation", errors: [{ field }] },
    });
  });

  it("are withdrawn once, and erased of their evidence as often as asked", async () => {
    const { view, registry, store } = await open();
    const idempotency = { key: "k", fingerprint: "a" };
    const { id } = unwrap(await view.consents.grant(terms(), { idempotency }));
    const withdrawn = unwrap(await view.consents.revoke(id, { reason: "changed my mind" }));
    expect(withdrawn).toMatchObject({
      status: "withdrawn",
      evidence: "signed on paper",
      revocation: { date: "2026-01-01", by: "urn:service:api-client:operator", reason: "changed my mind" },
      meta: { versionId: "2" },
    });
    const detail = "The consent is withdrawn already. That is final: grant another consent instead.";
    expect(await view.consents.revoke(id)).toMatchObject({ problem: { kind: "invalid-state", detail } });
    expect(await view.consents.remove(id)).toEqual(success(undefined));
    expect(await view.consents.remove(id)).toEqual(success(undefined));
    const left = unwrap(await view.consents.read(id));
    expect([left.status, left.evidence, left.meta.versionId]).toEqual(["withdrawn", undefined, "3"]);
    const trail = unwrap(await registry.audit({ record: `Consent/${id}` }));
    expect(trail.data.map(({ action }) => action)).toEqual(["grant", "revoke", "revoke"]);
    expect(JSON.stringify(trail)).not.toContain("signed on paper");
    const answers = await store.query({ collection: "idempotency", limit: 10 });
    expect(answers.documents).toHaveLength(1);
    expect(JSON.stringify(answers)).not.toContain("signed on paper");
  });

  it("expire by themselves at the moment of the read, and are renewed", async () => {
    const { view, advance } = await open();
    const { id } = unwrap(await view.consents.grant(terms({ expiryDate: "2026-01-10" })));
    advance({ days: 9 });
    expect(unwrap(await view.consents.read(id)).status).toBe("given");
    advance({ days: 1 });
    expect(unwrap(await view.consents.read(id)).status).toBe("expired");
    const detail = "The consent is expired and can't become withdrawn; it may become renewed.";
    expect(await view.consents.revoke(id)).toMatchObject({ problem: { kind: "invalid-state", detail } });
    expect(await view.consents.move(id, "renewed")).toMatchObject({ problem: { kind: "validation" } });
    const renewed = unwrap(await view.consents.move(id, "renewed", { expiryDate: "2026-12-31" }));
    expect(renewed).toMatchObject({ status: "renewed", expiryDate: "2026-12-31" });
  });

  it("keep from a trusted copy what they were, and change nothing when it comes again", async () => {
    const { view, store } = await open();
    const trusted = {
      id: "11111111-2222-4333-8444-555555555555",
      status: "withdrawn",
      revocation: { date: "2025-05-05", by: "someone" },
      meta: { versionId: "7", lastUpdated: "2025-05-05T00:00:00.000Z", source: "urn:x" },
    };
    const first = unwrap(await view.consents.grant(terms(), { trusted }));
    expect(first).toMatchObject(trusted);
    const before = await store.query({ collection: "audit", limit: 100 });
    expect(unwrap(await view.consents.grant(terms({ purpose: "audit" }), { trusted }))).toEqual(first);
    expect(await store.query({ collection: "audit", limit: 100 })).toEqual(before);
  });

  it("answer a repeated request with its first answer", async () => {
    const { view } = await open();
    const idempotency = { key: "k", fingerprint: "a" };
    const first = unwrap(await view.consents.grant(terms(), { idempotency }));
    expect(unwrap(await view.consents.grant(terms(), { idempotency }))).toEqual(first);
    expect(unwrap(await view.consents.ofSubject(subject.reference))).toHaveLength(1);
    const other = { key: "k", fingerprint: "b" };
    expect(await view.consents.grant(terms(), { idempotency: other })).toMatchObject({
      problem: { kind: "idempotency-mismatch" },
    });
  });

  it("are not given or renewed by who depends on them, and withdrawn by it", async () => {
    const { view, relief } = await open();
    const refused = { ok: false, problem: { kind: "authorization" } };
    expect(await relief.consents.grant(terms())).toMatchObject(refused);
    const requested = "11111111-2222-4333-8444-555555555555";
    unwrap(await view.consents.grant(terms(), { trusted: { id: requested, status: "requested" } }));
    expect(await relief.consents.move(requested, "given")).toMatchObject(refused);
    expect(await view.consents.move(requested, "given")).toMatchObject({ value: { status: "given" } });
    expect(await relief.consents.move(requested, "renewed")).toMatchObject(refused);
    expect(await relief.consents.grant(terms({ scope: everything }))).toMatchObject(refused);
    expect(await relief.consents.revoke(requested)).toMatchObject({ value: { status: "withdrawn" } });
    expect(await relief.consents.remove(requested)).toMatchObject(refused);
    expect(await view.consents.remove(requested)).toEqual(success(undefined));
  });
});
