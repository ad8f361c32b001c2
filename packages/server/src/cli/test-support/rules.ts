import type { JsonObject, RegistryConfig } from "@fieldroll/core";

/** A rule of a write, with a record that breaks it and the nearest one that does not. */
export interface Rule {
  readonly rule: string;
  readonly violating: JsonObject;
  readonly sound: JsonObject;
  /** `<field> <code>` of each fault. */
  readonly faults: readonly string[];
  /** The record before a change. Default: {@link Rule.sound}. */
  readonly before?: JsonObject;
  /** Where the rule is about a change, or no record is made like this. */
  readonly only?: "changes" | "creates";
  /** Where the rule is about what is done, not about what may be: an import takes what a live write refuses. */
  readonly ofTheMove?: true;
  /** The registry's policies. Default: none of its own. */
  readonly policies?: RegistryConfig["policies"];
}

const member = (id: string, more: object = {}) => ({
  entity: { reference: `Individual/urn:p|${id}` },
  ...more,
});
const as = (code: string) => ({ role: { coding: [{ system: "urn:service:vocab:relationship", code }] } });
export const one = (system: string, value: string) => [{ system, value }];

export const person = (more: object = {}): JsonObject => ({
  type: "Individual",
  identifier: one("urn:p", "new"),
  name: { given: "Ana" },
  ...more,
});
export const group = (more: object = {}): JsonObject => ({
  type: "Group",
  identifier: one("urn:g", "new"),
  groupType: "household",
  name: "Reyes",
  member: [member("ana", as("head"))],
  ...more,
});
export const program = (more: object = {}): JsonObject => ({
  type: "Program",
  identifier: one("urn:r", "new"),
  name: "Cash",
  targetType: "individual",
  ...more,
});
export const stay = (more: object = {}): JsonObject => ({
  type: "ProgramMembership",
  identifier: one("urn:m", "new"),
  program: { reference: "Program/urn:r|people" },
  beneficiary: { reference: "Individual/urn:p|ana" },
  status: "draft",
  ...more,
});

/** What is there before each case. */
export const base: readonly JsonObject[] = [
  ...["ana", "ben", "cora"].map((id) => person({ identifier: [...one("urn:p", id), ...one("urn:q", id)] })),
  person({ identifier: one("urn:p", "gone"), active: false }),
  program({ identifier: one("urn:r", "people") }),
  program({ identifier: one("urn:r", "groups"), targetType: "group" }),
  program({ identifier: one("urn:r", "over"), period: { start: "2020-01-01", end: "2020-12-31" } }),
  program({ identifier: one("urn:r", "short"), period: { end: "2026-03-01" } }),
  group({ identifier: one("urn:g", "home"), member: [member("ana", as("head")), member("ben")] }),
  group({ identifier: one("urn:g", "old"), member: [member("ben")], active: false }),
];

const archived = { active: false };
const gender = (code: string) => ({ gender: { coding: [{ system: "urn:iso:std:iso:5218", code }] } });

export const ofPersons: readonly Rule[] = [
  {
    rule: "a birth date is not in the future",
    violating: person({ birthDate: "2026-03-02" }),
    sound: person({ birthDate: "2026-03-01" }),
    faults: ["/birthDate future_date"],
  },
  {
    rule: "a code is in its vocabulary",
    violating: person(gender("7")),
    sound: person(gender("2")),
    faults: ["/gender/coding/0/code invalid_code"],
  },
  {
    rule: "an extension is declared",
    violating: person({ extension: { fisher: { boats: 2 } } }),
    sound: person({ extension: { farmer: { farmSize: 2 } } }),
    faults: ["/extension/fisher unknown_extension"],
  },
  {
    rule: "an extension's field is of its form",
    violating: person({ extension: { farmer: { livestockCount: 1.5 } } }),
    sound: person({ extension: { farmer: { livestockCount: 1 } } }),
    faults: ["/extension/farmer/livestockCount invalid_type"],
  },
  {
    rule: "a photo is an image",
    violating: person({ photo: "data:image/png;base64,AAAA" }),
    sound: person(),
    faults: ["/photo invalid_value"],
  },
  {
    rule: "an identifier is there",
    violating: person({ identifier: [] }),
    sound: person(),
    faults: ["/identifier required"],
    only: "creates",
  },
  {
    rule: "an identifier is there once",
    violating: person({ identifier: [...one("urn:p", "new"), ...one("urn:p", "new")] }),
    sound: person({ identifier: [...one("urn:p", "new"), ...one("urn:p", "newer")] }),
    faults: ["/identifier/1 duplicate_item"],
  },
  {
    rule: "a member of a record is known",
    violating: person({ shoe: 42 }),
    sound: person(),
    faults: ["/shoe unknown_field"],
  },
];

export const ofGroups: readonly Rule[] = [
  {
    rule: "a group has one head",
    violating: group({ member: [member("ana", as("head")), member("ben", as("head"))] }),
    sound: group({ member: [member("ana", as("head")), member("ben", as("spouse"))] }),
    faults: ["/member/1/role second_head"],
  },
  {
    rule: "a member is listed once",
    violating: group({ member: [member("ana"), member("ana")] }),
    sound: group({ member: [member("ana"), member("ben")] }),
    faults: ["/member/1/entity duplicate_member"],
  },
  {
    rule: "a member is listed once, whatever it is called",
    violating: group({ member: [member("ana"), { entity: { reference: "Individual/urn:q|ana" } }] }),
    sound: group({ member: [member("ana"), { entity: { reference: "Individual/urn:q|ben" } }] }),
    faults: ["/member/1/entity duplicate_member"],
  },
  {
    rule: "a member is there",
    violating: group({ member: [member("nobody")] }),
    sound: group({ member: [member("cora")] }),
    faults: ["/member/0/entity/reference unknown_reference"],
  },
  {
    rule: "a member's period ends after it began",
    violating: group({ member: [member("ana", { period: { start: "2025-02-01", end: "2025-01-01" } })] }),
    sound: group({ member: [member("ana", { period: { start: "2025-01-01", end: "2025-02-01" } })] }),
    faults: ["/member/0/period/end invalid_period"],
  },
  {
    rule: "a membership begins by tomorrow",
    violating: group({ member: [member("ana"), member("ben", { period: { start: "2026-03-03" } })] }),
    sound: group({ member: [member("ana"), member("ben", { period: { start: "2026-03-02" } })] }),
    faults: ["/member/1/period/start future_date"],
  },
  {
    rule: "a member's role is in its vocabulary",
    violating: group({ member: [member("ana", as("boss"))] }),
    sound: group({ member: [member("ana", as("sibling"))] }),
    faults: ["/member/0/role/coding/0/code invalid_code"],
  },
  {
    rule: "an archived group takes in nobody",
    violating: group({ ...archived, member: [member("ana", as("head")), member("ben")] }),
    sound: group({ ...archived, member: [member("ana", { ...as("head"), inactive: true })] }),
    before: group(archived),
    faults: ["/member/1 archived"],
    only: "changes",
    ofTheMove: true,
  },
  {
    rule: "an archived group takes in nobody who has left it",
    violating: group({ ...archived, member: [member("ana", as("head")), member("ben")] }),
    sound: group({ active: true, member: [member("ana", as("head")), member("ben")] }),
    before: group({ ...archived, member: [member("ana", as("head")), member("ben", { inactive: true })] }),
    faults: ["/member/1 archived"],
    only: "changes",
    ofTheMove: true,
  },
];

const oneHousehold = { policies: { oneHousehold: true } };

/** Ana and Ben are in the household `home`; Cora is in none. */
export const ofHouseholds: readonly Rule[] = [
  {
    ...oneHousehold,
    rule: "a person belongs to one household",
    violating: group({ member: [member("cora"), member("ben")] }),
    sound: group({ member: [member("cora"), member("ben", { inactive: true })] }),
    faults: ["/member/1/entity other_household"],
  },
  {
    ...oneHousehold,
    rule: "a person belongs to one household, whatever it is called",
    violating: group({ member: [{ entity: { reference: "Individual/urn:q|ben" } }] }),
    sound: group({ member: [{ entity: { reference: "Individual/urn:q|cora" } }] }),
    faults: ["/member/0/entity other_household"],
  },
  {
    ...oneHousehold,
    rule: "a person belongs to one household, and to other groups",
    violating: group({ member: [member("ben")] }),
    sound: group({ groupType: "family", member: [member("ben")] }),
    faults: ["/member/0/entity other_household"],
  },
  {
    ...oneHousehold,
    rule: "a household comes back without those who have another one",
    violating: group({ member: [member("ben")] }),
    sound: group({ member: [member("ben", { period: { end: "2026-02-28" } })] }),
    before: group({ ...archived, member: [member("ben")] }),
    faults: ["/member/0/entity other_household"],
    only: "changes",
  },
];

export const ofPrograms: readonly Rule[] = [
  {
    rule: "whom a program is for never changes",
    violating: program({ targetType: "group" }),
    sound: program({ name: "Pension" }),
    before: program(),
    faults: ["/targetType immutable"],
    only: "changes",
  },
  {
    rule: "a program's period ends after it began",
    violating: program({ period: { start: "2026-02-01", end: "2026-01-01" } }),
    sound: program({ period: { start: "2026-01-01", end: "2026-02-01" } }),
    faults: ["/period/end invalid_period"],
  },
];
