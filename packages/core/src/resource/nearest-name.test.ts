import { describe, expect, it } from "vitest";
import type { JsonObject } from "../json.ts";
import { createRegistry } from "../registry/create-registry.ts";
import { operator } from "../registry/scopes.ts";
import { createMemoryStore } from "../store/memory.ts";
import { farmer } from "./extensions.ts";

const person = {
  type: "Individual",
  identifier: [{ system: "urn:gov:id", value: "1" }],
  name: { family: "Reyes" },
};

function open() {
  const newId = () => "01930000-0000-7000-8000-000000000000";
  const clock = () => new Date("2026-11-21T08:00:00.000Z");
  const extensions = [farmer];
  return createRegistry({ store: createMemoryStore(), newId, clock, extensions }).as(operator);
}

async function faultsOf(body: JsonObject) {
  const outcome = await open().individuals.create(body);
  if (outcome.ok) throw new Error("was not refused");
  return outcome.problem.errors ?? [];
}

const plain = (name: string) => `is not a field here; take "${name}" away or correct its name`;
const meant = (name: string, known: string) => `${plain(name)}: did you mean "${known}"?`;

describe("a member that is none", () => {
  it.each<[string, JsonObject, string]>([
    ["birthdate", { birthdate: "1988-04-02" }, meant("birthdate", "birthDate")],
    ["birth_date", { birth_date: "1988-04-02" }, meant("birth_date", "birthDate")],
    ["identifer", { identifer: [] }, meant("identifer", "identifier")],
    ["name/famly", { name: { family: "R", famly: "R" } }, meant("famly", "family")],
    ["address/0/contry", { address: [{ city: "Imus", contry: "PH" }] }, meant("contry", "country")],
    ["extension/farmer/farmsize", { extension: { farmer: { farmsize: 2 } } }, meant("farmsize", "farmSize")],
    ["dob", { dob: "1988-04-02" }, plain("dob")],
    ["constructed", { constructed: 1 }, plain("constructed")],
    ["xy", { xy: 1 }, plain("xy")],
    ["n".repeat(200), { ["n".repeat(200)]: 1 }, plain(`${"n".repeat(120)}…`)],
  ])("is told the nearest name, where one is near: %s", async (path, more, message) => {
    const faults = await faultsOf({ ...person, ...more });
    expect(faults).toEqual([{ field: `/${path}`, code: "unknown_field", message }]);
  });

  it("is told so in a body that is no record", async () => {
    const outcome = await open().registrants.create({ name: "Ana", birthDate: "1988-04-02" });
    const consent = await open().consents.grant({ subjct: {} });
    const errors = [outcome, consent].flatMap((one) => (one.ok ? [] : (one.problem.errors ?? [])));
    expect(errors).toContainEqual(expect.objectContaining({ message: meant("birthDate", "birthdate") }));
    expect(errors).toContainEqual(expect.objectContaining({ message: meant("subjct", "subject") }));
  });
});
