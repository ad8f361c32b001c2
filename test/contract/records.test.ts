import { beforeEach, describe, expect, it } from "vitest";
import { addProgram, household, person, type Service, startService, stores } from "./fixture.ts";

const member = "Individual/urn:gov:ph:nid|1";
const beneficiary = { reference: "Group/urn:service:group|g" };
const enrollment = {
  type: "ProgramMembership",
  identifier: [{ system: "urn:m", value: "1" }],
  program: { reference: "Program/urn:service:program|cash" },
  beneficiary,
  status: "enrolled",
};
const head = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };

describe.each(stores)("records on %s", (_name, open) => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ open });
    await addProgram(service.registry);
    await service.call({ method: "POST", path: "/Individual", body: person("1") });
    await service.call({ method: "POST", path: "/Individual", body: person("2") });
    const body = household("g", [], { member: [{ entity: { reference: member }, role: head }] });
    expect((await service.call({ method: "POST", path: "/Group", body })).status).toBe(201);
  });

  const change = (method: string, path: string, body: unknown) =>
    service.call({ method, path, body, headers: { "If-Match": "*" } });
  const enroll = (body: unknown = enrollment) =>
    service.call({ method: "POST", path: "/ProgramMembership", body });
  const codes = (body: { errors: { field: string; code: string }[] }) =>
    body.errors.map(({ field }) => field);

  it("a group counts its members, and its members show it", async () => {
    const group = await service.call({ path: "/Group/urn:service:group|g" });
    expect(group.body).toMatchObject({ quantity: 1, member: [{ entity: { reference: member } }] });
    const { body } = await service.call({ path: `/${member}` });
    expect(body.groupMembership).toMatchObject([{ group: beneficiary, role: head }]);
  });

  it("a new member changes the group's version and not the person's", async () => {
    const more = [
      { entity: { reference: member }, role: head },
      { entity: { reference: "Individual/urn:gov:ph:nid|2" } },
    ];
    const { body } = await change("PATCH", "/Group/urn:service:group|g", { member: more });
    expect(body).toMatchObject({ quantity: 2, meta: { versionId: "2" } });
    const joined = await service.call({ path: "/Individual/urn:gov:ph:nid|2" });
    expect(joined.body).toMatchObject({
      groupMembership: [{ group: beneficiary }],
      meta: { versionId: "1" },
    });
  });

  const badMembers: readonly (readonly [string, unknown, string])[] = [
    ["someone unknown", [{ entity: { reference: "Individual/urn:gov:ph:nid|9" } }], "/member/0/entity"],
    [
      "the same person twice",
      [{ entity: { reference: member } }, { entity: { reference: member } }],
      "/member/1/entity",
    ],
    [
      "two heads",
      [
        { entity: { reference: member }, role: head },
        { entity: { reference: "Individual/urn:gov:ph:nid|2" }, role: head },
      ],
      "/member",
    ],
  ];
  it.each(badMembers)("a group with %s is refused whole", async (_case, members, field) => {
    const { status, body } = await change("PATCH", "/Group/urn:service:group|g", {
      member: members,
      name: "New",
    });
    expect(status).toBe(422);
    expect(codes(body).some((name) => name.startsWith(field))).toBe(true);
    expect((await service.call({ path: "/Group/urn:service:group|g" })).body.meta.versionId).toBe("1");
  });

  it("an archived record stays readable and leaves the usual search", async () => {
    expect((await change("PATCH", "/Individual/urn:gov:ph:nid|2", { active: false })).status).toBe(200);
    expect((await service.call({ path: "/Individual/urn:gov:ph:nid|2" })).body.active).toBe(false);
    expect((await service.call({ path: "/Individual" })).body.data).toHaveLength(1);
  });

  it("a patch that clears what a record needs is refused", async () => {
    for (const [path, body] of [
      ["/Individual/urn:gov:ph:nid|1", { name: null }],
      ["/Individual/urn:gov:ph:nid|1", { identifier: null }],
      ["/Group/urn:service:group|g", { groupType: null }],
    ] as const) {
      expect((await change("PATCH", path, body)).status).toBe(422);
    }
  });

  it("an enrollment gets today's date, and an identifier where it has none", async () => {
    const { identifier: _, ...bare } = enrollment;
    const { status, headers, body } = await enroll(bare);
    expect(status).toBe(201);
    expect(body).toMatchObject({
      enrollmentDate: "2026-03-01",
      identifier: [{ system: "urn:service:program-membership" }],
    });
    expect((await service.call({ path: headers.get("Location") ?? "" })).status).toBe(200);
  });

  it("a second enrollment of the same beneficiary is a duplicate", async () => {
    await enroll();
    const { status, body } = await enroll({ ...enrollment, identifier: [{ system: "urn:m", value: "2" }] });
    expect([status, body.type]).toEqual([409, "urn:service:error:duplicate"]);
  });

  it.each([
    ["an unknown program", { program: { reference: "Program/urn:x|1" } }, "/program"],
    ["an unknown beneficiary", { beneficiary: { reference: "Group/urn:x|1" } }, "/beneficiary"],
    ["a person in a program for groups", { beneficiary: { reference: member } }, "/beneficiary"],
    ["a state to end in", { status: "exited", exitReason: "moved" }, "/status"],
  ])("an enrollment of %s is refused", async (_case, members, field) => {
    const { status, body } = await enroll({ ...enrollment, ...members });
    expect(status).toBe(422);
    expect(codes(body).some((name) => name.startsWith(field))).toBe(true);
  });

  it("an enrollment moves as its states allow, and no other way", async () => {
    await enroll();
    const path = "/ProgramMembership/urn:m|1";
    expect((await change("PUT", path, { ...enrollment, status: "paused" })).status).toBe(200);
    const unexplained = await change("PUT", path, { ...enrollment, status: "exited" });
    expect([unexplained.status, codes(unexplained.body)]).toEqual([422, ["/exitReason"]]);
    const left = await change("PUT", path, { ...enrollment, status: "exited", exitReason: "moved" });
    expect(left.body).toMatchObject({ status: "exited", exitDate: "2026-03-01" });
    const back = await change("PUT", path, enrollment);
    expect([back.status, back.body.errors[0].code]).toEqual([422, "invalid_transition"]);
  });

  it("an enrollment keeps its program and beneficiary", async () => {
    await enroll();
    await service.call({ method: "POST", path: "/Group", body: household("h", []) });
    const moved = { ...enrollment, beneficiary: { reference: "Group/urn:service:group|h" } };
    expect((await change("PUT", "/ProgramMembership/urn:m|1", moved)).status).toBe(422);
  });
});
