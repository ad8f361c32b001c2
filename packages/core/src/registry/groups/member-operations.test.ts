import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../json.ts";
import { type Outcome, unwrap } from "../../problem.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";

const relationship = "urn:service:vocab:relationship";
const role = (code: string) => ({ coding: [{ system: relationship, code }] });
const ref = (value: string) => ({ reference: `Individual/urn:gov:id|${value}` });
const groupRef = (value: string) => ({ reference: `Group/urn:service:group|${value}` });
const at = (value: string) => `urn:service:group|${value}`;
const today = "2026-01-01";
const ended = { period: { end: today }, inactive: true };

function person(value: string): JsonObject {
  return {
    type: "Individual",
    identifier: [
      { system: "urn:gov:id", value },
      { system: "urn:other", value: `o${value}` },
    ],
    name: { family: "Reyes", given: value },
  };
}

function group(value: string, member: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  const identifier = [{ system: "urn:service:group", value }];
  return { type: "Group", identifier, groupType: "household", name: `Household ${value}`, member, ...more };
}

/** Two households: a with ana (head), ben and the former member cy; b with dan (head), ben and eve. */
async function open() {
  const test = createTestRegistry();
  const { view } = test;
  for (const name of ["ana", "ben", "cy", "dan", "eve", "fay"])
    unwrap(await view.individuals.create(person(name)));
  const a = [
    { entity: ref("ana"), role: role("head") },
    { entity: ref("ben"), role: role("child") },
    { entity: ref("cy"), inactive: true, period: { start: "2020-01-01", end: "2021-01-01" } },
  ];
  const b = [
    { entity: ref("dan"), role: role("head") },
    { entity: { reference: "Individual/urn:other|oben" }, role: role("sibling") },
    { entity: ref("eve"), period: { start: "2024-05-05" } },
  ];
  unwrap(
    await view.groups.create(group("a", a, { address: [{ country: "PH", state: "Cavite", city: "Imus" }] })),
  );
  unwrap(await view.groups.create(group("b", b)));
  unwrap(await view.groups.create(group("old", [], { active: false })));
  return test;
}

function told(outcome: Outcome<unknown>): unknown {
  if (outcome.ok) return "ok";
  const { kind, errors, entry } = outcome.problem;
  const found = errors?.map(({ field, code }) => `${field} ${code}`);
  return { kind, ...(found && { errors: found }), ...(entry !== undefined && { entry }) };
}

/** Faults come in the order in which they are found, which is nobody's business. */
function sorted(found: unknown): unknown {
  const { errors, ...rest } = found as { readonly errors?: readonly string[] };
  return { ...rest, errors: errors?.toSorted() };
}

const invalid = (...errors: readonly string[]) => ({ kind: "validation", errors });

describe("addMember", () => {
  it("answers with the group, one version on, and leaves the person's version alone", async () => {
    const { view } = await open();
    const member = { entity: ref("fay"), role: role("grandchild"), period: { start: "2025-12-01" } };
    const written = unwrap(await view.groups.addMember(at("a"), member));
    expect(written).toMatchObject({ versionId: "2", created: false, reference: "Group/urn:service:group|a" });
    expect(written.record.quantity).toBe(3);
    expect(written.record.member?.at(-1)).toEqual(member);
    const fay = unwrap(await view.individuals.read("urn:gov:id|fay"));
    expect(fay.meta.versionId).toBe("1");
    expect(fay.groupMembership).toEqual([
      { group: groupRef("a"), role: role("grandchild"), period: { start: "2025-12-01" } },
    ]);
  });

  it("gives a former member their place in the list again", async () => {
    const { view } = await open();
    const { record } = unwrap(
      await view.groups.addMember(at("a"), { entity: { reference: "Individual/urn:other|ocy" } }),
    );
    expect(record.member).toHaveLength(3);
    expect(record.member?.[2]).toEqual({ entity: { reference: "Individual/urn:other|ocy" } });
    expect(record.quantity).toBe(3);
  });

  it.each<[string, string, unknown, unknown]>([
    ["an active member", "a", { entity: ref("ben") }, invalid("/entity duplicate_member")],
    [
      "an active member by another identifier",
      "a",
      { entity: { reference: "Individual/urn:other|oben" } },
      invalid("/entity duplicate_member"),
    ],
    ["a second head", "a", { entity: ref("fay"), role: role("head") }, invalid("/role second_head")],
    ["somebody unknown", "a", { entity: ref("zoe") }, invalid("/entity/reference unknown_reference")],
    ["a group as member", "a", { entity: groupRef("b") }, invalid("/entity/reference invalid_reference")],
    ["nothing", "a", undefined, invalid(" invalid_type")],
    ["a list", "a", [], invalid(" invalid_type")],
    ["no entity", "a", {}, invalid("/entity required")],
    ["a member of an archived group", "old", { entity: ref("fay") }, invalid(" archived")],
    [
      "many faults at once",
      "a",
      { entity: ref("zoe"), role: role("boss"), period: { start: "2025-02-30" }, reason: "moved in" },
      invalid(
        "/reason unknown_field",
        "/period/start invalid_date",
        "/role/coding/0/code invalid_code",
        "/entity/reference unknown_reference",
      ),
    ],
    [
      "a faulty item of a second head who is a member",
      "a",
      { entity: ref("ben"), role: role("head"), inactive: "no" },
      invalid("/inactive invalid_type", "/entity duplicate_member", "/role second_head"),
    ],
    ["a member of no group", "none", { entity: ref("fay") }, { kind: "not-found" }],
  ])("refuses %s", async (_name, address, body, expected) => {
    const { view } = await open();
    const outcome = await view.groups.addMember(at(address), body);
    expect(sorted(told(outcome))).toEqual(sorted(expected));
    if (address === "a") expect(unwrap(await view.groups.read(at("a"))).meta.versionId).toBe("1");
  });

  it("honours If-Match when it is sent", async () => {
    const { view } = await open();
    const stale = await view.groups.addMember(at("a"), { entity: ref("fay") }, { ifMatch: ["7"] });
    expect(told(stale)).toEqual({ kind: "conflict" });
    unwrap(await view.groups.addMember(at("a"), { entity: ref("fay") }, { ifMatch: ["1"] }));
  });

  it("has one effect under one idempotency key, also when the member has left since", async () => {
    const { view } = await open();
    const idempotency = { key: "k", fingerprint: "f" };
    const first = unwrap(await view.groups.addMember(at("a"), { entity: ref("fay") }, { idempotency }));
    unwrap(await view.groups.removeMember(at("a"), { entity: ref("fay") }));
    const again = unwrap(await view.groups.addMember(at("a"), { entity: ref("fay") }, { idempotency }));
    expect(again).toEqual({ ...first, replayed: true });
    expect(unwrap(await view.groups.read(at("a"))).meta.versionId).toBe("3");
  });

  it("needs the scope before it looks anything up", async () => {
    const { as } = await open();
    const outcome = await as({ scopes: ["registry:read"] }).groups.addMember("nonsense", 5);
    expect(outcome).toMatchObject({ problem: { kind: "authorization", missingScope: "registry:write" } });
  });

  it("succeeds for many people at once", async () => {
    const { view } = await open();
    const names = Array.from({ length: 20 }, (_, i) => `n${i}`);
    for (const name of names) unwrap(await view.individuals.create(person(name)));
    const answers = await Promise.all(
      names.map((name) => view.groups.addMember(at("b"), { entity: ref(name) })),
    );
    expect(answers.filter(({ ok }) => ok)).toHaveLength(20);
    const { quantity, meta } = unwrap(await view.groups.read(at("b")));
    expect([quantity, meta.versionId]).toEqual([23, "21"]);
  });
});

describe("removeMember", () => {
  it("ends the membership today and keeps the item", async () => {
    const { view } = await open();
    const { record, versionId } = unwrap(await view.groups.removeMember(at("a"), { entity: ref("ben") }));
    expect(record.member?.[1]).toEqual({ entity: ref("ben"), role: role("child"), ...ended });
    expect([record.quantity, versionId]).toEqual([1, "2"]);
    expect(unwrap(await view.individuals.read("urn:gov:id|ben")).groupMembership).toHaveLength(1);
  });

  it("takes the day it is given, and any identifier of the person", async () => {
    const { view } = await open();
    const body = { entity: ref("ben"), endDate: "2025-11-11", reason: "moved" };
    const { record } = unwrap(await view.groups.removeMember(at("b"), body));
    expect(record.member?.[1]).toMatchObject({ period: { end: "2025-11-11" }, inactive: true });
  });

  it("tells the audit trail the reason", async () => {
    const { view, registry } = await open();
    unwrap(await view.groups.removeMember(at("a"), { entity: ref("ben"), reason: "moved to Cebu" }));
    const { data } = unwrap(await registry.audit());
    expect(data.filter(({ reason }) => reason === "moved to Cebu")).toMatchObject([
      { action: "change", fields: ["member"] },
    ]);
  });

  it("ends a membership that has not begun on its first day", async () => {
    const { view } = await open();
    unwrap(await view.groups.addMember(at("a"), { entity: ref("fay"), period: { start: "2026-01-02" } }));
    const { record } = unwrap(await view.groups.removeMember(at("a"), { entity: ref("fay") }));
    expect(record.member?.[3]?.period).toEqual({ start: "2026-01-02", end: "2026-01-02" });
  });

  it.each<[string, unknown, unknown]>([
    ["somebody who is no member", { entity: ref("eve") }, invalid("/entity not_a_member")],
    ["a former member", { entity: ref("cy") }, invalid("/entity not_a_member")],
    ["somebody unknown", { entity: ref("zoe") }, invalid("/entity not_a_member")],
    ["an unknown field", { entity: ref("ben"), why: "x" }, invalid("/why unknown_field")],
    ["no body", undefined, invalid(" invalid_type")],
    [
      "several faults at once",
      { entity: ref("eve"), endDate: "yesterday", reason: 5 },
      invalid("/endDate invalid_date", "/reason invalid_type", "/entity not_a_member"),
    ],
  ])("refuses %s", async (_name, body, expected) => {
    const { view } = await open();
    expect(told(await view.groups.removeMember(at("a"), body))).toEqual(expected);
  });

  it("refuses an end before the start", async () => {
    const { view } = await open();
    const outcome = await view.groups.removeMember(at("b"), { entity: ref("eve"), endDate: "2024-01-01" });
    expect(told(outcome)).toEqual(invalid("/endDate invalid_period"));
  });
});

describe("merge", () => {
  it("moves the active members, archives the source and leaves one head", async () => {
    const { view } = await open();
    const written = unwrap(await view.groups.merge({ source: groupRef("b"), target: groupRef("a") }));
    expect(written).toMatchObject({ reference: "Group/urn:service:group|a", versionId: "2" });
    expect(written.record.member).toEqual([
      { entity: ref("ana"), role: role("head") },
      { entity: ref("ben"), role: role("child") },
      { entity: ref("cy"), inactive: true, period: { start: "2020-01-01", end: "2021-01-01" } },
      { entity: ref("dan") },
      { entity: ref("eve"), period: { start: "2024-05-05" } },
    ]);
    const source = unwrap(await view.groups.read(at("b")));
    expect([source.active, source.quantity]).toEqual([false, 0]);
    expect(source.member?.map(({ inactive }) => inactive)).toEqual([true, true, true]);
  });

  it("brings a head along where there is none, and a former member back", async () => {
    const { view } = await open();
    unwrap(await view.groups.create(group("c", [{ entity: ref("dan"), inactive: true }])));
    const { record } = unwrap(await view.groups.merge({ source: groupRef("b"), target: groupRef("c") }));
    expect(record.member?.[0]).toEqual({ entity: ref("dan"), role: role("head") });
    expect(record.quantity).toBe(3);
  });

  it("leaves the source's enrollments with it", async () => {
    const { view } = await open();
    const identifier = [{ system: "urn:service:program", value: "p" }];
    unwrap(await view.programs.create({ type: "Program", identifier, name: "Cash", targetType: "group" }));
    const enrolled = unwrap(
      await view.memberships.create({
        type: "ProgramMembership",
        program: { reference: "Program/urn:service:program|p" },
        beneficiary: groupRef("b"),
        status: "enrolled",
      }),
    );
    unwrap(await view.groups.merge({ source: groupRef("b"), target: groupRef("a") }));
    const address = enrolled.reference.slice("ProgramMembership/".length);
    const after = unwrap(await view.memberships.read(address));
    expect(after).toEqual(enrolled.record);
  });

  it.each<[string, unknown, unknown]>([
    ["the same group twice", { source: groupRef("a"), target: groupRef("a") }, invalid("/target same_group")],
    ["an archived source", { source: groupRef("old"), target: groupRef("a") }, invalid("/source archived")],
    ["an archived target", { source: groupRef("a"), target: groupRef("old") }, invalid("/target archived")],
    [
      "unknown groups",
      { source: groupRef("x"), target: groupRef("y") },
      invalid("/source/reference unknown_reference", "/target/reference unknown_reference"),
    ],
    [
      "people, and unknown fields",
      { source: ref("ana"), into: groupRef("a") },
      invalid("/source/reference invalid_reference", "/target required", "/into unknown_field"),
    ],
  ])("refuses %s", async (_name, body, expected) => {
    const { view } = await open();
    expect(told(await view.groups.merge(body))).toEqual(expected);
    expect(unwrap(await view.groups.read(at("a"))).meta.versionId).toBe("1");
  });

  it("compares If-Match with the target", async () => {
    const { view } = await open();
    const body = { source: groupRef("b"), target: groupRef("a") };
    unwrap(await view.groups.addMember(at("a"), { entity: ref("fay") }));
    expect(told(await view.groups.merge(body, { ifMatch: ["1"] }))).toEqual({ kind: "conflict" });
    unwrap(await view.groups.merge(body, { ifMatch: ["2"] }));
  });

  it("repeats its answer under one idempotency key", async () => {
    const { view } = await open();
    const body = { source: groupRef("b"), target: groupRef("a") };
    const idempotency = { key: "k", fingerprint: "f" };
    const first = unwrap(await view.groups.merge(body, { idempotency }));
    expect(unwrap(await view.groups.merge(body, { idempotency }))).toEqual({ ...first, replayed: true });
    const other = { source: groupRef("x"), target: groupRef("a") };
    const mismatch = await view.groups.merge(other, { idempotency: { key: "k", fingerprint: "g" } });
    expect(told(mismatch)).toEqual({ kind: "idempotency-mismatch" });
  });
});

describe("split", () => {
  const identifier = [{ system: "urn:service:group", value: "new" }];

  it("makes a group of the members who leave", async () => {
    const { view } = await open();
    const body = { identifier, name: "Young", members: [ref("ben")], head: ref("ben") };
    const written = unwrap(await view.groups.split(at("a"), body));
    expect(written).toMatchObject({
      created: true,
      versionId: "1",
      reference: "Group/urn:service:group|new",
    });
    expect(written.record).toMatchObject({
      groupType: "household",
      name: "Young",
      quantity: 1,
      address: [{ country: "PH", state: "Cavite", city: "Imus" }],
      member: [{ entity: ref("ben"), role: role("head") }],
    });
    const source = unwrap(await view.groups.read(at("a")));
    expect([source.quantity, source.meta.versionId]).toEqual([1, "2"]);
    expect(source.member?.[1]).toEqual({ entity: ref("ben"), role: role("child"), ...ended });
  });

  it("lets the head go along, and gives the role to another when asked", async () => {
    const { view } = await open();
    const members = [ref("dan"), ref("ben")];
    const one = unwrap(
      await view.groups.split(at("b"), { identifier, name: "New", members, head: ref("ben") }),
    );
    expect(one.record.member).toEqual([
      { entity: ref("dan") },
      { entity: { reference: "Individual/urn:other|oben" }, role: role("head") },
    ]);
  });

  it("makes the head of the old group, who leaves it, that of the new one", async () => {
    const { view } = await open();
    const body = { identifier, name: "Young", members: [ref("ana")] };
    const { record } = unwrap(await view.groups.split(at("a"), body));
    expect(record.member).toEqual([{ entity: ref("ana"), role: role("head") }]);
  });

  it.each<[string, object, unknown]>([
    ["somebody who is no member", { members: [ref("ben"), ref("eve")] }, invalid("/members/1 not_a_member")],
    ["a former member", { members: [ref("cy")] }, invalid("/members/0 not_a_member")],
    [
      "a head who stays",
      { members: [ref("ben")], head: ref("ana") },
      invalid("/head head_not_among_members"),
    ],
    ["an unknown head", { members: [ref("ben")], head: ref("zoe") }, invalid("/head head_not_among_members")],
    ["nobody", { members: [] }, invalid("/members too_short")],
    ["everybody", { members: [ref("ana"), ref("ben")] }, invalid("/members all_members")],
    [
      "somebody twice",
      { members: [ref("ben"), { reference: "Individual/urn:other|oben" }] },
      invalid("/members/1 duplicate_member"),
    ],
    [
      "many faults at once",
      { name: "", identifier: [], members: [ref("eve")], head: ref("ana"), groupType: "other" },
      invalid(
        "/groupType unknown_field",
        "/identifier required",
        "/name required",
        "/members/0 not_a_member",
        "/head head_not_among_members",
      ),
    ],
    ["one identifier without a list", { identifier: identifier[0] }, invalid("/identifier invalid_type")],
    [
      "a taken identifier",
      { identifier: [{ system: "urn:service:group", value: "b" }] },
      { kind: "duplicate" },
    ],
  ])("refuses %s", async (_name, more, expected) => {
    const { view } = await open();
    const body = { identifier, name: "Young", members: [ref("ben")], ...more };
    expect(sorted(told(await view.groups.split(at("a"), body)))).toEqual(sorted(expected));
    expect(unwrap(await view.groups.read(at("a"))).meta.versionId).toBe("1");
  });
});
