import { describe, expect, it } from "vitest";
import type { AuditEntry } from "../audit/types.ts";
import { unwrap } from "../problem.ts";
import { createRegistry } from "../registry/create-registry.ts";
import type { Policies } from "../registry/policies.ts";
import { operator } from "../registry/scopes.ts";
import type { Caller } from "../registry/types.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Entitlement, EntitlementState } from "./types.ts";

const nobody = "01930000-0000-7000-8000-999999999999";

async function open(policies: Policies = {}) {
  let ids = 0;
  const reads: AuditEntry[] = [];
  const registry = createRegistry({
    store: createMemoryStore(),
    newId: () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`,
    clock: () => new Date("2026-11-21T08:00:00.000Z"),
    policies,
    onRead: (entry) => reads.push(entry),
  });
  const view = registry.as(operator);
  const program = {
    type: "Program",
    identifier: [{ system: "urn:service:program", value: "cash" }],
    name: "Cash",
    targetType: "individual",
  };
  unwrap(await view.programs.create(program));
  const [{ ext_id: programId } = { ext_id: "" }] = unwrap(await view.programDesk.list()).data;
  const ana = unwrap(await view.registrants.create({ name: "Ana Reyes" })).record.ext_id;
  const cycle = unwrap(
    await view.cycles.create({
      program: "Program/urn:service:program|cash",
      name: "First",
      sequence: 1,
      start_date: "2026-11-01",
      end_date: "2026-11-30",
    }),
  );
  const entitle = async (state: EntitlementState, more: object = {}): Promise<Entitlement> =>
    unwrap(
      await view.entitlements.create({
        cycle: cycle.ext_id,
        registrant_ext_id: ana,
        amount: { value: "100.00", currency: "PHP" },
        ern: `ern ${++ids}`,
        state,
        ...more,
      }),
    );
  return { registry, view, programId, ana, cycle, entitle, reads };
}

describe("a registrant", () => {
  it("is an Individual whose identifier holds its ext_id", async () => {
    const { view } = await open();
    const body = { name: "Ben Cruz", birthdate: "1980-02-29", gender: "male" };
    const { record, versionId } = unwrap(await view.registrants.create(body));
    expect(record).toEqual({ ext_id: record.ext_id, model: "service.registrant", ...body });
    expect(versionId).toBe("1");
    const individual = unwrap(await view.individuals.read(`urn:service:registrant|${record.ext_id}`));
    expect(individual).toMatchObject({
      name: { text: "Ben Cruz" },
      birthDate: "1980-02-29",
      gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "1" }] },
    });
    expect(unwrap(await view.registrants.read(record.ext_id)).record).toEqual(record);
  });

  it.each([
    ["nothing", {}, ["/name"]],
    ["a name of blanks", { name: " " }, ["/name"]],
    ["an unknown member", { name: "A", ext_id: nobody }, ["/ext_id"]],
    ["a word that is no gender", { name: "A", gender: "m" }, ["/gender"]],
    ["a day that is none", { name: "A", birthdate: "2025-02-29" }, ["/birthdate"]],
    ["a day to come", { name: "A", birthdate: "2026-11-22" }, ["/birthdate"]],
    ["a day before 1850", { name: "A", birthdate: "1849-12-31" }, ["/birthdate"]],
    [
      "several faults",
      { name: 7, birthdate: "1", gender: "x", age: 3 },
      ["/name", "/gender", "/age", "/birthdate"],
    ],
  ])("is refused with %s, every fault told", async (_name, body, fields) => {
    const { view } = await open();
    const refused = await view.registrants.create(body);
    expect(refused).toMatchObject({ ok: false, problem: { kind: "validation" } });
    const errors = refused.ok ? [] : (refused.problem.errors ?? []);
    expect(errors.map(({ field }) => field).toSorted()).toEqual([...fields].toSorted());
  });

  it("keeps the parts of a name that a replacement does not change", async () => {
    const { view } = await open();
    const person = {
      type: "Individual",
      identifier: [{ system: "urn:gov:id", value: "7" }],
      name: { family: "Cruz", given: "Ben" },
    };
    unwrap(await view.individuals.create(person));
    const listed = unwrap(await view.registrants.list()).data;
    const { ext_id } = listed.find(({ name }) => name === "Ben Cruz") ?? { ext_id: "" };
    const same = unwrap(await view.registrants.replace(ext_id, { name: "Ben Cruz", birthdate: null }));
    expect(same.versionId).toBe("1");
    const other = unwrap(await view.registrants.replace(ext_id, { name: "Benigno Cruz", gender: "unknown" }));
    expect(other).toMatchObject({ versionId: "2", record: { name: "Benigno Cruz", gender: "unknown" } });
    const individual = unwrap(await view.individuals.read("urn:gov:id|7"));
    expect(individual.name).toEqual({ text: "Benigno Cruz" });
  });

  it("is replaced by a caller that may write and not read", async () => {
    const { registry, ana, reads } = await open();
    const caller = { clientId: "c", scopes: ["registry:write"], legalBasis: "public_task" };
    reads.length = 0;
    const { registrants } = registry.as(caller);
    expect(unwrap(await registrants.replace(ana, { name: "Ana Lim" })).record.name).toBe("Ana Lim");
    expect(reads).toEqual([]);
    expect(await registrants.read(ana)).toMatchObject({ problem: { missingScope: "registry:read" } });
  });

  it("is replaced by many at once, each whole, the last one staying", async () => {
    const { view, ana } = await open();
    const bodies = Array.from({ length: 10 }, (_, i) => ({ name: `Ana ${i}`, birthdate: `199${i}-01-01` }));
    const answers = await Promise.all(bodies.map((body) => view.registrants.replace(ana, body)));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    const { name, birthdate } = unwrap(await view.registrants.read(ana)).record;
    expect(bodies).toContainEqual({ name, birthdate });
  });

  it("answers a repeated create with the registrant of the first", async () => {
    const { view } = await open();
    const idempotency = { key: "k", fingerprint: "f" };
    const first = unwrap(await view.registrants.create({ name: "A" }, { idempotency }));
    const second = unwrap(await view.registrants.create({ name: "A" }, { idempotency }));
    expect(second).toEqual({ ...first, replayed: true });
  });

  it.each(["nonsense", nobody, "", "../x"])("%j leads nowhere", async (extId) => {
    const { view } = await open();
    const answer = await view.registrants.read(extId);
    const detail = `There is no registrant with the ext_id ${extId}.`;
    expect(answer).toEqual({ ok: false, problem: { kind: "not-found", detail } });
  });
});

describe("a cycle", () => {
  it("created again changes nothing, whatever became of it", async () => {
    const { view, cycle, programId } = await open();
    unwrap(await view.cycles.move(cycle.ext_id, "to_approve"));
    const { ext_id, name, sequence, start_date, end_date } = cycle;
    const again = await view.cycles.create({
      type: "Cycle",
      ext_id,
      program_ext_id: programId,
      name,
      sequence,
      start_date,
      end_date,
    });
    expect(unwrap(again).state).toBe("to_approve");
    expect(unwrap(await view.cycles.list(programId)).data).toHaveLength(1);
  });

  it("is listed by its sequence, page by page", async () => {
    const { view, programId } = await open();
    for (const sequence of [10, 9, 2]) {
      const days = { start_date: "2026-12-01", end_date: "2026-12-31" };
      unwrap(await view.cycles.create({ program_ext_id: programId, name: `${sequence}`, sequence, ...days }));
    }
    const first = unwrap(await view.cycles.list(programId, { limit: "3" }));
    expect(first.data.map(({ sequence }) => sequence)).toEqual([1, 2, 9]);
    const cursor = first.nextCursor ?? "";
    const second = unwrap(await view.cycles.list(programId, { limit: "3", cursor }));
    expect(second).toMatchObject({ data: [{ sequence: 10 }], hasMore: false });
    expect(await view.entitlements.list({ cursor })).toMatchObject({
      ok: false,
      problem: { kind: "bad-request" },
    });
  });

  it("tells every fault", async () => {
    const { view } = await open();
    const refused = await view.cycles.create({
      name: "",
      sequence: 1.5,
      start_date: "2026-12-02",
      end_date: "2026-12-01",
    });
    const errors = refused.ok ? [] : (refused.problem.errors ?? []);
    expect(errors.map(({ field }) => field)).toEqual(["/name", "/sequence", "/program", "/end_date"]);
  });
});

describe("an entitlement", () => {
  it("created again changes nothing: by its ext_id, its ern, or what it says", async () => {
    const { view, cycle, ana } = await open();
    const line = { cycle: cycle.ext_id, registrant_ext_id: ana, amount: { value: "5.00", currency: "PHP" } };
    for (const more of [{ ext_id: nobody }, { ern: "7" }, {}]) {
      const first = unwrap(await view.entitlements.create({ ...line, ...more }));
      expect(unwrap(await view.entitlements.create({ ...line, ...more }))).toEqual(first);
    }
    expect(unwrap(await view.entitlements.list()).data).toHaveLength(3);
  });

  it("has an ern of its own", async () => {
    const { entitle, view, cycle, ana } = await open();
    await entitle("draft", { ern: "taken" });
    const body = { cycle: cycle.ext_id, registrant_ext_id: ana, amount: { value: "5", currency: "PHP" } };
    const other = await view.entitlements.create({ ...body, ext_id: nobody, ern: "taken" });
    expect(other).toMatchObject({ ok: false, problem: { kind: "duplicate" } });
  });

  it.each([
    ["a float", { value: 5.1, currency: "PHP" }, "/amount/value"],
    ["nothing", { value: "0.00", currency: "PHP" }, "/amount/value"],
    ["less than nothing", { value: "-1", currency: "PHP" }, "/amount/value"],
    ["no currency", { value: "1" }, "/amount/currency"],
    ["a currency that is none", { value: "1", currency: "pesos" }, "/amount/currency"],
  ])("of %s is refused", async (_name, amount, field) => {
    const { view, cycle, ana } = await open();
    const refused = await view.entitlements.create({ cycle: cycle.ext_id, registrant_ext_id: ana, amount });
    expect(refused).toMatchObject({ ok: false, problem: { errors: [{ field }] } });
  });

  it.each([
    ["no fund", null, "/amount"],
    ["a fund in another currency", { value: "1000", currency: "USD" }, "/amount/currency"],
    ["a fund one unit short", { value: "99.99", currency: "PHP" }, "/amount"],
  ])("is not approved with %s, and nothing changes", async (_name, fund, field) => {
    const { view, programId, entitle } = await open();
    if (fund) unwrap(await view.programDesk.setFund(programId, fund));
    const { ext_id } = await entitle("pending_validation");
    const refused = await view.entitlements.approve(ext_id);
    expect(refused).toMatchObject({ ok: false, problem: { kind: "validation", errors: [{ field }] } });
    expect(unwrap(await view.entitlements.read(ext_id)).state).toBe("pending_validation");
  });

  it("takes from the fund when approved, and gives back when cancelled", async () => {
    const { view, programId, entitle } = await open();
    unwrap(await view.programDesk.setFund(programId, { value: "250.00", currency: "PHP" }));
    const [a, b, c] = [
      await entitle("pending_validation"),
      await entitle("pending_validation"),
      await entitle("pending_validation"),
    ];
    expect(unwrap(await view.entitlements.approve(a.ext_id)).record).toMatchObject({
      state: "approved",
      approved_at: "2026-11-21T08:00:00.000Z",
    });
    unwrap(await view.entitlements.approve(b.ext_id));
    expect(await view.entitlements.approve(c.ext_id)).toMatchObject({ ok: false });
    expect(unwrap(await view.programDesk.fund(programId))?.committed.value).toBe("200.00");
    unwrap(await view.entitlements.move(a.ext_id, "cancelled"));
    expect(unwrap(await view.programDesk.fund(programId))?.committed.value).toBe("100.00");
    unwrap(await view.entitlements.approve(c.ext_id));
    expect(await view.entitlements.approve(c.ext_id)).toMatchObject({
      ok: false,
      problem: { kind: "invalid-state" },
    });
  });

  it("that was approved elsewhere counts, whether the fund comes before it or after", async () => {
    const { view, programId, entitle } = await open();
    await entitle("approved");
    unwrap(await view.programDesk.setFund(programId, { value: "150", currency: "PHP" }));
    await entitle("redeemed");
    expect(unwrap(await view.programDesk.fund(programId))).toEqual({
      total: { value: "150", currency: "PHP" },
      committed: { value: "200.00", currency: "PHP" },
    });
    const lower = await view.programDesk.setFund(programId, { value: "199.99", currency: "PHP" });
    expect(lower).toMatchObject({ ok: false, problem: { kind: "validation" } });
  });

  it("of 20 approved at once, 10 fit a fund for 10", async () => {
    const { view, programId, entitle } = await open();
    unwrap(await view.programDesk.setFund(programId, { value: "1000.00", currency: "PHP" }));
    const all = [];
    for (let i = 0; i < 20; i++) all.push(await entitle("pending_validation"));
    const answers = await Promise.all(all.map(({ ext_id }) => view.entitlements.approve(ext_id)));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(10);
    expect(unwrap(await view.programDesk.fund(programId))?.committed.value).toBe("1000.00");
  });

  it("leaves an audit entry when it is read and when it is approved", async () => {
    const { registry, view, programId, entitle, reads } = await open();
    unwrap(await view.programDesk.setFund(programId, { value: "1000.00", currency: "PHP" }));
    const { ext_id } = await entitle("pending_validation");
    reads.length = 0;
    unwrap(await view.entitlements.read(ext_id));
    const record = `Entitlement/${ext_id}`;
    expect(reads).toMatchObject([{ action: "read", clientId: "operator", records: [record] }]);
    unwrap(await view.entitlements.approve(ext_id));
    expect(unwrap(await registry.audit({ record })).data).toMatchObject([
      { action: "create", versionId: "1" },
      { action: "change", versionId: "2", fields: ["state", "approved_at"] },
    ]);
  });
});

describe("enrolling", () => {
  it("makes a membership once", async () => {
    const { view, programId, ana } = await open();
    const made = unwrap(await view.programDesk.enroll(programId, { registrant_ext_id: ana })).record;
    expect(made).toEqual({
      ext_id: made.ext_id,
      model: "service.program_membership",
      registrant_ext_id: ana,
      registrant_model: "service.registrant",
      program_ext_id: programId,
      program_model: "service.program",
      status: "enrolled",
      enrollment_date: "2026-11-21",
    });
    const again = await view.programDesk.enroll(programId, { registrant_ext_id: ana });
    expect(again).toMatchObject({ ok: false, problem: { kind: "duplicate" } });
  });

  it.each([
    ["somebody unknown", { registrant_ext_id: nobody }, "unknown_reference"],
    ["nobody", {}, "required"],
    ["what is no UUID", { registrant_ext_id: "7" }, "invalid_value"],
  ])("%s is refused", async (_name, body, code) => {
    const { view, programId } = await open();
    const refused = await view.programDesk.enroll(programId, body);
    expect(refused).toMatchObject({
      ok: false,
      problem: { kind: "validation", errors: [{ field: "/registrant_ext_id", code }] },
    });
  });
});

describe("a caller whom no consent shows anything, where identifiers are shown", () => {
  it("sees that registrants are there, and no entitlements", async () => {
    const { registry, ana, entitle } = await open({ withoutConsent: "identifiers" });
    await entitle("draft");
    const bound = registry.as({ ...operator, clientId: "ngo", legalBasis: "consent", organization: "NGO" });
    const shown = { ext_id: ana, model: "service.registrant", name: null, birthdate: null, gender: null };
    expect(unwrap(await bound.registrants.list()).data).toEqual([shown]);
    expect(unwrap(await bound.registrants.read(ana))).toMatchObject({ record: shown, versionId: "" });
    expect(unwrap(await bound.entitlements.list()).data).toEqual([]);
  });
});

describe("a caller without the scope", () => {
  const caller: Caller = { clientId: "c", scopes: [], legalBasis: "public_task" };
  it.each([
    ["registry:read", (view: View) => view.registrants.read(nobody)],
    ["registry:write", (view: View) => view.registrants.create({})],
    ["program:read", (view: View) => view.cycles.list(nobody)],
    ["program:write", (view: View) => view.programDesk.enroll(nobody, {})],
    ["entitlement:read", (view: View) => view.entitlements.list()],
    ["entitlement:write", (view: View) => view.entitlements.approve(nobody)],
  ])("is told of %s before anything is looked at", async (missingScope, ask) => {
    const { registry } = await open();
    expect(await ask(registry.as(caller))).toMatchObject({
      ok: false,
      problem: { kind: "authorization", missingScope },
    });
  });
});

type View = Awaited<ReturnType<typeof open>>["view"];
