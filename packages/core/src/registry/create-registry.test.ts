import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success, unwrap } from "../problem.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createRegistry } from "./create-registry.ts";
import { operator } from "./scopes.ts";
import type { Caller, SearchParameters } from "./types.ts";

function open() {
  let ids = 0;
  let now = Date.parse("2026-11-21T08:00:00.000Z");
  const store = createMemoryStore();
  const newId = () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`;
  const registry = createRegistry({ store, newId, clock: () => new Date(now) });
  return { store, registry, view: registry.as(operator), tick: (ms: number) => (now += ms) };
}

const person = (value: string, family = "Reyes") => ({
  type: "Individual",
  identifier: [{ system: "urn:gov:id", value }],
  name: { family, given: "Ana" },
  address: [{ type: "physical", country: "PH", state: "Cavite", city: "Imus" }],
});

const household = (value: string, members: readonly string[] = []) => ({
  type: "Group",
  identifier: [{ system: "urn:service:group", value }],
  groupType: "household",
  name: `Household ${value}`,
  member: members.map((id, i) => ({
    entity: { reference: `Individual/urn:gov:id|${id}` },
    role: { coding: [{ system: "urn:service:vocab:relationship", code: i === 0 ? "head" : "child" }] },
  })),
});

const program = (value: string, more: object = {}) => ({
  type: "Program",
  identifier: [{ system: "urn:service:program", value }],
  name: `Program ${value}`,
  targetType: "group",
  ...more,
});

const enrollment = (programId: string, beneficiary: string, status = "enrolled") => ({
  type: "ProgramMembership",
  program: { reference: `Program/urn:service:program|${programId}` },
  beneficiary: { reference: beneficiary },
  status,
});

describe("createRegistry", () => {
  it("says that a reference, with its type in front, is no address", async () => {
    const { view } = open();
    const { reference } = unwrap(await view.individuals.create(person("1")));
    expect(await view.individuals.read(reference)).toMatchObject({
      problem: {
        detail:
          "There is no Individual Individual/urn:gov:id|1. What is asked for is an address, such as urn:gov:id|1, " +
          "and not a reference with the type in front.",
      },
    });
  });

  it("creates, reads, patches and replaces, counting versions", async () => {
    const { view } = open();
    const created = unwrap(await view.individuals.create(person("1")));
    expect(created).toMatchObject({ reference: "Individual/urn:gov:id|1", versionId: "1", created: true });
    const patch = { name: { family: "Cruz" } };
    const patched = unwrap(await view.individuals.patch("urn:gov:id|1", patch, { ifMatch: ["1"] }));
    expect(patched.record.name).toEqual({ family: "Cruz", given: "Ana", text: "Ana Cruz" });
    expect(patched.versionId).toBe("2");
    const replaced = unwrap(await view.individuals.replace("urn:gov:id|1", person("1"), { ifMatch: "*" }));
    expect(replaced.record.meta).toMatchObject({ versionId: "3", source: "urn:service:api-client:operator" });
  });

  it("leaves the version alone when nothing changes", async () => {
    const { view } = open();
    const { record } = unwrap(await view.individuals.create(person("1")));
    const same = unwrap(await view.individuals.replace("urn:gov:id|1", record, { ifMatch: ["1"] }));
    expect(same).toMatchObject({ versionId: "1", created: false });
  });

  it("refuses a stale version, a missing one, and an identifier that is taken", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    const patch = { birthDate: "1990-01-01" };
    expect(await view.individuals.patch("urn:gov:id|1", patch, { ifMatch: ["7"] })).toMatchObject({
      problem: { kind: "conflict", currentVersion: "1" },
    });
    expect(await view.individuals.patch("urn:gov:id|1", patch, {})).toMatchObject({
      problem: { kind: "precondition-required" },
    });
    expect(await view.individuals.create(person("1"))).toMatchObject({
      problem: { kind: "duplicate", existing: "Individual/urn:gov:id|1" },
    });
  });

  it("lets exactly one of many simultaneous writers win", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    const patches = Array.from({ length: 50 }, (_, i) =>
      view.individuals.patch("urn:gov:id|1", { name: { family: `F${i}` } }, { ifMatch: ["1"] }),
    );
    const outcomes = await Promise.all(patches);
    expect(outcomes.filter((outcome) => outcome.ok)).toHaveLength(1);
    const creates = await Promise.all(Array.from({ length: 50 }, () => view.individuals.create(person("2"))));
    expect(creates.filter((outcome) => outcome.ok)).toHaveLength(1);
  });

  it("derives a person's groups and a group's quantity", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    expect(await view.groups.create(household("h", ["1", "2"]))).toMatchObject({
      problem: {
        kind: "validation",
        errors: [{ field: "/member/1/entity/reference", code: "unknown_reference" }],
      },
    });
    const group = unwrap(await view.groups.create(household("h", ["1"])));
    expect(group.record.quantity).toBe(1);
    const read = unwrap(await view.individuals.read("urn:gov:id|1"));
    expect(read.groupMembership).toMatchObject([{ group: { reference: "Group/urn:service:group|h" } }]);
    const found = unwrap(await view.groups.search({ member: "Individual/urn:gov:id|1" }));
    expect(found.data).toHaveLength(1);
  });

  it("follows a member whose identifier was replaced, also after another takes the old one", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    await view.groups.create(household("h", ["1"]));
    await view.individuals.replace("urn:gov:id|1", person("9"), { ifMatch: "*" });
    await view.individuals.create(person("1", "Other"));
    const before = unwrap(await view.groups.read("urn:service:group|h"));
    expect(before.member?.[0]?.entity.reference).toBe("Individual/urn:gov:id|9");
    const renamed = unwrap(await view.groups.patch("urn:service:group|h", { name: "New" }, { ifMatch: "*" }));
    expect(renamed.record.member?.[0]?.entity.reference).toBe("Individual/urn:gov:id|9");
    expect(unwrap(await view.groups.search({ member: "Individual/urn:gov:id|1" })).data).toHaveLength(0);
  });

  it("gives a household a new version when a member's identifier goes, so that an old copy can't name another", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    await view.groups.create(household("h", ["1"]));
    await view.programs.create(program("p", { targetType: "individual" }));
    await view.memberships.create(enrollment("p", "Individual/urn:gov:id|1"));
    const seen = unwrap(await view.groups.read("urn:service:group|h"));
    const feed = unwrap(await view.changes({ feed: "all" }));
    await view.individuals.patch("urn:gov:id|1", { identifier: person("9").identifier }, { ifMatch: "*" });
    await view.individuals.create(person("1", "Other"));
    const stale = await view.groups.replace("urn:service:group|h", seen, { ifMatch: [seen.meta.versionId] });
    expect(stale).toMatchObject({ problem: { kind: "conflict", currentVersion: "2" } });
    const news = unwrap(await view.changes({ feed: "all", cursor: feed.nextCursor })).data;
    expect(news.map(({ type }) => type).sort()).toEqual([
      "Group",
      "Individual",
      "Individual",
      "ProgramMembership",
    ]);
    const [membership] = unwrap(
      await view.memberships.search({ beneficiary: "Individual/urn:gov:id|9" }),
    ).data;
    expect(membership?.beneficiary.reference).toBe("Individual/urn:gov:id|9");
  });

  it("refuses one person twice in a household under two identifiers", async () => {
    const { view } = open();
    const two = [...person("1").identifier, { system: "urn:gov:id", value: "2" }];
    await view.individuals.create({ ...person("1"), identifier: two });
    expect(await view.groups.create(household("h", ["1", "2"]))).toMatchObject({
      problem: { errors: [{ field: "/member/1/entity", code: "duplicate_member" }] },
    });
  });

  it("tells the faults of the body, of its references and of its rules at once", async () => {
    const { view } = open();
    const group = { ...household("h", ["no"]), groupType: "clan" };
    const codes = async (outcome: Promise<Outcome<unknown>>) => {
      const result = await outcome;
      return result.ok ? [] : (result.problem.errors ?? []).map(({ field, code }) => `${field} ${code}`);
    };
    expect(await codes(view.groups.create(group))).toEqual([
      "/groupType invalid_value",
      "/member/0/entity/reference unknown_reference",
    ]);
    const membership = enrollment("no", "Individual/urn:gov:id|no", "paused");
    expect(await codes(view.memberships.create(membership))).toEqual([
      "/program/reference unknown_reference",
      "/beneficiary/reference unknown_reference",
      "/status invalid_transition",
    ]);
  });

  it("answers a transaction whose entries take one identifier with a problem", async () => {
    const { view } = open();
    const twins = [1, 2].map(() => ({ verb: "create", type: "Individual", body: person("1") }) as const);
    expect(await view.transaction(twins)).toMatchObject({ problem: { kind: "duplicate", entry: 1 } });
    await view.individuals.create(person("1"));
    const other = { verb: "create", type: "Individual", body: person("2") } as const;
    expect(await view.transaction([other, ...twins.slice(1)])).toMatchObject({
      problem: { kind: "duplicate", entry: 1, existing: "Individual/urn:gov:id|1" },
    });
  });

  it("has no programs where the deployment has none, in feeds neither", async () => {
    const { store, view } = open();
    await view.programs.create(program("p"));
    const clock = () => new Date("2026-11-21T09:00:00Z");
    const without = createRegistry({ store, newId: () => "x", clock, capabilities: { programs: false } });
    expect(await without.as(operator).programs.search()).toMatchObject({ problem: { kind: "not-found" } });
    expect(unwrap(await without.as(operator).changes({ feed: "all" })).data).toEqual([]);
  });

  it("keeps the rules of enrollment", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    await view.groups.create(household("h", ["1"]));
    await view.programs.create(program("p"));
    await view.programs.create(program("old", { period: { start: "2020-01-01", end: "2021-01-01" } }));
    const group = "Group/urn:service:group|h";
    const made = unwrap(await view.memberships.create(enrollment("p", group)));
    expect(made.record).toMatchObject({ status: "enrolled", enrollmentDate: "2026-11-21" });
    expect(await view.memberships.create(enrollment("p", group))).toMatchObject({
      problem: { kind: "duplicate" },
    });
    expect(await view.memberships.create(enrollment("old", group))).toMatchObject({
      problem: { errors: [{ field: "/program", code: "program_ended" }] },
    });
    expect(await view.memberships.create(enrollment("p", "Individual/urn:gov:id|1"))).toMatchObject({
      problem: { errors: [{ field: "/beneficiary", code: "wrong_target_type" }] },
    });
    const address = made.reference.slice("ProgramMembership/".length);
    expect(await view.memberships.patch(address, { status: "draft" }, { ifMatch: "*" })).toMatchObject({
      problem: { errors: [{ code: "invalid_transition" }] },
    });
    const exited = { status: "exited", exitReason: "moved away" };
    const left = unwrap(await view.memberships.patch(address, exited, { ifMatch: "*" }));
    expect(left.record.exitDate).toBe("2026-11-21");
  });

  it("writes a transaction whole or not at all, references in any order", async () => {
    const { view } = open();
    const good = [
      { verb: "create", type: "Group", body: household("h", ["1", "2"]) },
      { verb: "create", type: "Individual", body: person("1") },
      { verb: "create", type: "Individual", body: person("2") },
    ] as const;
    const bad = [...good, { verb: "create", type: "Individual", body: {} } as const];
    expect(await view.transaction(bad)).toMatchObject({ problem: { kind: "validation", entry: 3 } });
    expect(unwrap(await view.individuals.search()).data).toHaveLength(0);
    const answers = unwrap(await view.transaction(good));
    expect(answers.map(({ record }) => record.type)).toEqual(["Group", "Individual", "Individual"]);
    expect(answers[1]?.record.groupMembership).toHaveLength(1);
  });

  it("asks an update again when someone was faster, and takes its refusal", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    const address = "urn:gov:id|1";
    const append = (suffix: string) => ({
      verb: "update" as const,
      type: "Individual" as const,
      address,
      change: (record: JsonObject) =>
        success({ ...record, name: { family: `${(record.name as { family: string }).family}${suffix}` } }),
    });
    await Promise.all(["a", "b", "c"].map((suffix) => view.transaction([append(suffix)])));
    const after = unwrap(await view.individuals.read(address));
    expect([...(after.name.family ?? "")].sort().join("")).toBe([..."Reyesabc"].sort().join(""));
    expect(after.meta.versionId).toBe("4");
    const refused = { kind: "invalid-state", detail: "no" } as const;
    const refusal = { ...append("d"), change: () => failure(refused) };
    expect(await view.transaction([refusal])).toEqual({ ok: false, problem: refused });
  });

  it("answers a repeated request with the first answer, before looking at the version", async () => {
    const { view } = open();
    await view.individuals.create(person("1"));
    const options = { ifMatch: ["1"], idempotency: { key: "k", fingerprint: "a" } };
    const patch = { name: { family: "Cruz" } };
    const [first, second] = await Promise.all([
      view.individuals.patch("urn:gov:id|1", patch, options),
      view.individuals.patch("urn:gov:id|1", patch, options),
    ]);
    const answers = [unwrap(first), unwrap(second)];
    expect(answers.map(({ replayed }) => replayed).sort()).toEqual([false, true]);
    expect(answers[0]?.record).toEqual(answers[1]?.record);
    const other = { ...options, idempotency: { key: "k", fingerprint: "b" } };
    expect(await view.individuals.patch("urn:gov:id|1", patch, other)).toMatchObject({
      problem: { kind: "idempotency-mismatch" },
    });
  });

  it("pages through a search, each record once, and binds the cursor to its query", async () => {
    const { view } = open();
    for (let i = 0; i < 25; i++) await view.individuals.create(person(String(i), i % 2 ? "Núñez" : "Reyes"));
    const first = unwrap(await view.individuals.search({ name: "nunez", limit: "5" }));
    const rest = unwrap(
      await view.individuals.search({ name: "nunez", limit: "5", cursor: first.nextCursor }),
    );
    expect([first.hasMore, first.data.length, rest.data.length]).toEqual([true, 5, 5]);
    const values = [...first.data, ...rest.data].map(({ identifier }) => identifier[0]?.value);
    expect(new Set(values).size).toBe(10);
    const otherQuery = await view.individuals.search({ name: "reyes", limit: "5", cursor: first.nextCursor });
    expect(otherQuery).toMatchObject({ problem: { kind: "bad-request", errors: [{ field: "cursor" }] } });
  });

  it.each([
    ["an unknown parameter", { colour: "red" }, "colour"],
    ["a parameter named like a member of every object", { constructor: "x" }, "constructor"],
    ["a limit given twice", { limit: ["5", "6"] }, "limit"],
    ["a limit by both its names", { limit: "5", _count: "5" }, "_count"],
    ["an instant on no day", { _lastUpdated: "ge2026-02-30T00:00:00Z" }, "_lastUpdated"],
    ["an identifier without a value", { identifier: "urn:x|" }, "identifier"],
    ["a limit out of range", { limit: "501" }, "limit"],
    ["an unknown sort field", { _sort: "shoe" }, "_sort"],
    ["a malformed date", { birthdate: "2026-02-30" }, "birthdate"],
    ["a cursor that is none", { cursor: "xyz" }, "cursor"],
  ])("refuses %s by name", async (_, parameters, field) => {
    const { view } = open();
    expect(await view.individuals.search(parameters as never)).toMatchObject({
      problem: { kind: "bad-request", errors: [{ field }] },
    });
  });

  it("finds codes and identifiers of the system that is asked for, and no other", async () => {
    const { view } = open();
    const coding = [
      { system: "urn:iso:std:iso:5218", code: "2" },
      { system: "urn:local", code: "1" },
    ];
    await view.individuals.create({ ...person("a|b"), gender: { coding } });
    const found = async (parameters: SearchParameters) =>
      unwrap(await view.individuals.search(parameters)).data.length;
    expect(await found({ gender: "2" })).toBe(1);
    expect(await found({ gender: "urn:iso:std:iso:5218|2" })).toBe(1);
    expect(await found({ gender: "1" })).toBe(0);
    expect(await found({ gender: "urn:other|2" })).toBe(0);
    expect(await found({ identifier: "urn:gov:id|a|b" })).toBe(1);
    expect(await found({ identifier: "a|b" })).toBe(0);
  });

  it("tells an area's feed what comes, changes and leaves, memberships with their beneficiary", async () => {
    const { view, store } = open();
    const feed = "area:PH/Cavite/Imus";
    await view.individuals.create(person("1"));
    await view.programs.create(program("p", { targetType: "individual" }));
    await view.memberships.create(enrollment("p", "Individual/urn:gov:id|1"));
    const first = unwrap(await view.changes({ feed }));
    expect(first.data.map(({ type, change }) => [type, change])).toEqual([
      ["Individual", "upsert"],
      ["ProgramMembership", "upsert"],
    ]);
    const address = [{ type: "physical", country: "PH", state: "Laguna", city: "Calamba" }];
    await view.individuals.patch("urn:gov:id|1", { address }, { ifMatch: "*" });
    const second = unwrap(await view.changes({ feed, cursor: first.nextCursor }));
    expect(second.data.map(({ type, change, reason }) => [type, change, reason])).toEqual(
      expect.arrayContaining([
        ["Individual", "removed", "left-feed"],
        ["ProgramMembership", "removed", "left-feed"],
      ]),
    );
    const moved = unwrap(await view.changes({ feed: "area:PH/Laguna" }));
    expect(moved.data).toHaveLength(2);
    expect(await view.changes({ feed: "all", cursor: first.nextCursor })).toMatchObject({
      problem: { kind: "bad-request" },
    });
    await store.close();
  });

  it("refuses a caller without the scope before it looks anything up", async () => {
    const { registry } = open();
    const reader: Caller = { clientId: "r", scopes: ["registry:read"] };
    expect(await registry.as(reader).individuals.create({})).toMatchObject({
      problem: { kind: "authorization", missingScope: "registry:write" },
    });
    expect(await registry.as(reader).programs.read("a|b")).toMatchObject({
      problem: { kind: "authorization", missingScope: "program:read" },
    });
  });
});
