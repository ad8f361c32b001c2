import { createRegistry, operator, unwrap } from "@fieldroll/core";
import { v7 } from "uuid";
import { beforeEach, describe, expect, it } from "vitest";
import { type Answer, addProgram, household, person, type Service, startService, stores } from "./fixture.ts";

const today = "2026-03-01";
const head = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };
const child = { coding: [{ system: "urn:service:vocab:relationship", code: "child" }] };
const ref = (value: string) => ({ reference: `Individual/urn:gov:ph:nid|${value}` });
const group = (value: string) => ({ reference: `Group/urn:service:group|${value}` });
const path = (value: string) => `/Group/urn:service:group|${value}`;

function faultsOf({ status, body }: Answer): unknown {
  return [status, body.errors?.map(({ field, code }: { field: string; code: string }) => `${field} ${code}`)];
}

describe.each(stores)("member operations on %s", (_name, open) => {
  let service: Service;
  const post = (to: string, body: unknown, headers: Record<string, string> = {}, as = "writer") =>
    service.call({ method: "POST", path: to, body, headers, as });
  const read = async (to: string) => (await service.call({ path: to })).body;

  beforeEach(async () => {
    service = await startService({ open });
    for (const value of ["1", "2", "3", "4"]) {
      expect((await post("/Individual", person(value))).status).toBe(201);
    }
    const members = (first: string, second: string) => [
      { entity: ref(first), role: head },
      { entity: ref(second) },
    ];
    expect((await post("/Group", household("a", [], { member: members("1", "2") }))).status).toBe(201);
    expect((await post("/Group", household("b", [], { member: members("3", "2") }))).status).toBe(201);
  });

  it("$add-member answers 201 with the group, at its next version", async () => {
    const member = { entity: ref("4"), role: child, period: { start: "2026-02-01" } };
    const answer = await post(`${path("a")}/$add-member`, member);
    expect(answer.status).toBe(201);
    expect(answer.headers.get("ETag")).toBe('"2"');
    expect(answer.headers.get("Location")).toContain(path("a"));
    expect(answer.body).toMatchObject({ type: "Group", quantity: 3, meta: { versionId: "2" } });
    expect(answer.body.member[2]).toEqual(member);
    expect(answer.body).toEqual(await read(path("a")));
  });

  it("adding a member changes the group's version only, and the person's groupMembership", async () => {
    await post(`${path("a")}/$add-member`, { entity: ref("4"), role: child });
    const added = await read("/Individual/urn:gov:ph:nid|4");
    expect(added.meta.versionId).toBe("1");
    expect(added.groupMembership).toEqual([{ group: group("a"), role: child }]);
  });

  it("$remove-member answers 200 with the group, which keeps who was a member", async () => {
    const body = { entity: ref("2"), reason: "married" };
    const answer = await post(`${path("a")}/$remove-member`, body);
    expect([answer.status, answer.headers.get("ETag"), answer.body.quantity]).toEqual([200, '"2"', 1]);
    expect(answer.body.member[1]).toEqual({ entity: ref("2"), period: { end: today }, inactive: true });
    expect((await read("/Individual/urn:gov:ph:nid|2")).groupMembership).toEqual([{ group: group("b") }]);
    const again = await post(`${path("a")}/$add-member`, { entity: ref("2") });
    expect([again.status, again.body.quantity, again.body.member.length]).toEqual([201, 2, 2]);
  });

  it("$remove-member takes the day on which the membership ended", async () => {
    const answer = await post(`${path("a")}/$remove-member`, { entity: ref("2"), endDate: "2026-01-31" });
    expect(answer.body.member[1].period).toEqual({ end: "2026-01-31" });
  });

  it("$merge moves active members, archives the source, and a second head loses the role", async () => {
    const answer = await post("/Group/$merge", { source: group("b"), target: group("a") });
    expect([answer.status, answer.headers.get("ETag")]).toEqual([200, '"2"']);
    expect(answer.body.member).toEqual([
      { entity: ref("1"), role: head },
      { entity: ref("2") },
      { entity: ref("3") },
    ]);
    expect(await read(path("b"))).toMatchObject({ active: false, quantity: 0, meta: { versionId: "2" } });
    const moved = await read("/Individual/urn:gov:ph:nid|3");
    expect([moved.groupMembership, moved.meta.versionId]).toEqual([[{ group: group("a") }], "1"]);
  });

  it("$merge leaves enrollments with the group that was enrolled", async () => {
    await addProgram(service.registry);
    const program = { reference: "Program/urn:service:program|cash" };
    const enrolled = await post("/ProgramMembership", {
      type: "ProgramMembership",
      program,
      beneficiary: group("b"),
      status: "enrolled",
    });
    expect(enrolled.status).toBe(201);
    await post("/Group/$merge", { source: group("b"), target: group("a") });
    const found = await service.call({
      path: `/ProgramMembership?beneficiary=${encodeURIComponent(group("b").reference)}`,
    });
    expect(found.body.data).toEqual([enrolled.body]);
  });

  it("$split answers 201 with the new group", async () => {
    const identifier = [{ system: "urn:service:group", value: "new" }];
    const body = { identifier, name: "Young", members: [ref("2")], head: ref("2") };
    const answer = await post(`${path("a")}/$split`, body);
    expect([answer.status, answer.headers.get("ETag")]).toEqual([201, '"1"']);
    expect(answer.headers.get("Location")).toContain(path("new"));
    expect(answer.body).toMatchObject({
      groupType: "household",
      name: "Young",
      quantity: 1,
      member: [{ entity: ref("2"), role: head }],
    });
    const source = await read(path("a"));
    expect([source.quantity, source.meta.versionId, source.member[1].inactive]).toEqual([1, "2", true]);
  });

  const split = { identifier: [{ system: "urn:service:group", value: "new" }], name: "New" };

  it.each<[string, string, unknown, unknown]>([
    ["an active member is added", "a/$add-member", { entity: ref("1") }, "/entity duplicate_member"],
    ["nobody known is added", "a/$add-member", { entity: ref("9") }, "/entity/reference unknown_reference"],
    ["a second head is added", "a/$add-member", { entity: ref("4"), role: head }, "/role second_head"],
    ["nobody is added", "a/$add-member", {}, "/entity required"],
    ["a member item has more", "a/$add-member", { entity: ref("4"), reason: "x" }, "/reason unknown_field"],
    ["who is no member is removed", "a/$remove-member", { entity: ref("3") }, "/entity not_a_member"],
    [
      "a removal ends on no day",
      "a/$remove-member",
      { entity: ref("2"), endDate: "2026-02-30" },
      "/endDate invalid_date",
    ],
    [
      "a group is merged with itself",
      "$merge",
      { source: group("a"), target: group("a") },
      "/target same_group",
    ],
    [
      "an unknown group is merged",
      "$merge",
      { source: group("x"), target: group("a") },
      "/source/reference unknown_reference",
    ],
    [
      "a person is merged",
      "$merge",
      { source: ref("1"), target: group("a") },
      "/source/reference invalid_reference",
    ],
    [
      "an identifier is no list",
      "a/$split",
      { ...split, identifier: split.identifier[0], members: [ref("2")] },
      "/identifier invalid_type",
    ],
    ["who is no member leaves", "a/$split", { ...split, members: [ref("3")] }, "/members/0 not_a_member"],
    ["everybody leaves", "a/$split", { ...split, members: [ref("1"), ref("2")] }, "/members all_members"],
    ["nobody leaves", "a/$split", { ...split, members: [] }, "/members too_short"],
    [
      "the head of a split stays",
      "a/$split",
      { ...split, members: [ref("2")], head: ref("1") },
      "/head head_not_among_members",
    ],
  ])("refuses, naming the field, when %s", async (_case, operation, body, fault) => {
    const answer = await post(`/Group/${operation.replace(/^a/, "urn:service:group|a")}`, body);
    expect(faultsOf(answer)).toEqual([422, [fault]]);
    expect((await read(path("a"))).meta.versionId).toBe("1");
    expect((await service.call({ path: path("new") })).status).toBe(404);
  });

  it("$split under a taken identifier is a duplicate", async () => {
    const identifier = [{ system: "urn:service:group", value: "b" }];
    const answer = await post(`${path("a")}/$split`, { ...split, identifier, members: [ref("2")] });
    expect([answer.status, answer.body.type]).toEqual([409, "urn:service:error:duplicate"]);
  });

  it("an archived source is refused", async () => {
    await post("/Group/$merge", { source: group("b"), target: group("a") });
    const again = await post("/Group/$merge", { source: group("b"), target: group("a") });
    expect(faultsOf(again)).toEqual([422, ["/source archived"]]);
  });

  it("an unknown group is not found, and an address without | is a bad request", async () => {
    for (const operation of ["$add-member", "$remove-member"]) {
      expect((await post(`${path("x")}/${operation}`, { entity: ref("4") })).status).toBe(404);
    }
    expect((await post("/Group/5/$add-member", { entity: ref("4") })).status).toBe(400);
  });

  it.each([
    ["$add-member", { entity: ref("4") }, 201],
    ["$remove-member", { entity: ref("2") }, 200],
    ["$split", { ...split, members: [ref("2")] }, 201],
  ] as const)("%s honours If-Match when it is sent", async (operation, body, status) => {
    const to = `${path("a")}/${operation}`;
    expect((await post(to, body, { "If-Match": '"7"' })).status).toBe(409);
    expect((await post(to, body, { "If-Match": 'W/"7"' })).status).toBe(409);
    expect((await post(to, body, { "If-Match": '"1"' })).status).toBe(status);
  });

  it("$merge compares If-Match with the target", async () => {
    const body = { source: group("b"), target: group("a") };
    expect((await post("/Group/$merge", body, { "If-Match": '"2"' })).status).toBe(409);
    expect((await post("/Group/$merge", body, { "If-Match": '"1"' })).status).toBe(200);
  });

  it("an Idempotency-Key repeats the answer, and has one effect", async () => {
    const headers = { "Idempotency-Key": "k" };
    const body = { ...split, members: [ref("2")] };
    const first = await post(`${path("a")}/$split`, body, headers);
    const again = await post(`${path("a")}/$split`, body, headers);
    expect(again.headers.get("Idempotent-Replayed")).toBe("true");
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect((await read(path("a"))).meta.versionId).toBe("2");
    const other = await post(`${path("b")}/$split`, body, headers);
    expect([other.status, other.body.type]).toEqual([422, "urn:service:error:idempotency-mismatch"]);
  });

  it("needs registry:write", async () => {
    const answer = await post(`${path("x")}/$add-member`, { entity: ref("4") }, {}, "reader");
    expect([answer.status, answer.body.missing_scope]).toEqual([403, "registry:write"]);
  });

  it("fifty concurrent additions to one group all succeed", async () => {
    const view = service.registry.as(operator);
    const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
    for (const name of names) unwrap(await view.individuals.create(person(name)));
    const answers = await Promise.all(
      names.map((name) => post(`${path("a")}/$add-member`, { entity: ref(name) })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(50);
    const { quantity, meta, member } = await read(path("a"));
    expect([quantity, meta.versionId]).toEqual([52, "51"]);
    expect(new Set(member.map((item: { entity: { reference: string } }) => item.entity.reference)).size).toBe(
      52,
    );
  }, 60_000);

  it("additions by several processes on one store all succeed", async () => {
    const config = { store: service.store, clock: () => service.clock.now, newId: v7 };
    const views = [1, 2, 3].map(() => createRegistry(config).as(operator));
    const names = Array.from({ length: 24 }, (_, i) => `n${i}`);
    for (const name of names) unwrap(await service.registry.as(operator).individuals.create(person(name)));
    const answers = await Promise.all(
      names.map((name, i) =>
        views[i % views.length]?.groups.addMember("urn:service:group|a", { entity: ref(name) }),
      ),
    );
    expect(answers.filter((answer) => answer?.ok)).toHaveLength(24);
    expect(await read(path("a"))).toMatchObject({ quantity: 26, meta: { versionId: "25" } });
  }, 60_000);

  it("additions, removals and a merge at once leave everybody in one place", async () => {
    const answers = await Promise.all([
      post(`${path("a")}/$add-member`, { entity: ref("4") }),
      post(`${path("a")}/$remove-member`, { entity: ref("1") }),
      post("/Group/$merge", { source: group("b"), target: group("a") }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect((await read(path("a"))).quantity).toBe(3);
    expect((await read(path("b"))).quantity).toBe(0);
  });

  describe("for a caller bound by consent", () => {
    const consented = async (subject: string, fields: readonly string[], more = {}) => {
      const scope = [{ resourceType: "all", fieldAccess: "custom", fields }];
      const terms = { subject: { reference: subject }, grantee: { organization: "Aid" }, scope, ...more };
      unwrap(await service.registry.as(operator).consents.grant(terms));
    };

    it("a hidden group is refused exactly as an unknown one", async () => {
      const [hidden, unknown] = await Promise.all(
        ["a", "x"].map((value) => post(`${path(value)}/$add-member`, { entity: ref("1") }, {}, "ngo")),
      );
      expect([hidden?.status, unknown?.status]).toEqual([403, 403]);
      const told = (answer: Answer | undefined) =>
        JSON.stringify(answer?.body).replaceAll("group|x", "group|a");
      expect(told(hidden)).toBe(told(unknown));
    });

    it("who is a member is not told where the members are hidden", async () => {
      await consented(group("a").reference, ["name"]);
      const answers = await Promise.all(
        [ref("1"), ref("4"), ref("9")].map((entity) =>
          post(`${path("a")}/$add-member`, { entity }, {}, "ngo"),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403]);
      expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
      expect((await read(path("a"))).meta.versionId).toBe("1");
    });

    it("a hidden person can't be added, just as an unknown one", async () => {
      await consented(group("a").reference, ["name", "member", "active"]);
      const answers = await Promise.all(
        ["4", "9"].map((value) => post(`${path("a")}/$add-member`, { entity: ref(value) }, {}, "ngo")),
      );
      expect(answers.map(faultsOf)).toEqual([
        [422, ["/entity/reference unknown_reference"]],
        [422, ["/entity/reference unknown_reference"]],
      ]);
      await consented(ref("4").reference, ["name"]);
      const widening = await post(`${path("a")}/$add-member`, { entity: ref("4") }, {}, "ngo");
      expect(faultsOf(widening)).toEqual([403, ["/entity widens_sight"]]);
      await consented(ref("4").reference, ["name", "member", "active"]);
      const answer = await post(`${path("a")}/$add-member`, { entity: ref("4") }, {}, "ngo");
      expect(answer.status).toBe(201);
      expect(answer.body).not.toHaveProperty("groupType");
    });

    it("a person can't be added to a group whose consent will show more of them one day", async () => {
      await consented(group("a").reference, ["name", "member", "active"]);
      await consented(ref("4").reference, ["name", "member", "active"]);
      await consented(group("a").reference, ["birthDate"], { effectiveDate: "2999-01-01" });
      const widening = await post(`${path("a")}/$add-member`, { entity: ref("4") }, {}, "ngo");
      expect(faultsOf(widening)).toEqual([403, ["/entity widens_sight"]]);
    });

    describe("whose membership of a person is to end", () => {
      const member = (period: object) => ({ member: [{ entity: ref("1") }, { entity: ref("4"), period }] });
      const ending = { start: "2026-01-01", end: "2026-03-05" };
      const prolong = (period: object) => {
        const headers = { "If-Match": "*" };
        return service.call({ method: "PATCH", path: path("e"), body: member(period), headers, as: "ngo" });
      };
      beforeEach(async () => {
        expect((await post("/Group", household("e", [], member(ending)))).status).toBe(201);
        await consented(group("e").reference, ["member"]);
      });

      it.each([
        ["without an end", { start: "2026-01-01" }],
        ["by a day", { start: "2026-01-01", end: "2026-03-06" }],
        ["without any period", null],
      ])("prolonging it %s is refused: it sees the person by it alone", async (_case, period) => {
        const answer = await prolong(period as object);
        expect(faultsOf(answer)).toEqual([403, ["/member/1/entity widens_sight"]]);
        expect((await read(path("e"))).meta.versionId).toBe("1");
      });

      it("prolonging it past the day on which a consent given ahead shows more is refused", async () => {
        await consented(ref("4").reference, ["member"]);
        await consented(group("e").reference, ["birthDate"], { effectiveDate: "2026-03-10" });
        expect((await prolong({ start: "2026-01-01", end: "2026-03-09" })).status).toBe(200);
        const answer = await prolong({ start: "2026-01-01", end: "2026-03-10" });
        expect(faultsOf(answer)).toEqual([403, ["/member/1/entity widens_sight"]]);
      });

      it("prolonging it is allowed when the person's own consent shows as much, and shortening it always", async () => {
        expect((await prolong({ start: "2026-01-01", end: "2026-03-04" })).status).toBe(200);
        await consented(ref("4").reference, ["member"]);
        expect((await prolong({ start: "2026-01-01" })).status).toBe(200);
      });
    });

    it("a hidden group is merged as little as an unknown one", async () => {
      await consented(group("a").reference, ["name", "member", "active"]);
      unwrap(await service.registry.as(operator).individuals.create(person("5")));
      const merged = await post("/Group/$merge", { source: group("x"), target: group("a") }, {}, "ngo");
      expect(faultsOf(merged)).toEqual([422, ["/source/reference unknown_reference"]]);
      const hidden = household("c", [ref("5").reference]);
      expect((await post("/Group", hidden)).status).toBe(201);
      const other = await post("/Group/$merge", { source: group("c"), target: group("a") }, {}, "ngo");
      expect(faultsOf(other)).toEqual([422, ["/source/reference unknown_reference"]]);
    });
  });
});
