import type { Group } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { knownMembers } from "./known-members.ts";

const today = "2026-11-26";
const household = {
  member: [
    { entity: { reference: "Individual/a|1" } },
    { entity: { reference: "Individual/a|2" }, inactive: true },
    { entity: { reference: "Individual/a|3" }, period: { end: "2026-11-25" } },
  ],
} as Pick<Group, "member">;

describe("people found who are members of a household already", () => {
  it.each([
    ["1", "Ana", "Ana is already a member of this household."],
    ["1", "x".repeat(60), `${"x".repeat(40)}… is already a member of this household.`],
    ["2", "Ben", "Ben was a member of this household and has left."],
    ["3", "Eva", "Eva was a member of this household and has left."],
    ["4", "Ida", undefined],
  ])("are told of: %s %s", (id, name, text) => {
    const reference = `Individual/a|${id}`;
    const known = knownMembers(household, [{ reference, name }], today);
    expect(known).toEqual(text === undefined ? [] : [{ reference, text }]);
  });

  it("are none of a household without members", () => {
    expect(knownMembers({}, [{ reference: "Individual/a|1", name: "Ana" }], today)).toEqual([]);
  });
});
