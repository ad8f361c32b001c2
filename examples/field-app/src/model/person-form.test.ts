import type { Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { texts } from "../texts.ts";
import {
  asksForNumber,
  changedPerson,
  emptyPerson,
  newPerson,
  type PersonValues,
  personFaults,
  personValues,
} from "./person-form.ts";

const today = "2026-11-21";
const making = { today, newId: () => "id-1" };

const maria: Individual = {
  type: "Individual",
  identifier: [{ system: "urn:service:person", value: "1" }],
  active: true,
  name: { given: "Maria", middle: "Santos", family: "Reyes", text: "Maria Santos Reyes" },
  birthDate: "1987-03-07",
  gender: { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] },
  telecom: [
    { system: "email", value: "maria@example.org" },
    { system: "phone", value: "+63 2 555 0100", use: "home", rank: 2 },
    { system: "phone", value: "+63 917 555 0101", use: "mobile", rank: 1 },
  ],
  address: [
    { type: "postal", text: "PO Box 5" },
    { type: "physical", line: ["12 Rizal St", "Unit 4"], city: "Imus", country: "PH" },
  ],
  meta: { versionId: "3", lastUpdated: "2026-01-01T00:00:00.000Z", source: "urn:service:api-client:x" },
};

describe("personValues and changedPerson", () => {
  it("change nothing when the form was not touched", () => {
    expect(changedPerson(maria, personValues(maria), today)).toEqual(maria);
  });

  it("change and take away each of several phone numbers", () => {
    expect(personValues(maria)).toMatchObject({
      phone: "+63 917 555 0101",
      otherPhones: ["+63 2 555 0100"],
    });
    const values = { ...personValues(maria), phone: "+63 917 555 0999", otherPhones: [" "] };
    const phones = changedPerson(maria, values, today).telecom?.filter(({ system }) => system === "phone");
    expect(phones).toEqual([{ system: "phone", value: "+63 917 555 0999", use: "mobile", rank: 1 }]);
    const wrong = { ...personValues(maria), otherPhones: ["call me"] };
    expect(personFaults(wrong, today).map(({ field }) => field)).toEqual(["phone-1"]);
  });

  it("change the phone to call first and leave the others", () => {
    const next = changedPerson(maria, { ...personValues(maria), phone: "+63 917 555 0999" }, today);
    expect(next.telecom?.map((item) => item.value)).toEqual([
      "maria@example.org",
      "+63 2 555 0100",
      "+63 917 555 0999",
    ]);
    expect({ ...next, telecom: maria.telecom }).toEqual(maria);
  });

  it("drop the name in full when a part of it changes", () => {
    const next = changedPerson(maria, { ...personValues(maria), family: "Cruz" }, today);
    expect(next.name).toEqual({ given: "Maria", middle: "Santos", family: "Cruz" });
  });

  it("take away what was cleared", () => {
    const cleared: PersonValues = { ...personValues(maria), gender: "", phone: "", birthKind: "unknown" };
    const next = changedPerson(maria, cleared, today);
    expect([next.gender, next.birthDate, next.birthDateEstimated]).toEqual([undefined, undefined, undefined]);
    expect(next.telecom?.map((item) => item.value)).toEqual(["maria@example.org", "+63 2 555 0100"]);
  });

  it("keep the postal address when the address of living changes", () => {
    const values = personValues(maria);
    const next = changedPerson(maria, { ...values, address: { ...values.address, city: "Bacoor" } }, today);
    expect(next.address).toEqual([
      { type: "postal", text: "PO Box 5" },
      { type: "physical", line: ["12 Rizal St", "Unit 4"], city: "Bacoor", country: "PH" },
    ]);
  });
});

describe("birth dates", () => {
  const cases: [string, Partial<PersonValues>, Partial<Individual>][] = [
    [
      "an exact date",
      { day: "7", month: "3", year: "1987" },
      { birthDate: "1987-03-07", birthDateEstimated: false },
    ],
    [
      "an age",
      { birthKind: "estimated", estimate: "34" },
      { birthDate: "1992-01-01", birthDateEstimated: true },
    ],
    [
      "a year",
      { birthKind: "estimated", estimate: "1990" },
      { birthDate: "1990-01-01", birthDateEstimated: true },
    ],
    [
      "a newborn",
      { birthKind: "estimated", estimate: "0" },
      { birthDate: "2026-01-01", birthDateEstimated: true },
    ],
    [
      "a date in digits of other scripts",
      { day: "٧", month: "३", year: "১৯৮৭" },
      { birthDate: "1987-03-07", birthDateEstimated: false },
    ],
    [
      "an age in them",
      { birthKind: "estimated", estimate: "٣٤" },
      { birthDate: "1992-01-01", birthDateEstimated: true },
    ],
    ["nothing", { birthKind: "unknown" }, {}],
  ];
  it.each(cases)("reads %s", (_, values, expected) => {
    const { birthDate, birthDateEstimated } = newPerson({ ...emptyPerson, given: "A", ...values }, making);
    expect({ ...(birthDate && { birthDate, birthDateEstimated: birthDateEstimated ?? false }) }).toEqual(
      expected,
    );
  });

  const faults: [string, Partial<PersonValues>, string, string][] = [
    ["a day that is none", { day: "31", month: "2", year: "2000" }, "day", texts.person.birthUnreal],
    ["a date that is not whole", { day: "3", month: "", year: "2000" }, "day", texts.person.birthIncomplete],
    ["a date that is empty", {}, "day", texts.person.birthMissing],
    ["an estimate that is empty", { birthKind: "estimated" }, "estimate", texts.person.estimateMissing],
    ["a date to come", { day: "22", month: "11", year: "2026" }, "day", texts.person.birthFuture],
    ["a year before 1850", { day: "1", month: "1", year: "1849" }, "day", texts.person.birthTooOld],
    [
      "an age beyond people",
      { birthKind: "estimated", estimate: "131" },
      "estimate",
      texts.person.estimateUnreal,
    ],
    ["an age in words", { birthKind: "estimated", estimate: "old" }, "estimate", texts.person.estimateUnreal],
  ];
  it.each(faults)("refuses %s", (_, values, field, message) => {
    expect(personFaults({ ...emptyPerson, given: "A", ...values }, today, "p-")).toEqual([
      { field: `p-${field}`, code: field, message },
    ]);
  });
});

describe("personFaults", () => {
  it("asks for a name, a phone number and a country that can be", () => {
    const nameless = { ...emptyPerson, birthKind: "unknown" } as const;
    const values = { ...nameless, phone: "call me", address: { ...emptyPerson.address, country: "Peru" } };
    expect(personFaults(values, today).map((fault) => fault.field)).toEqual(["given", "phone", "country"]);
  });
});

describe("newPerson", () => {
  it("puts an identity number beside an identifier of the registry's own", () => {
    expect(newPerson({ ...emptyPerson, given: "A", nationalId: " 77 " }, making).identifier).toEqual([
      { system: "urn:service:person", value: "id-1" },
      { system: "urn:service:national-id", value: "77" },
    ]);
  });

  it("keeps a phone number and an identity number in ASCII digits, whatever they were typed in", () => {
    const typed = { ...emptyPerson, given: "٣", phone: "+٩٦٣ ११", nationalId: "A-৪২" };
    expect(personFaults({ ...typed, birthKind: "unknown" }, today)).toEqual([]);
    expect(newPerson(typed, making)).toMatchObject({
      name: { given: "٣" },
      telecom: [{ value: "+963 11" }],
      identifier: [{}, { value: "A-42" }],
    });
  });

  it("leaves the identifier to the device when there is no number", () => {
    expect(newPerson({ ...emptyPerson, given: "A" }, making)).not.toHaveProperty("identifier");
  });
});

describe("asksForNumber", () => {
  const own = { system: "urn:service:person", value: "1" };

  it.each([
    ["only the registry's own identifier", [own], true],
    ["only one that a device made", [{ system: "urn:service:registrant", value: "1" }], true],
    [
      "an identity number that may be corrected",
      [own, { system: "urn:service:national-id", value: "7" }],
      true,
    ],
    ["another office's number", [own, { system: "urn:gov:ph:nid", value: "7" }], false],
    ["none at all", [], true],
  ])("looks whether a person has %s", (_, identifier, asks) => {
    expect(asksForNumber({ ...maria, identifier })).toBe(asks);
  });

  it("has the number written beside what the person was registered by", () => {
    expect(changedPerson(maria, { ...personValues(maria), nationalId: "88" }, today).identifier).toEqual([
      own,
      { system: "urn:service:national-id", value: "88" },
    ]);
  });
});
