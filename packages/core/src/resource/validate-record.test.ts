import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import type { FieldError } from "../problem.ts";
import { farmer } from "./extensions.ts";
import type { Group } from "./group.ts";
import type { Individual } from "./individual.ts";
import type { ProgramMembership } from "./membership.ts";
import type { Program } from "./program.ts";
import { createSchemas, validateRecord } from "./schemas.ts";
import { type ResourceType, resourceTypes } from "./types.ts";

const today = "2026-06-15";
const housing = {
  name: "housing",
  module: "housing",
  appliesTo: ["Group"],
  schema: z.strictObject({ rooms: z.int().min(1).default(1) }),
} as const;
const schemas = createSchemas({ today: () => today, namespace: "service", extensions: [farmer, housing] });

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

function stored(type: ResourceType, members: JsonObject): JsonObject {
  const outcome = check(type, members);
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.problem));
  return outcome.value;
}

/** `pointer code` of each fault. */
function faultsOf(outcome: ReturnType<typeof validateRecord>): string[] {
  const errors: readonly FieldError[] = outcome.ok ? [] : (outcome.problem.errors ?? []);
  return errors.map(({ field, code }) => `${field} ${code}`);
}

const head = {
  entity: { reference: "Individual/urn:national|1" },
  role: { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] },
};

describe("validateRecord", () => {
  it.each([null, undefined, 7, "text", [], () => 1])("refuses %j as a body", (body) => {
    expect(validateRecord("Group", body, schemas)).toMatchObject({
      ok: false,
      problem: { kind: "validation", errors: [{ field: "", code: "invalid_type" }] },
    });
  });

  it.each(resourceTypes)("changes nothing in its own result for a %s", (type) => {
    const once = stored(type, {});
    expect(stored(type, once)).toEqual(once);
  });

  it.each(resourceTypes)("answers any JSON put into a %s, and never with an internal fault", (type) => {
    const names = [...Object.keys(valid[type]), "member", "extension", "gender", "address", "period", "x"];
    const members = fc.dictionary(fc.constantFrom(...names), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(members, (changed) => {
        const outcome = validateRecord(type, { ...valid[type], ...changed }, schemas);
        if (outcome.ok) expect(validateRecord(type, outcome.value, schemas)).toEqual(outcome);
        else expect(outcome.problem.errors?.length).toBeGreaterThan(0);
      }),
    );
  });

  it("makes active true when it is not told", () => {
    expect(stored("Individual", {}).active).toBe(true);
    expect(stored("Individual", { active: false }).active).toBe(false);
  });

  it("drops what the service derives, whatever it holds", () => {
    const [meta, groupMembership, quantity, status] = [7, "x", -1, {}];
    expect(stored("Individual", { meta, groupMembership })).toEqual(stored("Individual", {}));
    expect(stored("Group", { meta, quantity })).toEqual(stored("Group", {}));
    expect(stored("Program", { meta, status })).toEqual(stored("Program", {}));
  });

  it("refuses derived members of other types", () => {
    expect(faultsOf(check("Individual", { quantity: 1 }))).toEqual(["/quantity unknown_field"]);
  });

  it("drops the display of references and writes them in one form", () => {
    const value = stored("ProgramMembership", { program: { reference: "Program/a#b%7C1", display: "Rice" } });
    expect(value.program).toEqual({ reference: "Program/a%23b|1" });
    const group = stored("Group", {
      member: [{ entity: { reference: "Individual/a b|1", display: "Ana" } }],
    });
    expect(group.member).toEqual([{ entity: { reference: "Individual/a%20b|1" } }]);
  });

  it("gives each extension its url and its defaults", () => {
    expect(stored("Group", { extension: { housing: {} } }).extension).toEqual({
      housing: { url: "urn:service:extension:housing", rooms: 1 },
    });
    const farm = {
      url: "urn:service:extension:farmer",
      farmSize: 1.5,
      farmSizeUnit: "ha",
      livestockCount: 0,
    };
    expect(stored("Individual", { extension: { farmer: farm } }).extension).toEqual({ farmer: farm });
  });

  it("says what is allowed", () => {
    const outcome = check("Group", { groupType: "clan" });
    expect(outcome).toMatchObject({
      problem: { errors: [{ message: "must be one of household, family, organization, other" }] },
    });
  });

  it("accepts only listed identifier systems when a list is given", () => {
    const strict = createSchemas({
      today: () => today,
      namespace: "gov",
      vocabularies: { "urn:gov:vocab:identifier-system": { codes: ["urn:other"] } },
    });
    const outcome = validateRecord("Individual", valid.Individual, strict);
    expect(faultsOf(outcome)).toEqual(["/identifier/0/system invalid_code"]);
  });

  it("takes the roles of the deployment's namespace", () => {
    const gov = createSchemas({ today: () => today, namespace: "gov" });
    const outcome = validateRecord("Group", { ...valid.Group, member: [head] }, gov);
    expect(faultsOf(outcome)).toEqual(["/member/0/role/coding invalid_code"]);
  });
});

describe("the types of records", () => {
  it("are JSON objects", () => {
    const asJson = (record: Individual | Group | Program | ProgramMembership): JsonObject => record;
    expect(asJson).toBeTypeOf("function");
  });
});
