import { describe, expect, it } from "vitest";
import * as z from "zod";
import { maxErrors, success } from "../problem.ts";
import { list } from "../resource/list.ts";
import { createTestRegistry } from "../testing/test-registry.ts";

const herd = (schema: z.ZodObject) => ({
  name: "herd",
  module: "farm",
  appliesTo: ["Individual"] as const,
  schema,
});
const count = (schema: z.ZodType) => ({ name: "count", schema, apply: async () => success({}) });
const animal = z.strictObject({ tag: z.string() });

describe("a schema that a deployment declares", () => {
  it.each([
    ["an array", z.array(animal)],
    ["one with a maximum of Zod's own", z.array(animal).max(5)],
    ["an optional one", z.array(animal).optional()],
    ["one in a list", list(z.array(animal), 5)],
    ["one in an object", z.strictObject({ animals: z.array(animal) })],
    ["one in a record", z.record(z.string(), z.array(animal))],
    ["one among alternatives", z.union([z.string(), z.array(animal)])],
    ["one that is changed afterwards", z.array(animal).transform((animals) => animals.length)],
  ])("is refused with %s", (_what, field) => {
    const schema = z.strictObject({ field });
    expect(() => createTestRegistry({ extensions: [herd(schema)] })).toThrow(/extension herd .* list\(/);
    expect(() => createTestRegistry({ changeRequestTypes: [count(schema)] })).toThrow(/type count /);
  });

  it("may name itself, and hold anything", () => {
    const schema = z.strictObject({
      any: z.json(),
      get parts(): z.ZodType {
        return list(schema, 3).optional();
      },
    });
    expect(() => createTestRegistry({ extensions: [herd(schema)] })).not.toThrow();
  });

  it("has its lists measured before their entries are looked at", async () => {
    let looked = 0;
    const watched = z.json().refine(() => {
      looked++;
      return false;
    });
    const { view } = createTestRegistry({
      extensions: [herd(z.strictObject({ animals: list(watched, 200) }))],
    });
    const created = (animals: number) =>
      view.individuals.create({
        type: "Individual",
        identifier: [{ system: "urn:x", value: "1" }],
        extension: { herd: { animals: Array(animals).fill("a") } },
      });
    const field = "/extension/herd/animals";
    const message = "must have at most 200 entries, and has 201";
    expect(await created(201)).toMatchObject({
      problem: { kind: "validation", errors: [{ field: "/name" }, { field, code: "too_many", message }] },
    });
    expect(looked).toBe(0);
    await created(200);
    expect(looked).toBeLessThanOrEqual(maxErrors + 1);
  });
});
