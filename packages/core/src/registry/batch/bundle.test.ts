import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { type Problem, unwrap } from "../../problem.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Store } from "../../store/port.ts";
import {
  bundle,
  enrollment,
  entry,
  everything,
  group,
  open,
  p1,
  p2,
  person,
  problemOf,
  statuses,
} from "./test-bundles.ts";
import type { BatchResponse } from "./types.ts";

describe.each(["transaction", "batch"])("a bundle of type %s", (type) => {
  it("creates, replaces, changes and reads every type, each answered like a single request", async () => {
    const { view } = await open();
    const answer = unwrap(
      await view.batch(
        bundle(
          type,
          entry("POST Individual", person("3")),
          entry("PUT Individual/urn:gov:id|1", person("1", "Cruz"), { ifMatch: '"1"' }),
          entry("PATCH Group/urn:service:group%7Ca", { name: "New" }, { ifMatch: "1" }),
          entry("POST ProgramMembership", enrollment("Group/urn:service:group|a")),
          entry("GET Individual/urn%3Agov%3Aid%7C2?_elements=name"),
          entry("GET Group?name=new"),
          entry("GET Program/urn:service:program|cash"),
        ),
      ),
    );
    expect(answer).toMatchObject({ type, replayed: false });
    expect(answer.responses.map(({ status, created, versionId }) => [status, created, versionId])).toEqual([
      [201, true, "1"],
      [200, false, "2"],
      [200, false, "2"],
      [201, true, "1"],
      [200, undefined, "1"],
      [200, undefined, undefined],
      [200, undefined, "1"],
    ]);
    expect(answer.responses[1]).toMatchObject({
      reference: "Individual/urn:gov:id|1",
      resource: { name: { family: "Cruz" } },
    });
    expect(answer.responses[4]?.resource).not.toHaveProperty("meta");
    expect(answer.responses[5]?.resource).toMatchObject({
      data: [{ name: "New" }],
      pagination: { next_cursor: null, has_more: false },
    });
  });

  it("changes an enrollment by PATCH", async () => {
    const { view } = await open();
    const { reference } = unwrap(await view.memberships.create(enrollment("Group/urn:service:group|a")));
    const patch = entry(`PATCH ${reference}`, { status: "enrolled" }, { ifMatch: "*" });
    expect(statuses(await view.batch(bundle(type, patch)))).toEqual([200]);
  });

  it("fills in placeholders in any order and in any body", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        type,
        entry("POST ProgramMembership", enrollment(p1.toUpperCase().replace("URN:UUID", "urn:uuid"))),
        entry(
          "PATCH Group/urn:service:group|a",
          { member: [{ entity: { reference: p2 } }] },
          { ifMatch: "1" },
        ),
        entry("POST Group", group("g", p2), { fullUrl: p1 }),
        entry("POST Individual", person("9#9"), { fullUrl: p2 }),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 201, 201]);
    const a = unwrap(await view.groups.read("urn:service:group|a"));
    expect(a.member).toEqual([{ entity: { reference: "Individual/urn:gov:id|9%239" } }]);
    expect(unwrap(answer).responses[0]?.resource?.beneficiary).toEqual({
      reference: "Group/urn:service:group|g",
    });
  });

  it("performs member operations", async () => {
    const { view } = await open();
    unwrap(await view.groups.create(group("b")));
    const answer = await view.batch(
      bundle(
        type,
        entry("POST Group/urn:service:group|b/$add-member", { entity: { reference: p1 } }),
        entry("POST Individual", person("9"), { fullUrl: p1 }),
        entry("POST Group/urn:service:group|a/%24remove-member", {
          entity: { reference: "Individual/urn:gov:id|1" },
        }),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 200]);
    expect(unwrap(await view.groups.read("urn:service:group|b")).quantity).toBe(1);
    const merged = await view.batch(
      bundle(
        type,
        entry("POST Group/$merge", {
          source: { reference: "Group/urn:service:group|b" },
          target: { reference: "Group/urn:service:group|a" },
        }),
      ),
    );
    expect(unwrap(merged).responses[0]).toMatchObject({ status: 200, resource: { quantity: 1 } });
  });

  it("asks the host for searches when it is told how", async () => {
    const { view } = await open();
    const answer = await view.batch(bundle(type, entry("GET Individual?name=a+b&name=%C3%A9&limit=5")), {
      search: async (of, parameters) => ({ ok: true, value: { of, parameters: parameters as JsonObject } }),
    });
    expect(unwrap(answer).responses[0]?.resource).toEqual({
      of: "Individual",
      parameters: { name: ["a b", "é"], limit: "5" },
    });
  });

  it("has one effect under one idempotency key", async () => {
    const { view } = await open();
    const body = bundle(type, entry("POST Individual", person("3")), entry("GET Individual/urn:gov:id|3"));
    const idempotency = { key: "k", fingerprint: "f" };
    const first = unwrap(await view.batch(body, { idempotency }));
    const again = unwrap(await view.batch(body, { idempotency }));
    expect(again).toEqual({ ...first, replayed: true });
    const other = await view.batch(bundle(type, entry("POST Individual", person("4"))), {
      idempotency: { key: "k", fingerprint: "g" },
    });
    expect(problemOf(other).kind).toBe("idempotency-mismatch");
    expect((await view.individuals.read("urn:gov:id|4")).ok).toBe(false);
  });
});

/** An entry that fails, as what, and with which status. */
const failing: readonly (readonly [string, JsonObject, Partial<Problem>, number])[] = [
  [
    "a bad record",
    entry("POST Individual", { ...person("9"), birthDate: "soon" }),
    { kind: "validation" },
    422,
  ],
  [
    "an unknown record",
    entry("PATCH Individual/urn:gov:id|9", {}, { ifMatch: "*" }),
    { kind: "not-found" },
    404,
  ],
  ["a read of nothing", entry("GET Individual/urn:gov:id|9"), { kind: "not-found" }, 404],
  ["a bad search", entry("GET Individual?nonsense=1"), { kind: "bad-request" }, 400],
  ["a bad parameter of a read", entry("GET Individual/urn:gov:id|1?limit=1"), { kind: "bad-request" }, 400],
  [
    "an old version",
    entry("PUT Individual/urn:gov:id|1", person("1"), { ifMatch: '"7"' }),
    { kind: "conflict" },
    409,
  ],
  ["no version", entry("PUT Individual/urn:gov:id|1", person("1")), { kind: "precondition-required" }, 428],
  ["a taken identifier", entry("POST Individual", person("1")), { kind: "duplicate" }, 409],
  ["a new program", entry("POST Program", {}), { kind: "method-not-allowed" }, 405],
  ["a PUT of a type", entry("PUT Individual", {}), { kind: "method-not-allowed" }, 405],
  ["an unknown type", entry("GET Household"), { kind: "not-found" }, 404],
  ["an unknown operation", entry("POST Group/a|b/$dissolve", {}), { kind: "not-found" }, 404],
  ["an address without |", entry("GET Individual/5"), { kind: "bad-request" }, 400],
  ["a bad percent sign", entry("GET Individual/a|%zz"), { kind: "bad-request" }, 400],
  [
    "a precondition of a create",
    entry("POST Individual", person("9"), { ifMatch: "1" }),
    { kind: "bad-request" },
    400,
  ],
  ["a query of a write", entry("POST Individual?_extensions=*", person("9")), { kind: "bad-request" }, 400],
  [
    "a member operation with faults",
    entry("POST Group/urn:service:group|a/$add-member", { entity: { reference: "Individual/urn:gov:id|1" } }),
    { kind: "validation" },
    422,
  ],
];

describe("an entry that fails", () => {
  it.each(failing)("as %s is the answer of a transaction, and nothing changes", async (_name, bad, told) => {
    const { view } = await open();
    const before = await everything(view);
    const entries = [entry("POST Individual", person("3")), bad, entry("POST Individual", person("4"))];
    const problem = problemOf(await view.batch(bundle("transaction", ...entries)));
    expect(problem).toMatchObject({ ...told, entry: 1 });
    expect(await everything(view)).toEqual(before);
    const alone = problemOf(await view.batch(bundle("transaction", bad)));
    expect(alone).toMatchObject({ ...told, entry: 0 });
  });

  it.each(failing)("as %s is that entry's answer in a batch", async (_name, bad, told, status) => {
    const { view } = await open();
    const entries = [entry("POST Individual", person("3")), bad, entry("POST Individual", person("4"))];
    const { responses } = unwrap(await view.batch(bundle("batch", ...entries)));
    expect(responses.map((response: BatchResponse) => response.status)).toEqual([201, status, 201]);
    expect(responses[1]?.problem).toMatchObject(told);
    expect(responses[1]?.problem).not.toHaveProperty("entry");
  });

  it("changes nothing wherever in a transaction it stands", async () => {
    const good = [
      entry("POST Individual", person("3"), { fullUrl: p1 }),
      entry("POST Group", group("g", p1)),
      entry("PATCH Individual/urn:gov:id|2", { name: { given: "Ana" } }, { ifMatch: "1" }),
      entry("POST Group/urn:service:group|a/$add-member", {
        entity: { reference: "Individual/urn:gov:id|2" },
      }),
      entry("GET Individual/urn:gov:id|3"),
    ];
    const place = fc.integer({ min: 0, max: good.length });
    await fc.assert(
      fc.asyncProperty(place, fc.constantFrom(...failing), async (at, [, bad, told]) => {
        const { view } = await open();
        const before = await everything(view);
        const problem = problemOf(await view.batch(bundle("transaction", ...good.toSpliced(at, 0, bad))));
        expect(problem.entry).toBe(at);
        expect(problem.kind).toBe(told.kind);
        expect(await everything(view)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it("for want of a scope is refused before anything is looked up", async () => {
    const { as } = await open();
    const view = as({ scopes: ["registry:read", "program:read"] });
    const entries = [entry("GET Individual/urn:gov:id|1"), entry("PATCH Individual/urn:gov:id|9", {})];
    const problem = problemOf(await view.batch(bundle("transaction", ...entries)));
    expect(problem).toMatchObject({ kind: "authorization", missingScope: "registry:write", entry: 1 });
    const { responses } = unwrap(await view.batch(bundle("batch", ...entries)));
    expect(responses[1]).toMatchObject({ status: 403, problem: { missingScope: "registry:write" } });
    expect(responses[0]?.status).toBe(200);
  });
});

describe("a batch", () => {
  it("lets later entries see earlier ones", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        "batch",
        entry("GET Individual/urn:gov:id|3"),
        entry("POST Individual", person("3")),
        entry("PATCH Individual/urn:gov:id|3", { name: { family: "Cruz" } }, { ifMatch: "1" }),
        entry("GET Individual/urn:gov:id|3"),
      ),
    );
    expect(statuses(answer)).toEqual([404, 201, 200, 200]);
    expect(unwrap(answer).responses[3]?.resource).toMatchObject({ name: { family: "Cruz" } });
  });

  it("tells who refers to an entry that failed", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        "batch",
        entry("POST Group", group("g", p1)),
        entry("POST Individual", { ...person("9"), birthDate: "soon" }, { fullUrl: p1 }),
      ),
    );
    expect(statuses(answer)).toEqual([422, 422]);
    expect(unwrap(answer).responses[0]?.problem?.errors).toMatchObject([
      { field: "/member/0/entity/reference", code: "unknown_reference" },
    ]);
  });

  it("sent again after a crash half-way does what was left, once", async () => {
    const inner = createMemoryStore();
    let commits = Number.POSITIVE_INFINITY;
    const store: Store = {
      ...inner,
      commit: async (commit) => {
        if (commits-- <= 0) throw new Error("the power went");
        return inner.commit(commit);
      },
    };
    const { view } = await open(store);
    const adding = (value: string) => ({ entity: { reference: `Individual/urn:gov:id|${value}` } });
    const body = bundle(
      "batch",
      entry("POST Individual", person("3")),
      entry("POST Group/urn:service:group|a/$add-member", adding("3")),
      entry("PATCH Individual/urn:gov:id|1", { name: { family: "Cruz" } }, { ifMatch: "1" }),
      entry("POST Individual", person("4")),
    );
    const idempotency = { key: "k", fingerprint: "f" };
    for (let survived = 0; survived < 5; survived++) {
      commits = survived === 0 ? 0 : 1;
      await expect(view.batch(body, { idempotency })).rejects.toThrow("the power went");
    }
    commits = Number.POSITIVE_INFINITY;
    expect(statuses(await view.batch(body, { idempotency }))).toEqual([201, 201, 200, 201]);
    const all = unwrap(await view.individuals.search({ active: "any" })).data;
    expect(all.map(({ meta }) => meta.versionId).toSorted()).toEqual(["1", "1", "1", "2"]);
    expect(unwrap(await view.groups.read("urn:service:group|a"))).toMatchObject({
      quantity: 2,
      meta: { versionId: "2" },
    });
  });
});
