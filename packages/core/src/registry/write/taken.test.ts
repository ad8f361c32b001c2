import { expect, it } from "vitest";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { operator } from "../scopes.ts";

const [national, school] = ["urn:national", "urn:school"];
const name = (system: string) => `Individual/${system}|1`;

it.each([
  [
    "names another one’s address once",
    national,
    `${name(national)} is taken by a record that is there: change that one, or give this one another identifier.`,
  ],
  [
    "leads from any other of its identifiers to that address",
    school,
    `${name(school)} is taken: see ${name(national)}.`,
  ],
])("a refusal of a number that somebody has %s", async (_, system, detail) => {
  const view = createTestRegistry().registry.as(operator);
  const person = (systems: readonly string[]) => ({
    type: "Individual",
    name: { given: "Ana" },
    identifier: systems.map((each) => ({ system: each, value: "1" })),
  });
  await view.individuals.create(person([national, school]));
  const refused = await view.individuals.create(person([system]));
  expect(refused).toEqual({
    ok: false,
    problem: { kind: "duplicate", detail, existing: name(national) },
  });
});
