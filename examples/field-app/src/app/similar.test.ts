import { type Individual, type Likened, success } from "@fieldroll/core";
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

/** A client that holds one person, who is like anybody, and keeps who was asked for. */
function clientWith(person: Individual, asked: Likened[]): FieldClient {
  const alike = async (likened: Likened) => {
    asked.push(likened);
    const evidence = [{ kind: "name", match: "same", strength: 4 }];
    return success([
      { key: "1", reference: "Individual/a|1", record: person, state: "synced", score: 7, evidence },
    ]);
  };
  const nothing = async () => success({ data: [], hasMore: false });
  return { findSimilar: alike, groups: { search: nothing } } as unknown as FieldClient;
}

const head = { ...emptyPerson, given: "Ana", family: "Reyes", day: "1", month: "5", year: "1990" };
const values = {
  ...emptyRegistration({ city: "Imus" }),
  name: "Reyes household",
  people: [
    { id: 1, role: "head", person: head },
    { id: 2, role: "child", person: { ...head, year: "" } },
  ],
};

describe("findSimilar", () => {
  it("asks for each person as far as the form is filled in", async () => {
    const asked: Likened[] = [];
    await findSimilar(clientWith(ana, asked), values, "2026-11-21");
    expect(asked).toMatchObject([
      { name: { given: "Ana", family: "Reyes" }, birthDate: "1990-05-01", address: [{ city: "Imus" }] },
      { name: { given: "Ana", family: "Reyes" } },
    ]);
    expect(asked[1]).not.toHaveProperty("birthDate");
  });

  it("gives the same person once, with the reasons and the place", async () => {
    expect(await findSimilar(clientWith(ana, []), values, "2026-11-21")).toEqual([
      {
        reference: "Individual/a|1",
        name: "Ana Reyes",
        text: "same name · 36 years · Imus",
        closeness: 7,
        person: 1,
      },
    ]);
  });
});
