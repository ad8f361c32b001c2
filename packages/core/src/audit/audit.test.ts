import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { unwrap } from "../problem.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createTestRegistry, testId } from "../testing/test-registry.ts";
import { readAuditDocuments } from "./document.ts";
import type { AuditEntry } from "./types.ts";
import { fieldsChanged, undone, undoOf } from "./undo.ts";

const system = "urn:gov:id";
const address = `${system}|1`;
const person = (more: object = {}) => ({
  type: "Individual",
  identifier: [{ system, value: "1" }],
  name: { family: "Reyes", given: "Ana" },
  ...more,
});

const createTestIds = () => {
  let ids = 0;
  return () => testId(0, ++ids);
};

const json = fc.dictionary(
  fc.constantFrom("a", "b", "c"),
  fc.oneof(
    fc.integer(),
    fc.constant(null),
    fc.array(fc.integer()),
    fc.dictionary(fc.constantFrom("x", "y"), fc.oneof(fc.integer(), fc.constant(null))),
  ),
) as fc.Arbitrary<JsonObject>;

describe("undo", () => {
  it("leads back to any record from any other, members that were null included", () => {
    fc.assert(
      fc.property(json, json, (before, after) => {
        expect(undone(after, undoOf(before, after))).toEqual(before);
      }),
    );
  });

  it("of a create leads to nothing", () => {
    expect(undone({ a: 1 }, undoOf(null, { a: 1 }))).toBeNull();
  });

  it("names the members that changed, extensions one by one", () => {
    const before = { a: 1, b: { c: 1 }, extension: { x: { f: 1 }, y: {} }, meta: { versionId: "1" } };
    const after = { a: 1, b: { c: 2 }, d: 1, extension: { x: { f: 2 }, y: {} }, meta: { versionId: "2" } };
    expect(fieldsChanged(before, after)).toEqual(["b", "extension.x", "d"]);
  });
});

describe("the audit trail", () => {
  it("tells who changed which fields of which record, when and why, in the commit of the change", async () => {
    const { as, registry, store, advance } = createTestRegistry();
    const view = as({
      clientId: "desk",
      organization: "Ministry",
      legalBasis: "public_task",
      requestId: "r-1",
    });
    await view.individuals.create(person());
    advance({ days: 1 });
    await view.individuals.patch(
      address,
      { name: { family: "Cruz" }, birthDate: "1990-01-01" },
      { ifMatch: "*" },
    );
    const [holder] = await store.resolve([`Individual/${address}`]);
    const record = `Individual/${holder?.key}`;
    const trail = unwrap(await registry.audit({ record }));
    const who = { clientId: "desk", organization: "Ministry", legalBasis: "public_task", requestId: "r-1" };
    expect(trail.data).toEqual([
      {
        ...who,
        at: "2026-01-01T08:00:00.000Z",
        action: "create",
        records: [record],
        fields: ["type", "identifier", "active", "name"],
        versionId: "1",
        undo: null,
      },
      {
        ...who,
        at: "2026-01-02T08:00:00.000Z",
        action: "change",
        records: [record],
        fields: ["name", "birthDate"],
        versionId: "2",
        undo: { patch: { name: { family: "Reyes" }, birthDate: null } },
      },
    ]);
  });

  it("has nothing of a write that changed nothing or failed", async () => {
    const { view, registry } = createTestRegistry();
    await view.individuals.create(person());
    await view.individuals.replace(address, person(), { ifMatch: "*" });
    await view.individuals.patch(address, { name: null }, { ifMatch: "*" });
    await view.individuals.create(person());
    expect(unwrap(await registry.audit()).data).toHaveLength(1);
  });

  it("is told of a read when a write changed nothing, or was answered as before, and shows the record", async () => {
    const heard: AuditEntry[] = [];
    const registry = createRegistry({
      store: createMemoryStore(),
      clock: () => new Date("2026-01-01T08:00:00Z"),
      newId: createTestIds(),
      onRead: (entry) => heard.push(entry),
    });
    const { individuals, transaction, batch } = registry.as({ ...operator, requestId: "r-1" });
    const idempotency = { key: "k", fingerprint: "f" };
    unwrap(await individuals.create(person(), { idempotency }));
    unwrap(await individuals.patch(address, { gender: null, birthDate: "1990-01-01" }, { ifMatch: "*" }));
    expect(heard).toEqual([]);
    const told = () => heard.splice(0).map(({ action, requestId, fields }) => [action, requestId, fields]);
    const shown = ["type", "identifier", "active", "name", "birthDate", "meta"];
    const read = ["read", "r-1", expect.arrayContaining(shown)];
    unwrap(await individuals.patch(address, {}, { ifMatch: "*" }));
    expect(told()).toEqual([read]);
    const whole = { ...person(), birthDate: "1990-01-01" };
    unwrap(await individuals.replace(address, whole, { ifMatch: "*" }));
    expect(told()).toEqual([read]);
    unwrap(await individuals.create(person(), { idempotency }));
    expect(told()).toEqual([["read", "r-1", expect.arrayContaining(["name"])]]);
    unwrap(await transaction([{ verb: "patch", type: "Individual", address, body: {}, ifMatch: "*" }]));
    expect(told()).toEqual([read]);
    const request = { method: "PATCH", url: `Individual/${address}`, ifMatch: "*" };
    for (const type of ["batch", "transaction"]) {
      const entry = [{ request, resource: {} }];
      expect(unwrap(await batch({ resourceType: "Bundle", type, entry })).responses[0]?.status).toBe(200);
      expect(told()).toEqual([read]);
    }
  });

  it("is asked for by client and time, a page at a time", async () => {
    const { as, registry, advance } = createTestRegistry();
    for (let i = 0; i < 5; i++) {
      const view = as({ clientId: i % 2 ? "odd" : "even" });
      await view.individuals.create({ ...person(), identifier: [{ system, value: String(i) }] });
      advance({ days: 1 });
    }
    const span = { from: "2026-01-02", below: "2026-01-05" };
    const days = (data: readonly AuditEntry[]) => data.map(({ at }) => at.slice(8, 10));
    expect(days(unwrap(await registry.audit(span)).data)).toEqual(["02", "03", "04"]);
    expect(days(unwrap(await registry.audit({ ...span, clientId: "odd" })).data)).toEqual(["02", "04"]);
    const first = unwrap(await registry.audit({ ...span, limit: 2 }));
    const next = unwrap(await registry.audit({ ...span, limit: 2, cursor: first.nextCursor ?? "" }));
    expect([days(first.data), days(next.data), next.nextCursor]).toEqual([["02", "03"], ["04"], undefined]);
    expect(await registry.audit({ limit: 2, cursor: first.nextCursor ?? "" })).toMatchObject({
      problem: { kind: "bad-request" },
    });
  });

  it("takes many reads in one document, and finds each by its record", async () => {
    const { registry, store } = createTestRegistry();
    const entry = (record: string, at: string): AuditEntry => ({
      at,
      action: "read",
      clientId: "c",
      records: [record],
      fields: ["name"],
    });
    const entries = [entry("Individual/a", "2026-01-01"), entry("Individual/b", "2026-01-02")];
    await store.commit({ put: readAuditDocuments(entries, () => "one") });
    expect(unwrap(await registry.audit()).data).toEqual(entries);
    expect(unwrap(await registry.audit({ record: "Individual/b" })).data).toEqual([entries[1]]);
    expect(unwrap(await registry.audit({ below: "2026-01-02" })).data).toEqual([entries[0]]);
  });

  it("finds a record among many reads, whatever share of the records it is in", async () => {
    const { registry, store } = createTestRegistry();
    const entries = Array.from({ length: 300 }, (_, n) => ({
      at: `2026-01-01T08:00:00.${String(n).padStart(3, "0")}Z`,
      action: "read" as const,
      clientId: "writer",
      records: n % 100 === 99 ? [`Individual/${n}`, "Individual/5"] : [`Individual/${n}`],
      fields: "all" as const,
    }));
    let ids = 0;
    await store.commit({ put: readAuditDocuments(entries, () => `${++ids}`) });
    const of = async (record: string) => unwrap(await registry.audit({ record })).data.map(({ at }) => at);
    for (const { at, records } of [...entries].slice(6, 90)) expect(await of(`${records[0]}`)).toEqual([at]);
    expect(await of("Individual/5")).toEqual([5, 99, 199, 299].map((n) => entries[n]?.at));
    expect(await of("Individual/none")).toEqual([]);
    expect(unwrap(await registry.audit()).data).toEqual(entries);
  });
});

describe("a read", () => {
  it("tells of itself once per answer, by names of fields and never by their values", async () => {
    const entries: AuditEntry[] = [];
    const store = createMemoryStore();
    let ids = 0;
    const registry = createRegistry({
      store,
      clock: () => new Date("2026-01-01T00:00:00Z"),
      newId: () => `id-${++ids}`,
      onRead: (entry) => entries.push(entry),
    });
    const view = registry.as({ ...operator, requestId: "r" });
    for (const value of ["1", "2"]) {
      await view.individuals.create({ ...person(), identifier: [{ system, value }] });
    }
    await view.programs.create({
      type: "Program",
      identifier: [{ system, value: "p" }],
      name: "P",
      targetType: "group",
    });
    await view.individuals.read(address, { elements: "name.family" });
    await view.individuals.search({ name: "Reyes" });
    await view.changes({ feed: "all" });
    await view.programs.search();
    await view.individuals.read(`${system}|9`);
    expect(entries.map(({ action, records, fields }) => [action, records.length, fields])).toEqual([
      ["read", 1, ["type", "identifier", "name"]],
      ["search", 2, expect.arrayContaining(["name", "meta"])],
      ["feed", 2, expect.arrayContaining(["name", "meta"])],
    ]);
    expect(entries[0]).toMatchObject({ clientId: "operator", legalBasis: "public_task", requestId: "r" });
    expect(JSON.stringify(entries)).not.toMatch(/Reyes|Ana|urn:gov:id/);
  });
});

describe("a record's history", () => {
  it("tells every version, newest first, with what changed from what to what", async () => {
    const { as, view, advance } = createTestRegistry();
    await as({ clientId: "field" }).individuals.create(person());
    advance({ days: 1 });
    await view.individuals.patch(
      address,
      { name: { family: "Cruz" }, birthDate: "1990-01-01" },
      { ifMatch: "*" },
    );
    await view.individuals.patch(address, { birthDate: null }, { ifMatch: "*" });
    const { data } = unwrap(await view.individuals.history(address));
    expect(data.map(({ versionId, action }) => [versionId, action])).toEqual([
      ["3", "change"],
      ["2", "change"],
      ["1", "create"],
    ]);
    expect(data[0]?.changes).toEqual([{ field: "/birthDate", before: "1990-01-01" }]);
    expect(data[1]).toMatchObject({
      at: "2026-01-02T08:00:00.000Z",
      source: "urn:service:api-client:operator",
    });
    expect(data[1]?.changes).toEqual([
      { field: "/name/family", before: "Reyes", after: "Cruz" },
      { field: "/birthDate", after: "1990-01-01" },
    ]);
    expect(data[2]?.changes).toContainEqual({ field: "/name", after: { family: "Reyes", given: "Ana" } });
  });

  it("tells a caller bound by consents what changed in the fields it sees", async () => {
    const { as, view } = createTestRegistry();
    await view.individuals.create(person({ birthDate: "1980-01-01" }));
    await view.individuals.patch(address, { birthDate: "1990-01-01" }, { ifMatch: "*" });
    await view.individuals.patch(address, { name: { family: "Cruz" } }, { ifMatch: "*" });
    await view.consents.grant({
      subject: { reference: `Individual/${address}` },
      grantee: { organization: "Relief" },
      scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name", "meta"] }],
    });
    const relief = as({ organization: "Relief", legalBasis: "consent" });
    const { data } = unwrap(await relief.individuals.history(address));
    expect(data.map(({ versionId }) => versionId)).toEqual(["3", "2", "1"]);
    expect(data[1]?.changes).toEqual([]);
    expect(JSON.stringify(data)).not.toContain("birthDate");
  });

  it.each([
    ["a consent without meta", "hide", "Relief", "1"],
    ["identifiers and no consent", "identifiers", "Others", "0"],
  ] as const)(
    "is empty for a caller that sees no meta: %s",
    async (_, withoutConsent, organization, version) => {
      const { as, view } = createTestRegistry({ policies: { withoutConsent } });
      await view.individuals.create(person());
      await view.consents.grant({
        subject: { reference: `Individual/${address}` },
        grantee: { organization: "Relief" },
        scope: [{ resourceType: "Individual", fieldAccess: "custom", fields: ["name"] }],
      });
      const bound = as({ organization, legalBasis: "consent" });
      expect(unwrap(await bound.individuals.history(address)).data).toEqual([]);
      const [item] = unwrap(await bound.changes({ feed: "all" })).data;
      expect(item).toMatchObject({ change: "upsert", versionId: version });
    },
  );

  it("tells exempt callers of versions that a member of a group made by losing an identifier", async () => {
    const { view } = createTestRegistry();
    await view.individuals.create(person());
    await view.groups.create({
      type: "Group",
      identifier: [{ system: "urn:g", value: "h" }],
      groupType: "household",
      name: "H",
      member: [{ entity: { reference: `Individual/${address}` } }],
    });
    await view.individuals.patch(address, { identifier: [{ system, value: "9" }] }, { ifMatch: "*" });
    const { data } = unwrap(await view.groups.history("urn:g|h"));
    expect(data[0]).toMatchObject({ versionId: "2", changes: [{ field: "/member" }] });
  });

  it("has nothing of the consents that its subject gives, which the trail finds by it", async () => {
    const { view, registry, store, advance } = createTestRegistry();
    await view.individuals.create(person());
    const terms = {
      subject: { reference: `Individual/${address}` },
      grantee: { organization: "Relief" },
      scope: [{ resourceType: "Individual", fieldAccess: "basic" }],
    };
    advance({ days: 1 });
    const { id } = unwrap(await view.consents.grant(terms));
    advance({ days: 1 });
    await view.individuals.patch(address, { birthDate: "1990-01-01" }, { ifMatch: "*" });
    await view.consents.revoke(id);
    const versions = unwrap(await view.individuals.history(address)).data;
    expect(versions.map(({ versionId, action }) => [versionId, action])).toEqual([
      ["2", "change"],
      ["1", "create"],
    ]);
    const [holder] = await store.resolve([`Individual/${address}`]);
    const trail = unwrap(await registry.audit({ record: `Individual/${holder?.key}` })).data;
    expect(trail.map(({ action }) => action)).toEqual(["create", "grant", "change", "revoke"]);
  });
});
