import type { Group } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { livedIn, severalText } from "./households-text.ts";

const ana = "Individual/urn:x|1";
const home = (name: string, change: Partial<Group> = {}) => ({
  record: {
    ...{ type: "Group", groupType: "household", identifier: [], name, active: true },
    member: [{ entity: { reference: ana } }],
    ...change,
  } as unknown as Group,
});

describe("the households of a person", () => {
  it.each<[string, Partial<Group>]>([
    ["an archived one", { active: false }],
    ["a group of another kind", { groupType: "organization" } as Partial<Group>],
    ["one that they left", { member: [{ entity: { reference: ana }, inactive: true }] }],
    [
      "one that they left by a day",
      { member: [{ entity: { reference: ana }, period: { end: "2026-01-01" } }] },
    ],
    ["one of others", { member: [{ entity: { reference: "Individual/urn:x|2" } }] }],
  ])("leave out %s", (_name, change) => {
    expect(livedIn(ana, [home("Reyes"), home("Cruz", change)], "2026-02-01")).toEqual(["Reyes"]);
  });

  it("are told where they are several, and not where they are one or none", () => {
    expect(severalText("Ana", ["Reyes", "Cruz", "Santos"])).toMatch(
      /^Ana is a member of Reyes, Cruz and Santos\. /,
    );
    expect([severalText("Ana", ["Reyes"]), severalText("Ana", [])]).toEqual([undefined, undefined]);
  });
});
