import { describe, expect, it } from "vitest";
import { unwrap } from "../problem.ts";
import type { Caller } from "../registry/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createTestRegistry, testId } from "../testing/test-registry.ts";
import { auditDocument, readAuditDocuments } from "./document.ts";
import { forgottenUntil, type Retention } from "./forgetting.ts";

const system = "urn:gov:id";
const ana = `${system}|1`;

/** Versions of 2026-01-01, 2026-04-01 and 2026-06-30, a read an hour after each, and today is 2026-10-08. */
async function world(retention: Retention) {
  const store = createMemoryStore();
  const test = createTestRegistry({ store, retention });
  const { view, registry, advance } = test;
  let reads = 0;
  const read = async (at: string) => {
    const entry = {
      at,
      action: "read",
      clientId: "office",
      records: ["Individual/1"],
      fields: ["name"],
    } as const;
    await store.commit({ put: [...readAuditDocuments([entry], () => testId(9, ++reads))] });
  };
  const identifier = [{ system, value: "1" }];
  unwrap(await view.individuals.create({ type: "Individual", identifier, name: { family: "Reyes" } }));
  await read("2026-01-01T09:00:00.000Z");
  for (const [given, day] of [
    ["Ana", "2026-04-01"],
    ["Anna", "2026-06-30"],
  ] as const) {
    advance({ days: 90 });
    unwrap(await view.individuals.patch(ana, { name: { given } }, { ifMatch: "*" }));
    await read(`${day}T09:00:00.000Z`);
  }
  advance({ days: 100 });
  const forgetAll = async () => {
    let all = 0;
    for (let some = -1; some !== 0; all += some) some = await registry.forgetOldEntries();
    return all;
  };
  const kept = async () => {
    const { data } = unwrap(await registry.audit());
    return data.map(({ action, at }) => `${action} ${at.slice(0, 10)}`);
  };
  return { ...test, store, forgetAll, kept };
}

describe("the audit trail", () => {
  it("is kept for good where nothing is said", async () => {
    const { forgetAll, kept } = await world({});
    expect(await forgetAll()).toBe(0);
    expect(await kept()).toHaveLength(6);
  });

  it("forgets reads and changes each in their time, and notes how far it came", async () => {
    const { forgetAll, kept, store } = await world({ reads: 100, changes: 200 });
    expect(await forgetAll()).toBe(3);
    expect(await kept()).toEqual(["change 2026-04-01", "change 2026-06-30", "read 2026-06-30"]);
    expect(await forgottenUntil({ store })).toEqual({
      reads: "2026-06-30T08:00:00.000Z",
      changes: "2026-03-22T08:00:00.000Z",
    });
    expect(await forgetAll()).toBe(0);
  });

  it("keeps changes for 180 days at least", async () => {
    const { forgetAll, kept } = await world({ changes: 1 });
    expect(await forgetAll()).toBe(2);
    expect(await kept()).toContain("change 2026-06-30");
  });

  it("leaves a record's later versions, and says that there were others", async () => {
    const { view, forgetAll } = await world({ changes: 200 });
    expect(unwrap(await view.individuals.history(ana)).complete).toBeUndefined();
    await forgetAll();
    const history = unwrap(await view.individuals.history(ana));
    expect(history.complete).toBe(false);
    expect(history.data.map(({ versionId }) => versionId)).toEqual(["3", "2"]);
    expect(history.data[1]?.changes).toEqual([{ field: "/name/given", after: "Ana" }]);
  });

  it("says nothing of earlier versions to who may not see any", async () => {
    const { as, forgetAll } = await world({ changes: 200 });
    await forgetAll();
    const limited = as({ fields: ["name"], legalBasis: "public_task" });
    expect(unwrap(await limited.individuals.history(ana))).toEqual({ data: [], hasMore: false });
  });

  it("goes on telling that the evidence of a consent was erased", async () => {
    const { view, advance, forgetAll, registry } = await world({ reads: 1, changes: 180 });
    const terms = {
      subject: { reference: `Individual/${ana}` },
      grantee: { organization: "NGO" },
      scope: [{ resourceType: "all", fieldAccess: "all" }],
      evidence: "a paper",
    };
    const { id } = unwrap(await view.consents.grant(terms));
    await view.consents.remove(id);
    advance({ days: 400 });
    await forgetAll();
    expect(unwrap(await registry.audit({ record: `Consent/${id}` })).data).toMatchObject([
      { action: "revoke" },
    ]);
  });

  it("forgets reads of one moment when all of them are old enough", async () => {
    const { store, forgetAll, advance } = await world({ reads: 100 });
    const entries = ["2026-06-30T07:59:59.900Z", "2026-06-30T08:00:00.100Z"].map(
      (at) => ({ at, action: "read", clientId: "x", records: ["Individual/9"], fields: ["name"] }) as const,
    );
    await store.commit({ put: [...readAuditDocuments(entries, () => testId(8, 1))] });
    expect(await forgetAll()).toBe(2);
    advance({ days: 1 });
    expect(await forgetAll()).toBe(2);
  });

  it("is shortened a commit at a time, by whoever comes first", async () => {
    const { store, registry, forgetAll } = await world({ reads: 1 });
    const documents = Array.from({ length: 450 }, (_, i) => {
      const at = new Date(Date.UTC(2026, 1, 1) + i).toISOString();
      const entry = {
        at,
        action: "read",
        clientId: "x",
        records: ["Individual/9"],
        fields: ["name"],
      } as const;
      return auditDocument(entry, testId(7, i));
    });
    await store.commit({ put: documents });
    const together = await Promise.all([registry.forgetOldEntries(), registry.forgetOldEntries()]);
    expect([...together].sort()).toEqual([0, 200]);
    expect(await registry.forgetOldEntries()).toBe(200);
    expect(await forgetAll()).toBe(53);
  });

  it("is forgotten in its time also after a clock that was once ahead", async () => {
    const { view, advance, forgetAll, kept } = await world({ reads: 10, changes: 200 });
    advance({ days: 1000 });
    await forgetAll();
    advance({ days: -1000 });
    await forgetAll();
    expect(await kept()).toEqual([]);
    advance({ days: 1 });
    unwrap(await view.individuals.patch(ana, { birthDate: "1990-01-01" }, { ifMatch: "*" }));
    expect(await kept()).toEqual(["change 2026-10-09"]);
    advance({ days: 199 });
    expect(await forgetAll()).toBe(0);
    advance({ days: 2 });
    expect(await forgetAll()).toBe(1);
  });
});

describe("a reader of a feed who was away for longer than changes are kept", () => {
  it("begins anew, for nobody knows any more what it lost sight of", async () => {
    const { as, view, advance, forgetAll } = await world({ changes: 180 });
    const bound: Partial<Caller> = { legalBasis: "consent", organization: "NGO" };
    const page = async (cursor?: string) =>
      as(bound).changes({ feed: "all", ...(cursor !== undefined && { cursor }) });
    const early = unwrap(await page()).nextCursor;
    unwrap(await view.individuals.patch(ana, { birthDate: "1990-01-01" }, { ifMatch: "*" }));
    advance({ days: 170 });
    await forgetAll();
    const late = unwrap(await page(early)).nextCursor;
    advance({ days: 20 });
    await forgetAll();
    expect(await page(early)).toMatchObject({ ok: false, problem: { errors: [{ field: "cursor" }] } });
    expect(await page(late)).toMatchObject({ ok: true });
    expect(await page()).toMatchObject({ ok: true });
  });

  it("begins anew, too, after a clock that was once behind", async () => {
    const { as, view, advance, forgetAll } = await world({ changes: 180 });
    const bound: Partial<Caller> = { legalBasis: "consent", organization: "NGO" };
    const { nextCursor } = unwrap(await as(bound).changes({ feed: "all" }));
    for (const given of ["Anne", "Anneke"]) {
      advance({ days: 190 });
      unwrap(await view.individuals.patch(ana, { name: { given } }, { ifMatch: "*" }));
    }
    await forgetAll();
    advance({ days: -2000 });
    await forgetAll();
    advance({ days: 2000 });
    await forgetAll();
    const late = await as(bound).changes({ feed: "all", cursor: nextCursor });
    expect(late).toMatchObject({ ok: false, problem: { errors: [{ code: "invalid_cursor" }] } });
  });

  it("gets on after a clock that was once ahead", async () => {
    const { as, advance, forgetAll } = await world({ changes: 180 });
    const bound: Partial<Caller> = { legalBasis: "consent", organization: "NGO" };
    advance({ days: 1000 });
    await forgetAll();
    advance({ days: -1000 });
    await forgetAll();
    const { nextCursor } = unwrap(await as(bound).changes({ feed: "all" }));
    advance({ days: 1 });
    expect(await as(bound).changes({ feed: "all", cursor: nextCursor })).toMatchObject({ ok: true });
  });
});
