import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { farmer } from "./extensions.ts";
import { readPlain } from "./plain.ts";
import { createSchemas, validateRecord } from "./schemas.ts";
import type { ResourceType } from "./types.ts";

const measured = {
  name: "measured",
  module: "measured",
  appliesTo: ["Individual"],
  schema: z.object({ height: z.number().default(170) }),
} as const;
const schemas = createSchemas({
  today: () => "2026-06-15",
  namespace: "service",
  extensions: [farmer, measured],
});

const valid = {
  Individual: { identifier: [{ system: "urn:i", value: "1" }], name: { family: "Reyes" } },
  Group: { identifier: [{ system: "urn:g", value: "1" }], groupType: "household", name: "Reyes" },
};
type Type = keyof typeof valid & ResourceType;

const recordOf = (type: Type, members: JsonObject): JsonObject => ({
  type,
  active: true,
  ...valid[type],
  ...members,
});
const change = (type: Type, before: JsonObject, after: JsonObject) =>
  validateRecord(type, recordOf(type, after), schemas, { record: recordOf(type, before) });

const born = { birthDate: "1980-01-01" };
const veteran = { veteran: { url: "urn:service:extension:veteran", years: 3 } };
const other = { coding: [{ system: "urn:iso:std:iso:5218", code: "8" }] };
const city = (name: string, country = "XX") => ({ type: "physical", city: name, country });
const fax = (value: string) => ({ system: "fax", value });
const pager = (value: string, rank = 1) => ({ system: "pager", value, rank });
const role = (code: string) => ({ coding: [{ system: "urn:service:vocab:relationship", code }] });
const member = (value: string, more: JsonObject = {}) => ({
  entity: { reference: `Individual/urn:i|${value}` },
  ...more,
});

/** A change of what a server gave that knows more, or is less strict. */
interface Case {
  readonly name: string;
  readonly type?: Type;
  readonly before: JsonObject;
  readonly after: JsonObject;
  /** Where the change is at fault. */
  readonly faults?: readonly string[];
}

const cases: readonly Case[] = [
  { name: "an unknown member that stays", before: { nickname: "Ana" }, after: { nickname: "Ana", ...born } },
  { name: "an unknown member that is taken away", before: { nickname: "Ana" }, after: {} },
  {
    name: "an unknown member that is changed",
    before: { nickname: "Ana" },
    after: { nickname: "Anita" },
    faults: ["/nickname"],
  },
  {
    name: "another unknown member",
    before: { nickname: "Ana" },
    after: { nickname: "Ana", caste: "none" },
    faults: ["/caste"],
  },
  {
    name: "an unknown object, its members in another order",
    before: { job: { title: "smith", since: 1 } },
    after: { job: { since: 1, title: "smith" }, ...born },
  },
  {
    name: "an unknown part of a name of which another is corrected",
    before: { name: { family: "Cruz", maiden: "Sy" } },
    after: { name: { family: "Kruz", maiden: "Sy" } },
  },
  {
    name: "an undeclared extension that stays",
    before: { extension: veteran },
    after: { extension: veteran, ...born },
  },
  {
    name: "a new undeclared extension beside it",
    before: { extension: veteran },
    after: { extension: { ...veteran, refugee: {} } },
    faults: ["/extension/refugee"],
  },
  {
    name: "an undeclared extension that is changed",
    before: { extension: veteran },
    after: { extension: { veteran: { ...veteran.veteran, years: 4 } } },
    faults: ["/extension/veteran"],
  },
  {
    name: "an unknown field of an extension of which another is changed",
    before: { extension: { farmer: { farmSize: 2, terraces: 4 } } },
    after: { extension: { farmer: { farmSize: 3, terraces: 4 } } },
  },
  {
    name: "a wrong value beside an unknown field of an extension",
    before: { extension: { farmer: { farmSize: 2, terraces: 4 } } },
    after: { extension: { farmer: { farmSize: -1, terraces: 4 } } },
    faults: ["/extension/farmer/farmSize"],
  },
  { name: "a code that is not known here", before: { gender: other }, after: { gender: other, ...born } },
  {
    name: "another code that is not known here",
    before: { gender: other },
    after: { gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "7" }] } },
    faults: ["/gender/coding/0/code"],
  },
  {
    name: "a code that is not known here, in another place",
    type: "Group",
    before: { member: [member("1", { role: role("cook") })] },
    after: { member: [member("1", { role: role("cook") }), member("2", { role: role("cook") })] },
    faults: ["/member/1/role/coding/0/code"],
  },
  {
    name: "a member with an unknown role who leaves",
    type: "Group",
    before: { member: [member("1", { role: role("cook") })] },
    after: { member: [member("1", { role: role("cook"), inactive: true })] },
  },
  {
    name: "a member with an unknown role who stands elsewhere now",
    type: "Group",
    before: { member: [member("0"), member("1", { role: role("cook"), paid: true })] },
    after: { member: [member("1", { role: role("cook"), paid: true })] },
  },
  {
    name: "a member whose role changes places with another's",
    type: "Group",
    before: { member: [member("1", { role: role("cook") }), member("2")] },
    after: { member: [member("1"), member("2", { role: role("cook") })] },
    faults: ["/member/1/role/coding/0/code"],
  },
  {
    name: "somebody who is listed twice already",
    type: "Group",
    before: { member: [member("1"), member("2"), member("1")] },
    after: { member: [member("1"), member("2"), member("1")], name: "Cruz" },
  },
  {
    name: "a third head where there are two",
    type: "Group",
    before: { member: [member("1", { role: role("head") }), member("2", { role: role("head") })] },
    after: { member: ["1", "2", "3"].map((value) => member(value, { role: role("head") })) },
    faults: ["/member/2/role"],
  },
  {
    name: "a second head, the first made one again",
    type: "Group",
    before: {
      member: [member("1", { role: role("head"), inactive: true }), member("2", { role: role("head") })],
    },
    after: { member: ["1", "2"].map((value) => member(value, { role: role("head") })) },
    faults: ["/member/1/role"],
  },
  {
    name: "a number of an unknown kind behind one that went",
    before: { telecom: [fax("1"), pager("2")] },
    after: { telecom: [pager("2", 2)] },
  },
  {
    name: "a number of an unknown kind that is corrected",
    before: { telecom: [pager("2")] },
    after: { telecom: [pager("3")] },
    faults: ["/telecom/0/system"],
  },
  {
    name: "a place in a country that is not known here",
    before: { address: [city("Imus")] },
    after: { address: [city("Kawit")] },
  },
  {
    name: "two such places",
    before: { address: [city("Imus"), city("Naic", "YY")] },
    after: { address: [city("Naic", "YY"), city("Kawit")] },
  },
  {
    name: "another country that is not known here",
    before: { address: [city("Imus")] },
    after: { address: [city("Imus", "YY")] },
    faults: ["/address/0/country"],
  },
  {
    name: "an identifier that nothing is allowed beside",
    before: { identifier: [{ system: "urn:i", value: "1", issuer: "PH" }] },
    after: { identifier: [{ system: "urn:i", value: "1", issuer: "PH" }], ...born },
  },
  {
    name: "a day of birth that comes yet",
    before: { birthDate: "2026-06-16" },
    after: { birthDate: "2026-06-16", birthDateEstimated: true },
  },
  {
    name: "another that comes yet",
    before: { birthDate: "2026-06-16" },
    after: { birthDate: "2026-06-17" },
    faults: ["/birthDate"],
  },
  {
    name: "a stay that ended before it began, its beginning moved",
    type: "Group",
    before: { member: [member("1", { period: { start: "2026-05-05", end: "2026-05-01" } })] },
    after: { member: [member("1", { period: { start: "2026-05-04", end: "2026-05-01" } })] },
    faults: ["/member/0/period/end"],
  },
  {
    name: "a name that is taken away beside an unknown member",
    before: { nickname: "Ana" },
    after: { nickname: "Ana", name: {} },
    faults: ["/name"],
  },
];

describe("a change of a record that had faults", () => {
  it.each(cases)("finds $name", ({ type = "Individual", before, after, faults = [] }) => {
    const outcome = change(type, before, after);
    const told = outcome.ok ? [] : (outcome.problem.errors ?? []);
    expect(told.map(({ field }) => field)).toEqual(faults);
    if (outcome.ok) expect(outcome.value).toEqual(recordOf(type, after));
  });

  it.each(["Individual", "Group"] as const)("finds nothing of any %s that is left as it was", (type) => {
    const names = [
      "identifier",
      "name",
      "telecom",
      "address",
      "member",
      "gender",
      "extension",
      "birthDate",
      "x",
    ];
    // What can't be kept at all is refused whatever there was.
    const member = fc.jsonValue({ maxDepth: 4 }).filter((value) => readPlain(value).ok);
    const members = fc.dictionary(fc.constantFrom(...names), member);
    const isUntouched = fc.property(members, (given) => {
      const same = given as JsonObject;
      return change(type, same, same).ok;
    });
    fc.assert(isUntouched);
  });

  it("asks for a required member only where there was one", () => {
    const { name: _, ...nameless } = recordOf("Individual", {});
    const known = { ...nameless, ...born };
    expect(validateRecord("Individual", known, schemas, { record: nameless })).toEqual({
      ok: true,
      value: known,
    });
    expect(validateRecord("Individual", known, schemas, { record: recordOf("Individual", {}) }).ok).toBe(
      false,
    );
  });

  it("gives a default only where there was a value", () => {
    const { active: _, ...untold } = recordOf("Individual", {});
    const known = { ...untold, ...born };
    expect(validateRecord("Individual", known, schemas, { record: untold })).toEqual({
      ok: true,
      value: known,
    });
    expect(
      validateRecord("Individual", known, schemas, { record: recordOf("Individual", {}) }),
    ).toMatchObject({
      value: { active: true },
    });
  });

  it("leaves an extension that the change leaves alone as it was given", () => {
    const extension = { measured: { url: "urn:service:extension:measured", weight: 60 } };
    expect(change("Individual", { extension }, { extension, ...born })).toMatchObject({
      value: { extension },
    });
  });

  it("completes an extension that the change brings", () => {
    const outcome = change(
      "Individual",
      { nickname: "Ana" },
      { nickname: "Ana", extension: { measured: {} } },
    );
    const measured = { url: "urn:service:extension:measured", height: 170 };
    expect(outcome).toMatchObject({ value: { extension: { measured } } });
  });

  it("is refused for every fault where it is not told what there was", () => {
    expect(validateRecord("Individual", recordOf("Individual", { nickname: "Ana" }), schemas).ok).toBe(false);
  });
});
