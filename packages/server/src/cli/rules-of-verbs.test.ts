import { unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { cycle, ofBenefits, ofFunds } from "./test-support/benefit-rules.ts";
import { ofConsents } from "./test-support/consent-rules.ts";
import { ofEnrolling, ofRegistrants, ofRequests } from "./test-support/desk-rules.ts";
import { openDoors, seed, taken } from "./test-support/doors.ts";
import { ofMembers } from "./test-support/member-rules.ts";
import { base, group } from "./test-support/rules.ts";
import { id, ref } from "./test-support/verb-case.ts";

const cases = [
  ...ofMembers,
  ...ofConsents,
  ...ofBenefits,
  ...ofFunds,
  ...ofEnrolling,
  ...ofRegistrants,
  ...ofRequests,
];

describe("a rule holds by a verb as by a write of the record", () => {
  it.each(cases)("$rule: $door", async ({ violating, sound, faults, policies }) => {
    const doors = await openDoors(policies);
    const other = { identifier: [{ system: "urn:g", value: "other" }] };
    const member = [{ entity: ref("cora"), period: { start: "2025-01-01" } }];
    await seed(doors, ...base, group({ ...other, member }));
    unwrap(await doors.view.cycles.create(cycle({ ext_id: id(4) })));
    const there = await doors.everything();
    const verdict = await violating(doors);
    if (faults instanceof RegExp) expect(verdict.words).toMatch(faults);
    else expect(verdict.faults).toEqual(faults);
    expect(await doors.everything()).toBe(there);
    expect(await sound(doors)).toEqual(taken);
    expect(await doors.everything()).not.toBe(there);
  });
});
