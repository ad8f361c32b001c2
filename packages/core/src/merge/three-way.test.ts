import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import type { Conflict, ConflictPolicies } from "./shape.ts";
import { resourceShapes } from "./shapes.ts";
import { merge } from "./three-way.ts";

const shape = resourceShapes.Individual;
const gender = (code: string, text?: string) => ({
  coding: [{ system: "urn:iso:std:iso:5218", code }],
  ...(text && { text }),
});
const phone = (value: string, more: object = {}) => ({ system: "phone", use: "mobile", value, ...more });
const member = (id: string, more: object = {}) => ({
  entity: { reference: `Individual/urn:x|${id}` },
  ...more,
});
const role = (code: string) => ({ role: { coding: [{ system: "urn:service:vocab:relationship", code }] } });

const birth = { together: ["/birthDate", "/birthDateEstimated"] };
const exit = { together: ["/status", "/exitDate", "/exitReason"] };
const heads = { together: ["/member/0", "/member/1"] };
const size = { together: ["/extension/farmer/farmSize", "/extension/farmer/farmSizeUnit"] };

interface Case {
  readonly base: JsonObject;
  readonly ours: JsonObject;
  readonly theirs: JsonObject;
  readonly merged: JsonObject;
  readonly conflicts?: readonly Conflict[];
  readonly of?: keyof typeof resourceShapes;
}

const cases: Readonly<Record<string, Case>> = {
  "keeps different fields of both sides": {
    base: { name: { family: "Reyes", given: "Ana" }, birthDate: "1990-01-01" },
    ours: { name: { family: "Cruz", given: "Ana" }, birthDate: "1990-01-01" },
    theirs: { name: { family: "Reyes", given: "Anna" }, birthDate: "1990-02-02" },
    merged: { name: { family: "Cruz", given: "Anna" }, birthDate: "1990-02-02" },
  },
  "takes the same change of both sides once": {
    base: { name: { family: "Reyes" } },
    ours: { name: { family: "Cruz" } },
    theirs: { name: { family: "Cruz" } },
    merged: { name: { family: "Cruz" } },
  },
  "asks where both sides changed one field, and shows ours": {
    base: { name: { family: "Reyes" } },
    ours: { name: { family: "Cruz" } },
    theirs: { name: { family: "Santos" } },
    merged: { name: { family: "Cruz" } },
    conflicts: [{ path: "/name/family", base: "Reyes", ours: "Cruz", theirs: "Santos" }],
  },
  "asks where one side removed what the other changed": {
    base: { birthDate: "1990-01-01" },
    ours: {},
    theirs: { birthDate: "1991-01-01" },
    merged: {},
    conflicts: [{ path: "/birthDate", base: "1990-01-01", theirs: "1991-01-01", ...birth }],
  },
  "removes what one side removed and the other left": {
    base: { birthDate: "1990-01-01", photo: "data:x" },
    ours: { photo: "data:x" },
    theirs: { birthDate: "1990-01-01", photo: "data:y" },
    merged: { photo: "data:y" },
  },
  "joins items that both sides added, theirs first": {
    base: { telecom: [phone("1")] },
    ours: { telecom: [phone("1"), phone("2")] },
    theirs: { telecom: [phone("3"), phone("1")] },
    merged: { telecom: [phone("3"), phone("1"), phone("2")] },
  },
  "joins arrays that both sides began": {
    base: {},
    ours: { telecom: [phone("1")] },
    theirs: { telecom: [phone("2"), phone("1")] },
    merged: { telecom: [phone("2"), phone("1")] },
  },
  "merges an item's members": {
    base: { telecom: [phone("1"), phone("2")] },
    ours: { telecom: [phone("1"), phone("2", { rank: 1 })] },
    theirs: { telecom: [phone("2"), phone("1", { rank: 2 })] },
    merged: { telecom: [phone("2", { rank: 1 }), phone("1", { rank: 2 })] },
  },
  "names an item in conflict by its position in the merged record": {
    base: { telecom: [phone("1", { rank: 1 })] },
    ours: { telecom: [phone("1", { rank: 2 })] },
    theirs: { telecom: [phone("9"), phone("1", { rank: 3 })] },
    merged: { telecom: [phone("9"), phone("1", { rank: 2 })] },
    conflicts: [{ path: "/telecom/1/rank", base: 1, ours: 2, theirs: 3 }],
  },
  "names items that ours removed past the end": {
    base: { telecom: [phone("1"), phone("2"), phone("3")] },
    ours: { telecom: [phone("3")] },
    theirs: { telecom: [phone("1", { rank: 1 }), phone("2", { rank: 2 }), phone("3")] },
    merged: { telecom: [phone("3")] },
    conflicts: [
      { path: "/telecom/1", base: phone("1"), theirs: phone("1", { rank: 1 }) },
      { path: "/telecom/2", base: phone("2"), theirs: phone("2", { rank: 2 }) },
    ],
  },
  "keeps an item that ours changed and theirs removed": {
    base: { telecom: [phone("1")] },
    ours: { telecom: [phone("1", { rank: 1 })] },
    theirs: {},
    merged: { telecom: [phone("1", { rank: 1 })] },
    conflicts: [{ path: "/telecom/0", base: phone("1"), ours: phone("1", { rank: 1 }) }],
  },
  "takes an array apart no further when an identity is doubled": {
    base: { telecom: [phone("1")] },
    ours: { telecom: [phone("1"), phone("1", { rank: 1 })] },
    theirs: { telecom: [phone("1"), phone("2")] },
    merged: { telecom: [phone("1"), phone("1", { rank: 1 })] },
    conflicts: [
      {
        path: "/telecom",
        base: [phone("1")],
        ours: [phone("1"), phone("1", { rank: 1 })],
        theirs: [phone("1"), phone("2")],
      },
    ],
  },
  "never makes two codes of one concept": {
    base: { gender: gender("1") },
    ours: { gender: gender("2") },
    theirs: { gender: gender("9") },
    merged: { gender: gender("2") },
    conflicts: [{ path: "/gender", base: gender("1"), ours: gender("2"), theirs: gender("9") }],
  },
  "merges a concept's text under one code": {
    base: { gender: gender("1") },
    ours: { gender: gender("2") },
    theirs: { gender: gender("2", "woman") },
    merged: { gender: gender("2", "woman") },
  },
  "asks once when both sides moved to different places": {
    base: { address: [{ type: "physical", city: "Imus", line: ["1 A St"] }] },
    ours: { address: [{ type: "physical", city: "Bacoor", line: ["1 A St"] }] },
    theirs: { address: [{ type: "physical", city: "Imus", line: ["2 B St"] }] },
    merged: { address: [{ type: "physical", city: "Bacoor", line: ["1 A St"] }] },
    conflicts: [
      {
        path: "/address/0",
        base: { type: "physical", city: "Imus", line: ["1 A St"] },
        ours: { type: "physical", city: "Bacoor", line: ["1 A St"] },
        theirs: { type: "physical", city: "Imus", line: ["2 B St"] },
      },
    ],
  },
  "merges corrections of one address": {
    base: { address: [{ type: "physical", city: "Imus" }] },
    ours: { address: [{ type: "physical", city: "Imus", line: ["2 B St"] }] },
    theirs: { address: [{ type: "physical", city: "Imus", postalCode: "4103" }] },
    merged: { address: [{ type: "physical", city: "Imus", line: ["2 B St"], postalCode: "4103" }] },
  },
  "asks about an estimate together with its date": {
    base: { birthDate: "1990-01-01", birthDateEstimated: true },
    ours: { birthDate: "1990-05-03", birthDateEstimated: false },
    theirs: { birthDate: "1988-01-01", birthDateEstimated: true },
    merged: { birthDate: "1990-05-03", birthDateEstimated: false },
    conflicts: [
      { path: "/birthDate", base: "1990-01-01", ours: "1990-05-03", theirs: "1988-01-01", ...birth },
      { path: "/birthDateEstimated", base: true, ours: false, theirs: true, ...birth },
    ],
  },
  "asks about a date, which one side changed, together with its estimate, which both did": {
    base: { birthDate: "1990-01-01" },
    ours: { birthDate: "1990-05-03", birthDateEstimated: false },
    theirs: { birthDate: "1990-01-01", birthDateEstimated: true },
    merged: { birthDate: "1990-05-03", birthDateEstimated: false },
    conflicts: [
      { path: "/birthDate", base: "1990-01-01", ours: "1990-05-03", theirs: "1990-01-01", ...birth },
      { path: "/birthDateEstimated", ours: false, theirs: true, ...birth },
    ],
  },
  "asks about a unit together with the number": {
    base: { extension: { farmer: { farmSize: 1, farmSizeUnit: "hectare", livestockCount: 1 } } },
    ours: { extension: { farmer: { farmSize: 2, farmSizeUnit: "hectare", livestockCount: 1 } } },
    theirs: { extension: { farmer: { farmSize: 4, farmSizeUnit: "acre", livestockCount: 3 } } },
    merged: { extension: { farmer: { farmSize: 2, farmSizeUnit: "hectare", livestockCount: 3 } } },
    conflicts: [
      { path: "/extension/farmer/farmSize", base: 1, ours: 2, theirs: 4, ...size },
      {
        path: "/extension/farmer/farmSizeUnit",
        ...{ base: "hectare", ours: "hectare", theirs: "acre" },
        ...size,
      },
    ],
  },
  "asks about a number that one side changed, and its unit that the other did": {
    base: { extension: { farmer: { farmSize: 1, farmSizeUnit: "hectare" } } },
    ours: { extension: { farmer: { farmSize: 2, farmSizeUnit: "hectare" } } },
    theirs: { extension: { farmer: { farmSize: 1, farmSizeUnit: "acre" } } },
    merged: { extension: { farmer: { farmSize: 2, farmSizeUnit: "hectare" } } },
    conflicts: [
      { path: "/extension/farmer/farmSize", base: 1, ours: 2, theirs: 1, ...size },
      {
        path: "/extension/farmer/farmSizeUnit",
        ...{ base: "hectare", ours: "hectare", theirs: "acre" },
        ...size,
      },
    ],
  },
  "takes meta and derived members from theirs": {
    base: { meta: { versionId: "1" } },
    ours: { meta: { versionId: "x" }, groupMembership: [], birthDate: "1990-01-01" },
    theirs: { meta: { versionId: "2" }, groupMembership: [{ group: { reference: "Group/a|b" } }] },
    merged: {
      meta: { versionId: "2" },
      groupMembership: [{ group: { reference: "Group/a|b" } }],
      birthDate: "1990-01-01",
    },
  },
  "merges extensions by name and member": {
    base: { extension: { farmer: { farmSize: 1 } } },
    ours: { extension: { farmer: { farmSize: 2 } } },
    theirs: { extension: { farmer: { farmSize: 1, livestockCount: 3 }, disability: { severity: "x" } } },
    merged: { extension: { farmer: { farmSize: 2, livestockCount: 3 }, disability: { severity: "x" } } },
  },
  "merges extensions by name where one side took its last away": {
    base: { extension: { farmer: { farmSize: 1 } } },
    ours: {},
    theirs: { extension: { farmer: { farmSize: 1 }, disability: { severity: "x" } } },
    merged: { extension: { disability: { severity: "x" } } },
  },
  "tells members apart whose references would be the same decoded": {
    of: "Group",
    base: { member: [member("a%20b"), member("a b")] },
    ours: { member: [member("a%20b", role("child")), member("a b")] },
    theirs: { member: [member("a%20b"), member("a b", { inactive: true })] },
    merged: { member: [member("a%20b", role("child")), member("a b", { inactive: true })] },
  },
  "asks about a member removed here and changed there": {
    of: "Group",
    base: { member: [member("a"), member("b")] },
    ours: { member: [member("a"), member("c")] },
    theirs: { member: [member("a"), member("b", role("child"))] },
    merged: { member: [member("a"), member("c")] },
    conflicts: [{ path: "/member/2", base: member("b"), theirs: member("b", role("child")) }],
  },
  "asks about both when each side chose another head": {
    of: "Group",
    base: { member: [member("a", role("child")), member("b", role("child"))] },
    ours: { member: [member("a", role("head")), member("b", role("child"))] },
    theirs: { member: [member("a", role("child")), member("b", role("head"))] },
    merged: { member: [member("a", role("head")), member("b", role("child"))] },
    conflicts: [
      {
        path: "/member/0",
        base: member("a", role("child")),
        ours: member("a", role("head")),
        theirs: member("a", role("child")),
        ...heads,
      },
      {
        path: "/member/1",
        base: member("b", role("child")),
        ours: member("b", role("child")),
        theirs: member("b", role("head")),
        ...heads,
      },
    ],
  },
  "hands the head's role on when one side did": {
    of: "Group",
    base: { member: [member("a", role("head")), member("b", role("child"))] },
    ours: { member: [member("a", role("parent")), member("b", role("head"))] },
    theirs: { member: [member("a", role("head")), member("b", role("child")), member("c")] },
    merged: { member: [member("a", role("parent")), member("b", role("head")), member("c")] },
  },
  "asks about a reason together with its status": {
    of: "ProgramMembership",
    base: { status: "enrolled" },
    ours: { status: "exited", exitReason: "moved", enrollmentDate: "2025-01-01" },
    theirs: { status: "paused" },
    merged: { status: "exited", exitReason: "moved", enrollmentDate: "2025-01-01" },
    conflicts: [
      { path: "/status", base: "enrolled", ours: "exited", theirs: "paused", ...exit },
      { path: "/exitReason", ours: "moved", ...exit },
    ],
  },
  "asks about a status, which one side changed, together with the reason, which both did": {
    of: "ProgramMembership",
    base: { status: "exited", exitReason: "moved", exitDate: "2026-01-05" },
    ours: { status: "exited", exitReason: "moved abroad", exitDate: "2026-01-05" },
    theirs: { status: "enrolled" },
    merged: { status: "exited", exitReason: "moved abroad", exitDate: "2026-01-05" },
    conflicts: [
      { path: "/status", base: "exited", ours: "exited", theirs: "enrolled", ...exit },
      { path: "/exitReason", base: "moved", ours: "moved abroad", ...exit },
      { path: "/exitDate", base: "2026-01-05", ours: "2026-01-05", ...exit },
    ],
  },
};

describe("merge", () => {
  it.each(Object.entries(cases))("%s", (_, { base, ours, theirs, merged, conflicts = [], of }) => {
    const result = merge({ base, ours, theirs, shape: resourceShapes[of ?? "Individual"] });
    expect(result.merged).toEqual(merged);
    expect(sorted(result.conflicts)).toEqual(sorted(conflicts));
  });

  it("merges records that both sides created", () => {
    const ours = { name: { family: "Reyes" }, birthDate: "1990-01-01" };
    const theirs = { name: { family: "Cruz" }, telecom: [phone("1")] };
    expect(merge({ base: null, ours, theirs, shape })).toEqual({
      merged: { name: { family: "Reyes" }, birthDate: "1990-01-01", telecom: [phone("1")] },
      conflicts: [{ path: "/name/family", ours: "Reyes", theirs: "Cruz" }],
    });
  });

  it("keeps members called like those of prototypes as plain data", () => {
    const ours = JSON.parse('{"__proto__":{"polluted":1}}');
    const { merged } = merge({ base: { a: 1 }, ours: { a: 1, ...ours }, theirs: { a: 2 }, shape });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe("a policy", () => {
  const base = { name: { family: "A", given: "A" }, telecom: [phone("1", { rank: 1 })] };
  const ours = { name: { family: "B", given: "B" }, telecom: [phone("1", { rank: 2 })] };
  const theirs = { name: { family: "C", given: "C" }, telecom: [phone("1", { rank: 3 })] };
  const paths = (policy: ConflictPolicies) =>
    merge({ base, ours, theirs, shape, policy }).conflicts.map((conflict) => conflict.path);

  it.each<[string, ConflictPolicies, string[]]>([
    ["asks by default", {}, ["/name/family", "/name/given", "/telecom/0/rank"]],
    ["holds for the whole record at the empty pointer", { "": "theirs" }, []],
    ["holds below its place", { "/name": "ours" }, ["/telecom/0/rank"]],
    ["holds for all items", { "/telecom/-/rank": "theirs" }, ["/name/family", "/name/given"]],
    ["gives way to one of a longer place", { "": "ours", "/name/given": "ask" }, ["/name/given"]],
    [
      "asks about the newest when nobody knows it",
      { "": "newest" },
      ["/name/family", "/name/given", "/telecom/0/rank"],
    ],
  ])("%s", (_, policy, expected) => {
    expect(paths(policy)).toEqual(expected);
  });

  it("takes the newest side", () => {
    const request = { base, ours, theirs, shape, policy: { "": "newest" as const } };
    const early = "2026-01-01T00:00:00.000Z";
    const late = "2026-01-01T00:00:00.001Z";
    expect(merge({ ...request, changedAt: { ours: late, theirs: early } }).merged).toEqual(ours);
    expect(merge({ ...request, changedAt: { ours: early, theirs: late } }).merged).toEqual(theirs);
  });

  it("may compute a value, or take the place away", () => {
    const policy: ConflictPolicies = {
      "/name/family": (versions, pattern) => ({ value: `${pattern} ${versions.ours}+${versions.theirs}` }),
      "/name/given": () => ({}),
      "/telecom": () => "theirs",
    };
    expect(merge({ base, ours, theirs, shape, policy })).toEqual({
      merged: { name: { family: "/name/family B+C" }, telecom: theirs.telecom },
      conflicts: [],
    });
  });
});

function sorted<T extends { readonly path: string }>(conflicts: readonly T[]): readonly T[] {
  return conflicts.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
