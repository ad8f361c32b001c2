import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import type { FieldError } from "../problem.ts";
import { disability, farmer } from "./extensions.ts";
import { createSchemas, validateRecord } from "./schemas.ts";
import type { ResourceType } from "./types.ts";

const today = "2026-06-15";
const housing = {
  name: "housing",
  module: "housing",
  appliesTo: ["Group"],
  schema: z.strictObject({ rooms: z.int().min(1).default(1) }),
} as const;
const schemas = createSchemas({
  today: () => today,
  namespace: "service",
  extensions: [farmer, disability, housing],
  vocabularies: {
    "urn:crops": { codes: ["rice", "maize"] },
    "urn:service:vocab:program-type": { codes: ["cash_transfer"], open: true },
  },
});

const valid = {
  Individual: {
    type: "Individual",
    identifier: [{ system: "urn:national", value: "1" }],
    name: { family: "Reyes" },
  },
  Group: {
    type: "Group",
    identifier: [{ system: "urn:service:group", value: "1" }],
    groupType: "household",
    name: "Reyes household",
  },
  Program: {
    type: "Program",
    identifier: [{ system: "urn:service:program", value: "1" }],
    name: "Rice",
    targetType: "group",
  },
  ProgramMembership: {
    type: "ProgramMembership",
    program: { reference: "Program/urn:service:program|1" },
    beneficiary: { reference: "Group/urn:service:group|1" },
    status: "enrolled",
  },
} as const satisfies Record<ResourceType, JsonObject>;

function check(type: ResourceType, members: JsonObject) {
  return validateRecord(type, { ...valid[type], ...members }, schemas);
}

/** `pointer code` of each fault. */
function faultsOf(type: ResourceType, members: JsonObject): string[] {
  const outcome = check(type, members);
  return outcome.ok ? [] : codes(outcome.problem.errors);
}

function codes(errors: readonly FieldError[] = []): string[] {
  return errors.map(({ field, code }) => `${field} ${code}`).sort();
}

const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
const member = (value: string, more: JsonObject = {}) => ({
  entity: { reference: `Individual/urn:national|${value}` },
  ...more,
});
const gender = (code: string, system = "urn:iso:std:iso:5218") => ({ coding: [{ system, code }] });

type Case = readonly [name: string, members: JsonObject, faults?: readonly string[]];

const individuals: readonly Case[] = [
  ["the least there is", {}],
  [
    "everything there is",
    {
      active: false,
      name: { prefix: "Dr", given: "Ana", middle: "Cruz", family: "Reyes", suffix: "Jr", text: "Ana Reyes" },
      birthDate: "1990-02-28",
      birthDateEstimated: true,
      gender: { ...gender("2"), text: "female" },
      telecom: [{ system: "phone", value: "+63 900 000 0000", use: "mobile", rank: 1 }],
      address: [
        { type: "both", text: "Purok 1\nSan Isidro", line: ["Purok 1"], city: "Iloilo", district: "Jaro" },
        { state: "Iloilo", postalCode: "5000", country: "PH" },
      ],
      identifier: [
        { system: "urn:national", value: "a|b", period: { start: "2020-01-01", end: "2020-01-01" } },
      ],
    },
  ],
  ["names in any script", { name: { given: "सीता", family: "محمد" } }],
  ["a birth date today", { birthDate: today }],
  ["a leap day", { birthDate: "2000-02-29" }],
  ["the earliest birth date", { birthDate: "1850-01-01" }],
  ["a value of 255 characters", { identifier: [{ system: "urn:x", value: "😀".repeat(255) }] }],
  ["another type", { type: "Group" }, ["/type invalid_value"]],
  ["no identifiers", { identifier: [] }, ["/identifier required"]],
  ["a name without content", { name: { family: " ", text: "" } }, ["/name required"]],
  ["an empty name", { name: {} }, ["/name required"]],
  ["a name that is text", { name: "Ana" }, ["/name invalid_type"]],
  ["a control character in a name", { name: { family: "Re\u0007yes" } }, ["/name/family invalid_characters"]],
  ["a line break in a name", { name: { family: "Re\nyes" } }, ["/name/family invalid_characters"]],
  ["U+0000", { name: { family: "a\0" } }, ["/name/family invalid_characters"]],
  ["half a surrogate pair", { name: { family: "a\ud800" } }, ["/name/family invalid_characters"]],
  ["a birth date tomorrow", { birthDate: "2026-06-16" }, ["/birthDate future_date"]],
  ["a birth date before 1850", { birthDate: "1849-12-31" }, ["/birthDate out_of_range"]],
  ["a day that does not exist", { birthDate: "2001-02-29" }, ["/birthDate invalid_date"]],
  ["a date in another form", { birthDate: "29/02/2000" }, ["/birthDate invalid_date"]],
  ["an instant as a date", { birthDate: "2000-02-29T00:00:00Z" }, ["/birthDate invalid_date"]],
  ["a number as a date", { birthDate: 2000 }, ["/birthDate invalid_type"]],
  ["a null member", { birthDate: null }, ["/birthDate invalid_type"]],
  ["an unknown gender", { gender: gender("3") }, ["/gender/coding/0/code invalid_code"]],
  ["a gender of another system", { gender: gender("1", "urn:x") }, ["/gender/coding invalid_code"]],
  ["a gender as text only", { gender: { text: "male" } }, ["/gender/coding invalid_code"]],
  [
    "two genders",
    { gender: { coding: [...gender("1").coding, ...gender("2").coding] } },
    ["/gender/coding invalid_code"],
  ],
  ["a gender as a string", { gender: "male" }, ["/gender invalid_type"]],
  [
    "a system with a bar",
    { identifier: [{ system: "a|b", value: "1" }] },
    ["/identifier/0/system invalid_value"],
  ],
  ["a blank value", { identifier: [{ system: "a", value: "  " }] }, ["/identifier/0/value required"]],
  ["a missing value", { identifier: [{ system: "a" }] }, ["/identifier/0/value required"]],
  [
    "256 characters",
    { identifier: [{ system: "a".repeat(256), value: "é".repeat(256) }] },
    ["/identifier/0/system too_long", "/identifier/0/value too_long"],
  ],
  [
    "an identifier twice",
    {
      identifier: [
        { system: "a", value: "1" },
        { system: "a", value: "1", period: { start: "2020-01-01" } },
      ],
    },
    ["/identifier/1 duplicate_item"],
  ],
  [
    "a period that ends before it starts",
    { identifier: [{ system: "a", value: "1", period: { start: "2020-01-02", end: "2020-01-01" } }] },
    ["/identifier/0/period/end invalid_period"],
  ],
  [
    "unknown telecom words",
    { telecom: [{ system: "pager", value: "1", use: "temp", rank: 0 }] },
    ["/telecom/0/rank out_of_range", "/telecom/0/system invalid_value", "/telecom/0/use invalid_value"],
  ],
  [
    "a rank between numbers, and what the day and the vocabularies refuse besides",
    {
      telecom: [{ system: "phone", value: "1", rank: 1.5 }],
      birthDate: "2027-01-01",
      extension: { cows: {} },
    },
    ["/birthDate future_date", "/extension/cows unknown_extension", "/telecom/0/rank invalid_type"],
  ],
  ["an address as text", { address: ["Iloilo"] }, ["/address/0 invalid_type"]],
  ["a country in lower case", { address: [{ country: "ph" }] }, ["/address/0/country invalid_code"]],
  ["a country that is none", { address: [{ country: "XX" }] }, ["/address/0/country invalid_code"]],
  ["unknown members", { nickname: "A", "a/b": 1 }, ["/a~1b unknown_field", "/nickname unknown_field"]],
  ["an unknown member below", { name: { family: "R", nick: "A" } }, ["/name/nick unknown_field"]],
  ["an undeclared extension", { extension: { health: {} } }, ["/extension/health unknown_extension"]],
  ["an extension of another type", { extension: { housing: {} } }, ["/extension/housing unknown_extension"]],
  [
    "faults in an extension",
    { extension: { farmer: { url: "urn:x", farmSize: -1, livestockCount: 1.5, primaryCrop: {}, x: 1 } } },
    [
      "/extension/farmer/farmSize out_of_range",
      "/extension/farmer/livestockCount invalid_type",
      "/extension/farmer/primaryCrop required",
      "/extension/farmer/url invalid_value",
      "/extension/farmer/x unknown_field",
    ],
  ],
  [
    "a code outside a closed list",
    { extension: { farmer: { primaryCrop: { coding: [{ system: "urn:crops", code: "tea" }] } } } },
    ["/extension/farmer/primaryCrop/coding/0/code invalid_code"],
  ],
  [
    "faults everywhere at once",
    {
      identifier: [{ system: 1, value: "" }],
      name: {},
      birthDate: "2030-01-01",
      gender: gender("7"),
      active: "yes",
      foo: 1,
      extension: { farmer: { farmSize: "big" }, z: {} },
    },
    [
      "/active invalid_type",
      "/birthDate future_date",
      "/extension/farmer/farmSize invalid_type",
      "/extension/z unknown_extension",
      "/foo unknown_field",
      "/gender/coding/0/code invalid_code",
      "/identifier/0/system invalid_type",
      "/identifier/0/value required",
      "/name required",
    ],
  ],
];

const groups: readonly Case[] = [
  ["the least there is", {}],
  [
    "members with roles",
    { member: [member("1", { role: role("head") }), member("2", { role: role("child_in_law") })] },
  ],
  [
    "a second head who is inactive, and a third whose period is over",
    {
      member: [
        member("1", { role: role("head") }),
        member("2", { role: role("head"), inactive: true }),
        member("3", { role: role("head"), period: { end: "2026-06-14" } }),
      ],
    },
  ],
  [
    "two active heads",
    {
      member: [
        member("1", { role: role("head"), period: { end: today } }),
        member("2", { role: role("head") }),
      ],
    },
    ["/member/1/role second_head"],
  ],
  [
    "a person twice, however written",
    { member: [member("1"), { entity: { reference: "Individual/urn:national%7C1" } }] },
    ["/member/1/entity duplicate_member"],
  ],
  [
    "an unknown role",
    { member: [member("1", { role: role("uncle") })] },
    ["/member/0/role/coding/0/code invalid_code"],
  ],
  [
    "a role as text only",
    { member: [member("1", { role: { text: "head" } })] },
    ["/member/0/role/coding invalid_code"],
  ],
  ["a member without entity", { member: [{ role: role("head") }] }, ["/member/0/entity required"]],
  [
    "a group as member",
    { member: [{ entity: { reference: "Group/urn:x|1" } }] },
    ["/member/0/entity/reference invalid_reference"],
  ],
  ["an unknown group type", { groupType: "clan" }, ["/groupType invalid_value"]],
  ["a blank name", { name: " " }, ["/name required"]],
];

const programs: readonly Case[] = [
  ["the least there is", {}],
  [
    "a code that an open list does not have",
    { programType: gender("voucher", "urn:service:vocab:program-type") },
  ],
  ["running text", { description: "Two\nlines", eligibilityCriteria: "poor" }],
  ["an unknown target", { targetType: "person" }, ["/targetType invalid_value"]],
  [
    "a period that ends before it starts",
    { period: { start: "2026-01-02", end: "2026-01-01" } },
    ["/period/end invalid_period"],
  ],
];

const memberships: readonly Case[] = [
  ["the least there is", {}],
  ["nulls for what is not there yet", { exitDate: null, exitReason: null }],
  ["a person as beneficiary", { beneficiary: { reference: "Individual/urn:x|1" } }],
  ["an unknown status", { status: "active" }, ["/status invalid_value"]],
  [
    "a reference that is none",
    { program: { reference: "urn:x|1" } },
    ["/program/reference invalid_reference"],
  ],
  [
    "a reference without a value",
    { program: { reference: "Program/urn:x|" } },
    ["/program/reference invalid_reference"],
  ],
  [
    "a program as beneficiary",
    { beneficiary: { reference: "Program/x|1" } },
    ["/beneficiary/reference invalid_reference"],
  ],
  ["a reference as text", { program: "Program/x|1" }, ["/program invalid_type"]],
  ["a reason of 256 characters", { exitReason: "x".repeat(256) }, ["/exitReason too_long"]],
];

describe.each([
  ["Individual", individuals],
  ["Group", groups],
  ["Program", programs],
  ["ProgramMembership", memberships],
] as const)("validateRecord of %s", (type, cases) => {
  const named = cases.map(([name, members, faults = []]) => ({ name, members, faults }));

  it.each(named.filter(({ faults }) => faults.length === 0))("accepts $name", ({ members }) => {
    expect(faultsOf(type, members)).toEqual([]);
  });

  it.each(named.filter(({ faults }) => faults.length > 0))("refuses $name", ({ members, faults }) => {
    expect(faultsOf(type, members)).toEqual(faults);
  });

  it("names each required member that is missing", () => {
    const outcome = validateRecord(type, {}, schemas);
    // A new enrollment is a draft.
    const names = Object.keys(valid[type]).filter((name) => name !== "status");
    const required = names.map((name) => `/${name} required`);
    expect(outcome.ok ? [] : codes(outcome.problem.errors)).toEqual(required.sort());
  });
});
