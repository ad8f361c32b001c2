import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { createSchemas, validateRecord } from "../resource/schemas.ts";
import type { ResourceType } from "../resource/types.ts";
import { arbitraryGroup, arbitraryIndividual, arbitraryMembership, arbitraryProgram } from "./generators.ts";
import { perturb } from "./generators-perturb.ts";

const schemas = createSchemas({ today: () => "2026-06-01", namespace: "service" });

const generators: Readonly<Record<ResourceType, fc.Arbitrary<JsonObject>>> = {
  Individual: arbitraryIndividual,
  Group: arbitraryGroup(),
  Program: arbitraryProgram,
  ProgramMembership: arbitraryMembership(),
};

it("adds no second head to a group: a run that once failed", () => {
  const edited = arbitraryGroup().chain((record) => perturb(record));
  fc.assert(
    fc.property(edited, (record) => {
      expect(validateRecord("Group", record, schemas).ok).toBe(true);
    }),
    { numRuns: 3000, seed: 1370809950 },
  );
});

describe.each(Object.entries(generators))("arbitrary %s", (type, records) => {
  it("is valid, and stays valid when it is perturbed", () => {
    const edited = records.chain((record) => fc.tuple(fc.constant(record), perturb(record)));
    fc.assert(
      fc.property(edited, (both) => {
        for (const record of both) {
          const parsed = validateRecord(type as ResourceType, record, schemas);
          expect(parsed.ok ? [] : parsed.problem.errors).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("differs from its perturbation often enough to find conflicts", () => {
    const edited = records.chain((record) => fc.tuple(fc.constant(record), perturb(record)));
    const pairs = fc.sample(edited, { numRuns: 200, seed: 7 });
    const changed = pairs.filter(([a, b]) => JSON.stringify(a) !== JSON.stringify(b));
    expect(changed.length).toBeGreaterThan(80);
  });
});
