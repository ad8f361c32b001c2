import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import {
  emptyRegistration,
  registrationFaults,
  registrationOf,
  whoIsMeant,
  withoutPerson,
  withPerson,
} from "./registration.ts";

const today = "2026-11-21";
const making = { today, newId: () => "id-1" };

describe("the registration form", () => {
  it("names every field that is missing, person by person", () => {
    const faults = registrationFaults(withPerson(emptyRegistration({})), today);
    expect(faults.map((fault) => fault.field)).toEqual([
      "name",
      "person-1-given",
      "person-1-day",
      "person-2-given",
      "person-2-day",
      "person-2-role",
    ]);
  });

  it("keeps the names of fields when a person is removed", () => {
    const three = withPerson(withPerson(emptyRegistration({})));
    expect(withoutPerson(three, 2).people.map((person) => person.id)).toEqual([1, 3]);
    expect(withPerson(withoutPerson(three, 2)).people.map((person) => person.id)).toEqual([1, 3, 4]);
  });

  it("says whom a field is about, by the place and the name that are shown now", () => {
    const two = withPerson(withPerson(emptyRegistration({})));
    const named = {
      ...two,
      people: two.people.map((each) => ({
        ...each,
        person: { ...each.person, given: each.id === 3 ? " Ana " : "" },
      })),
    };
    expect(whoIsMeant("person-1-day", named)).toBe("Person 1");
    expect(whoIsMeant("person-3-given", named)).toBe("Person 3 (Ana)");
    expect(whoIsMeant("person-3-given", withoutPerson(named, 2))).toBe("Person 2 (Ana)");
    const long = {
      ...named,
      people: named.people.map((each) => ({ ...each, person: { ...each.person, given: "x".repeat(300) } })),
    };
    expect(whoIsMeant("person-1-day", long)).toBe(`Person 1 (${"x".repeat(40)}…)`);
    expect(whoIsMeant("name", named)).toBeUndefined();
    expect(whoIsMeant("", named)).toBeUndefined();
  });

  it("refuses a second head", () => {
    const two = withPerson(emptyRegistration({}));
    const heads = { ...two, people: two.people.map((person) => ({ ...person, role: "head" })) };
    expect(registrationFaults(heads, today)).toContainEqual({
      field: "person-2-role",
      code: "head",
      message: texts.register.twoHeads,
    });
  });

  it("gives every person the household's address", () => {
    const empty = emptyRegistration({ country: "PH", state: "Cavite", city: "Imus" });
    const registration = registrationOf({ ...empty, name: " Reyes household " }, making);
    const address = [{ type: "physical", city: "Imus", state: "Cavite", country: "PH" }];
    expect(registration.group).toEqual({
      groupType: "household",
      name: "Reyes household",
      active: true,
      address,
    });
    expect(registration.members.map(({ individual, role }) => [role, individual.address])).toEqual([
      ["head", address],
    ]);
  });
});
