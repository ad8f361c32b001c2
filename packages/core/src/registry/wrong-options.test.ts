import { describe, expect, it } from "vitest";
import { type Outcome, unwrap } from "../problem.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createRegistry } from "./create-registry.ts";
import { operator } from "./scopes.ts";
import type { IfMatch, RegistryConfig, SearchParameters, WriteOptions } from "./types.ts";

const address = { system: "urn:gov:id", value: "1" };
const person = { type: "Individual", identifier: [address], name: { family: "Reyes" } };
const extId = "01930000-0000-7000-8000-000000000000";

async function open() {
  let ids = 0;
  const newId = () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`;
  const clock = () => new Date("2026-11-21T08:00:00.000Z");
  const registry = createRegistry({ store: createMemoryStore(), newId, clock });
  const view = registry.as(operator);
  unwrap(await view.individuals.create(person));
  return { registry, view };
}

function problemOf(outcome: Outcome<unknown>) {
  if (outcome.ok) throw new Error("was not refused");
  return outcome.problem;
}

const wrongIfMatch = {
  kind: "bad-request",
  detail: 'The option ifMatch must be "*" or a list of versionIds, such as ["1"].',
  errors: [{ field: "ifMatch", code: "invalid_parameter" }],
};

describe("ifMatch of a wrong kind", () => {
  // Of a bare "12" the "1" was taken for a version once: a write that nobody had allowed.
  it.each([[1], ["1"], ["12"], [null], [{}], [[1]]])("is refused, and changes nothing: %j", async (wrong) => {
    const { view } = await open();
    const options = { ifMatch: wrong as unknown as IfMatch };
    const refused = [
      await view.individuals.patch(address, { birthDate: "1988-04-02" }, options),
      await view.individuals.replace(address, person, options),
      await view.transaction([{ verb: "patch", type: "Individual", address, body: {}, ...options }]),
      await view.entitlements.approve(extId, options),
      await view.changeRequests.approve(extId, options),
    ];
    for (const outcome of refused) expect(problemOf(outcome)).toMatchObject(wrongIfMatch);
    expect(unwrap(await view.individuals.read(address)).meta?.versionId).toBe("1");
  });

  it("is missed where there are no options at all", async () => {
    const { view } = await open();
    const patched = await view.individuals.patch(address, {}, undefined as unknown as WriteOptions);
    expect(problemOf(patched).kind).toBe("precondition-required");
  });
});

describe("a search parameter of a wrong kind", () => {
  it.each<[string, unknown]>([
    ["limit", 10],
    ["limit", null],
    ["active", true],
    ["name", [5]],
    ["_sort", {}],
  ])("is refused by name: %s %j", async (name, value) => {
    const { view } = await open();
    const problem = problemOf(await view.individuals.search({ [name]: value } as SearchParameters));
    expect(problem).toMatchObject({
      kind: "bad-request",
      detail: `The parameter ${name} must be text, such as "10", or a list of texts.`,
      errors: [{ field: name, code: "invalid_parameter" }],
    });
  });

  it.each<[unknown, string]>([
    ["10", "text"],
    [0, "0"],
    [501, "501"],
    [1.5, "1.5"],
    [null, "null"],
  ])("is told apart in the audit trail, whose limit is a number: %j", async (limit, given) => {
    const { registry } = await open();
    const problem = problemOf(await registry.audit({ limit: limit as number }));
    expect(problem.detail).toBe(`limit must be a whole number from 1 to 500, not ${given}.`);
  });
});

describe("createRegistry without what it needs", () => {
  const whole: RegistryConfig = {
    store: createMemoryStore(),
    clock: () => new Date(0),
    newId: () => extId,
  };
  it.each<[string, unknown, RegExp]>([
    ["newId", { newId: undefined }, /^createRegistry: newId must be a function that gives a new UUIDv7/],
    ["clock", { clock: undefined }, /^createRegistry: clock must be a function that tells the present/],
    ["a clock that is a function", { clock: new Date(0) }, /^createRegistry: clock must be a function/],
    ["store", { store: undefined }, /^createRegistry: store must be a store/],
    ["both functions", { clock: 1, newId: 1 }, /clock must be .*; newId must be /],
  ])("is refused at once: without %s", (_, without, sentence) => {
    const wrong = { ...whole, ...(without as object) };
    expect(() => createRegistry(wrong)).toThrow(TypeError);
    expect(() => createRegistry(wrong)).toThrow(sentence);
  });

  it("is refused at once: without anything", () => {
    expect(() => createRegistry(undefined as unknown as RegistryConfig)).toThrow(
      /store must be .*; clock must be .*; newId must be /,
    );
  });
});
