import { beforeEach, describe, expect, it } from "vitest";
import { household, person, stores } from "./fixture.ts";
import { everything, seed, startWorld, type World } from "./world.ts";

const writer = { id: "writer", scopes: everything, organization: "Ministry", legalBasis: "public_task" };
const reference = (value: string) => ({ reference: `Individual/urn:gov:ph:nid|${value}` });
const group = (value: string) => ({ reference: `Group/urn:service:group|${value}` });
const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
const a = "/Group/urn:service:group|a";

interface Member {
  readonly entity: { readonly reference: string };
  readonly inactive?: boolean;
  readonly period?: { readonly end?: string };
  readonly role?: { readonly coding: readonly { readonly code: string }[] };
}

describe.each(stores)("member operations on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await startWorld({ open, clients: [writer] });
    const member = (value: string, code: string) => ({ entity: reference(value), role: role(code) });
    await seed(world, [
      ...["1", "2", "3", "4"].map((value) => person(value)),
      household("a", [], { member: [member("1", "head"), member("2", "spouse")] }),
      household("b", [], { name: "Cruz", member: [member("3", "head")] }),
    ]);
  });
  const post = (path: string, body: unknown, headers = {}) => world.post("writer", path, body, headers);
  const active = (body: { member?: readonly Member[] }) =>
    (body.member ?? [])
      .filter(({ inactive, period }) => !inactive && !period?.end)
      .map(({ entity }) => entity.reference.split("|")[1]);

  it("$add-member adds one and answers 201 with the group", async () => {
    const { status, headers, body } = await post(`${a}/$add-member`, {
      entity: reference("4"),
      role: role("child"),
    });
    expect([status, body.type, body.quantity, headers.get("ETag")]).toEqual([201, "Group", 3, '"2"']);
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|4")).body).toMatchObject({
      groupMembership: [{ group: group("a"), role: role("child") }],
      meta: { versionId: "1" },
    });
  });

  it.each([
    ["someone unknown", { entity: reference("9") }],
    ["a second head", { entity: reference("4"), role: role("head") }],
    ["a member it has", { entity: reference("2") }],
    ["nobody", {}],
    ["an unknown member of the body", { entity: reference("4"), color: "red" }],
  ])("$add-member of %s is refused", async (_case, body) => {
    expect((await post(`${a}/$add-member`, body)).status).toBe(422);
    expect((await world.get("writer", a)).body.meta.versionId).toBe("1");
  });

  it("$remove-member ends a membership and answers 200 with the group", async () => {
    const { status, body } = await post(`${a}/$remove-member`, {
      entity: reference("2"),
      endDate: "2026-02-01",
      reason: "moved",
    });
    expect([status, body.quantity, active(body), body.meta.versionId]).toEqual([200, 1, ["1"], "2"]);
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|2")).body.groupMembership ?? []).toEqual(
      [],
    );
  });

  it("$remove-member of who is no member is refused", async () => {
    expect((await post(`${a}/$remove-member`, { entity: reference("4") })).status).toBe(422);
  });

  it.each(["$add-member", "$remove-member"])("%s honours If-Match when it is sent", async (operation) => {
    const body = { entity: reference(operation === "$add-member" ? "4" : "2") };
    const stale = await post(`${a}/${operation}`, body, { "If-Match": '"9"' });
    expect([stale.status, stale.body.type]).toEqual([409, "urn:service:error:conflict"]);
    expect((await post(`${a}/${operation}`, body, { "If-Match": '"1"' })).status).toBeLessThan(300);
  });

  it("$merge moves the active members, archives the source, and a second head loses the role", async () => {
    const { status, body } = await post("/Group/$merge", { source: group("b"), target: group("a") });
    expect([status, body.identifier[0].value, body.quantity, active(body).sort()]).toEqual([
      200,
      "a",
      3,
      ["1", "2", "3"],
    ]);
    const heads = body.member.filter((member: Member) => member.role?.coding[0]?.code === "head");
    expect(heads.map(({ entity }: Member) => entity)).toEqual([reference("1")]);
    const source = (await world.get("writer", "/Group/urn:service:group|b")).body;
    expect([source.active, source.quantity]).toEqual([false, 0]);
    expect((await world.get("writer", "/Individual/urn:gov:ph:nid|3")).body.groupMembership).toMatchObject([
      { group: group("a") },
    ]);
  });

  it.each([
    ["an unknown group", { source: group("x"), target: group("a") }],
    ["a group with itself", { source: group("a"), target: group("a") }],
    ["a group and a person", { source: reference("1"), target: group("a") }],
  ])("$merge of %s is refused", async (_case, body) => {
    expect((await post("/Group/$merge", body)).status).toBe(422);
  });

  it("$split makes a new group of some members and answers 201 with it", async () => {
    const body = {
      identifier: [{ system: "urn:service:group", value: "new" }],
      name: "New",
      members: [reference("2")],
      head: reference("2"),
    };
    const answer = await post(`${a}/$split`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(answer.body).toMatchObject({
      name: "New",
      quantity: 1,
      groupType: "household",
      member: [{ entity: reference("2"), role: role("head") }],
    });
    expect(answer.headers.get("Location")).toContain("/Group/urn:service:group|new");
    expect(active((await world.get("writer", a)).body)).toEqual(["1"]);
  });

  it.each([
    ["someone who is no member", { members: [reference("4")] }],
    ["a head who is not among them", { head: reference("1") }],
    ["nobody", { members: [] }],
  ])("$split of %s is refused, and changes nothing", async (_case, more) => {
    const body = {
      identifier: [{ system: "urn:service:group", value: "new" }],
      name: "New",
      members: [reference("2")],
      ...more,
    };
    expect((await post(`${a}/$split`, body)).status).toBe(422);
    expect((await world.get("writer", "/Group/urn:service:group|new")).status).toBe(404);
    expect((await world.get("writer", a)).body.meta.versionId).toBe("1");
  });

  it("$split under a taken identifier is a duplicate", async () => {
    const body = {
      identifier: [{ system: "urn:service:group", value: "b" }],
      name: "New",
      members: [reference("2")],
    };
    expect((await post(`${a}/$split`, body)).status).toBe(409);
  });

  it("operations on a group that is not there are not found", async () => {
    for (const operation of ["$add-member", "$remove-member"]) {
      expect((await post(`/Group/urn:x|9/${operation}`, { entity: reference("1") })).status).toBe(404);
    }
  });
});
