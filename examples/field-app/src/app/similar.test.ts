import { type Individual, type SearchParameters, success } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { emptyIndividual, emptyPerson } from "../model/person-form.ts";
import { emptyRegistration } from "../model/registration.ts";
import { findSimilar } from "./similar.ts";

const ana: Individual = {
  ...emptyIndividual,
  name: { given: "Ana", family: "Reyes" },
  birthDate: "1990-05-01",
  address: [{ city: "Imus" }],
};

/** A client that holds one person, and keeps what was asked for. */
function clientWith(person: Individual, asked: SearchParameters[]): FieldClient {
  const search = async (parameters: SearchParameters = {}) => {
    asked.push(parameters);
    const held = { reference: "Individual/a|1", record: person, state: "synced" };
    return success({ data: [held], hasMore: false });
  };
  const nothing = async () => success({ data: [], hasMore: false });
  return { individuals: { search }, groups: { search: nothing } } as unknown as FieldClient;
}

const values = {
  ...emptyRegistration({ city: "Imus" }),
  name: "Reyes household",
  people: [
    {
      id: 1,
      role: "head",
      person: { ...emptyPerson, given: "Ana", family: "Reyes", day: "1", month: "5", year: "1990" },
    },
  ],
};

describe("findSimilar", () => {
  it("asks for people with both names, and for those of the year by themselves", async () => {
    const asked: SearchParameters[] = [];
    await findSimilar(clientWith(ana, asked), values, "2026-11-21");
    const name = ["Ana", "Reyes"];
    expect(asked).toEqual([
      { name, birthdate: ["ge1990-01-01", "le1990-12-31"], limit: "500" },
      { name, limit: "500" },
    ]);
  });

  it("gives the same person once, with the reason and the place", async () => {
    expect(await findSimilar(clientWith(ana, []), values, "2026-11-21")).toEqual([
      {
        reference: "Individual/a|1",
        name: "Ana Reyes",
        place: "Imus",
        because: "name-and-year",
        closeness: 7,
        person: 1,
      },
    ]);
  });

  it("claims no year of birth that is not known", async () => {
    const { birthDate: _, ...undated } = ana;
    const found = await findSimilar(clientWith(undated, []), values, "2026-11-21");
    expect(found.map(({ because }) => because)).toEqual(["same-name"]);
  });
});
