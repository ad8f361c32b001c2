import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { decideGroup } from "./decide-group.ts";

const today = "2026-06-15";
const member = (id: string, more: JsonObject = {}) => ({
  entity: { reference: `Individual/urn:p|${id}` },
  ...more,
});
const group = (active: boolean, ...ids: readonly (string | JsonObject)[]): JsonObject => ({
  type: "Group",
  active,
  member: ids.map((id) => (typeof id === "string" ? member(id) : id)),
});
const left = member("b", { period: { end: "2026-06-14" } });

describe("decideGroup", () => {
  it.each<[string, JsonObject | null, JsonObject, readonly string[]]>([
    ["a new group that is archived", null, group(false, "a"), []],
    ["a member more", group(true, "a"), group(true, "a", "b"), []],
    ["a member more of an archived group", group(false, "a"), group(false, "a", "b"), ["/member/1"]],
    ["somebody else in the place of a member", group(false, "a"), group(false, "b"), ["/member/0"]],
    ["somebody who left and comes back", group(false, "a", left), group(false, "a", "b"), ["/member/1"]],
    ["a member more who has left", group(false, "a"), group(false, "a", left), []],
    ["the same members in another order", group(false, "a", "b"), group(false, "b", "a"), []],
    ["a member less", group(false, "a", "b"), group(false, "b"), []],
    ["a member more, and the group in use again", group(false, "a"), group(true, "a", "b"), []],
    ["a member more, and the group archived", group(true, "a"), group(false, "a", "b"), []],
  ])("judges %s", (_, before, after, fields) => {
    expect(decideGroup({ before, after, today }).map(({ field }) => field)).toEqual(fields);
  });

  it("knows a member by another name, where its caller does", () => {
    const identity = (reference: string) => reference.replace("urn:q", "urn:p");
    const renamed = { entity: { reference: "Individual/urn:q|a" } };
    const change = { before: group(false, "a"), after: group(false, renamed), today };
    expect(decideGroup({ ...change, identity })).toEqual([]);
    expect(decideGroup(change)).toMatchObject([{ code: "archived" }]);
  });
});
