import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { membershipStatuses } from "../resource/membership-status.ts";
import { createSchemas, validateRecord } from "../resource/schemas.ts";
import type { ResourceType } from "../resource/types.ts";
import { demoAreas } from "./areas.ts";
import { type DemoOptions, demoRecords } from "./records.ts";

const today = "2026-03-01";
const all = [...demoRecords({ today })];

function ofType(type: ResourceType, records: readonly JsonObject[] = all): readonly JsonObject[] {
  return records.filter((record) => record.type === type);
}

function bytes(options: DemoOptions): string {
  return [...demoRecords(options)].map((record) => JSON.stringify(record)).join("\n");
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

interface Member {
  readonly entity: { readonly reference: string };
  readonly role: { readonly coding: readonly [{ readonly code: string }] };
}

const membersOf = (group: JsonObject) => group.member as unknown as readonly Member[];

describe("the demonstration data", () => {
  it("is the same for the same options, byte by byte", () => {
    expect(digest(all.map((record) => JSON.stringify(record)).join("\n"))).toBe("b876c23467b4e7b4");
    expect(bytes({ today, seed: 7, households: 50 })).toBe(bytes({ today, seed: 7, households: 50 }));
  });

  it("is another population for another seed", () => {
    expect(bytes({ today, seed: 7, households: 5 })).not.toBe(bytes({ today, seed: 8, households: 5 }));
  });

  it("begins alike however many households there are", () => {
    expect(bytes({ today, households: 60 }).startsWith(bytes({ today, households: 20 }))).toBe(true);
  });

  it("has 2,000 households of one to nine people", () => {
    const sizes = ofType("Group").map((group) => membersOf(group).length);
    expect(sizes).toHaveLength(2000);
    expect(new Set(sizes)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8, 9]));
    expect(ofType("Individual")).toHaveLength(sizes.reduce((sum, size) => sum + size, 0));
  });

  it("is valid, every record", { timeout: 30_000 }, () => {
    const schemas = createSchemas({ today: () => today, namespace: "service" });
    const faults = all.flatMap((record) => {
      const parsed = validateRecord(record.type as ResourceType, record, schemas);
      return parsed.ok ? [] : [parsed.problem];
    });
    expect(faults).toEqual([]);
  });

  it("refers only to what came before", () => {
    const seen = new Set<string>();
    for (const record of all) {
      const references = [...JSON.stringify(record).matchAll(/"reference":"([^"]+)"/g)].map(
        ([, text]) => text,
      );
      expect(references.filter((text) => text === undefined || !seen.has(text))).toEqual([]);
      for (const { system, value } of record.identifier as unknown as { system: string; value: string }[]) {
        const reference = `${record.type}/${system}|${value}`;
        expect(seen.has(reference)).toBe(false);
        seen.add(reference);
      }
    }
  });

  it("names nobody by the identifier that tells a registrant's ext_id, which only the registry gives", () => {
    const systems = all.flatMap(({ identifier }) =>
      (identifier as unknown as { system: string }[]).map(({ system }) => system),
    );
    expect(systems).not.toContain("urn:service:registrant");
    expect(systems).toContain("urn:service:person");
  });

  it("has one head in each household", () => {
    for (const group of ofType("Group")) {
      expect(membersOf(group).filter(({ role }) => role.coding[0].code === "head")).toHaveLength(1);
    }
  });

  it("has three programs first, one of them ended", () => {
    const programs = all.slice(0, 3);
    expect(programs.map(({ type, targetType }) => [type, targetType])).toEqual([
      ["Program", "individual"],
      ["Program", "group"],
      ["Program", "group"],
    ]);
    const ends = programs.map(({ period }) => (period as { end?: string }).end);
    expect(ends.filter((end) => end !== undefined && end < today)).toHaveLength(1);
  });

  it("has memberships in every state, even among six households", () => {
    const few = ofType("ProgramMembership", [...demoRecords({ today, households: 6 })]);
    for (const memberships of [few, ofType("ProgramMembership")]) {
      expect(new Set(memberships.map(({ status }) => status))).toEqual(new Set(membershipStatuses));
    }
  });

  it("enrolls nobody twice in one program", () => {
    const pairs = ofType("ProgramMembership").map(({ program, beneficiary }) =>
      JSON.stringify([program, beneficiary]),
    );
    expect(new Set(pairs).size).toBe(pairs.length);
  });

  it("lives in the areas that are listed", () => {
    const areas = ofType("Group").map((group) => {
      const [{ country, state, city }] = group.address as unknown as [Record<string, string>];
      return `area:${country}/${state}/${city}`;
    });
    expect(new Set(areas)).toEqual(new Set(demoAreas));
    expect(demoAreas[0]).toBe("area:PH/Cavite/Imus");
  });

  it.each([
    ["accented Latin", /[À-ÿ]/],
    ["Arabic", /\p{Script=Arabic}/u],
    ["Devanagari", /\p{Script=Devanagari}/u],
  ])("has names in %s script", (_, script) => {
    const names = ofType("Individual").map(({ name }) => JSON.stringify(name));
    expect(names.filter((name) => script.test(name)).length).toBeGreaterThan(300);
  });

  it("has estimated birth dates, shared surnames and some national numbers", () => {
    const people = ofType("Individual");
    const estimated = people.filter(({ birthDateEstimated }) => birthDateEstimated === true);
    const numbered = people.filter(({ identifier }) => JSON.stringify(identifier).includes("urn:gov:"));
    const families = new Set(people.map(({ name }) => (name as { family: string }).family));
    expect(estimated.length / people.length).toBeGreaterThan(0.1);
    expect(numbered.length / people.length).toBeGreaterThan(0.2);
    expect(families.size).toBeLessThan(200);
  });

  it("holds three photos", () => {
    expect(all.filter(({ photo }) => photo !== undefined)).toHaveLength(3);
  });

  it("follows the namespace of the deployment", () => {
    expect(bytes({ today, households: 20, namespace: "acme" })).not.toContain("urn:service:");
  });
});
