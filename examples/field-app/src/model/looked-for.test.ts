import { createMemoryStore, createRegistry, operator, unwrap } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { lookedFor } from "./looked-for.ts";

const system = "urn:example:id";
const given = [
  { name: { given: "Quirina", middle: "Q.", family: "Tester" }, value: "AB-77" },
  { name: { given: "Ana", middle: "María", family: "Reyes" }, value: "cd-5,6" },
];

async function found(typed: string): Promise<readonly (string | undefined)[]> {
  let made = 0;
  const newId = () => `00000000-0000-7000-8000-${String(++made).padStart(12, "0")}`;
  const registry = createRegistry({ store: createMemoryStore(), newId, clock: () => new Date() }).as(
    operator,
  );
  for (const { name, value } of given) {
    unwrap(await registry.individuals.create({ type: "Individual", name, identifier: [{ system, value }] }));
  }
  const asked = lookedFor(typed);
  if (asked === null) return ["nothing is asked"];
  const pages = await Promise.all([
    registry.individuals.search(asked.byParts),
    registry.individuals.search(asked.byIdentifier),
  ]);
  return pages.flatMap((page) => unwrap(page).data.map((person) => person.name.given));
}

describe("what a person typed", () => {
  it("is looked for as the whole name, then as words, then as beginnings of words", () => {
    expect(lookedFor(" Eva,  Ana ")).toMatchObject({
      byWholeName: { "name:exact": "Eva Ana" },
      byWords: { "name:start": ["Eva ", "Ana "] },
      byBeginnings: { "name:start": ["Eva", "Ana"] },
    });
  });

  it.each([
    ["a first and a last name, with a middle one between", "Quirina Tester", ["Quirina"]],
    ["the words in any order, with a comma", "tester, QUIRINA", ["Quirina"]],
    ["parts of words, without accents", "mar rey", ["Ana"]],
    ["no name that lacks one of the words", "Quirina Reyes", []],
    ["an identity number as it is stored", "AB-77", ["Quirina"]],
    ["an identity number in small letters", "ab-77", ["Quirina"]],
    ["an identity number in capitals, with its comma", " CD-5,6 ", ["Ana"]],
    ["an identity number with its system", `${system}|ab-77`, ["Quirina"]],
    ["an identity number in digits of another script", "AB-٧٧", ["Quirina"]],
    ["nothing, of blanks and commas", " , ", ["nothing is asked"]],
  ])("finds %s", async (_, typed, names) => {
    expect(await found(typed)).toEqual(names);
  });
});
