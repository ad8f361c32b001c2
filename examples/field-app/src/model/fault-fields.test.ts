import { describe, expect, it } from "vitest";
import {
  enrollmentField,
  faultSentence,
  formFaults,
  householdField,
  personField,
  registrationField,
  wholeFaults,
} from "./fault-fields.ts";
import { emptyRegistration, withoutPerson, withPerson } from "./registration.ts";

describe("registrationField", () => {
  // Persons 1, 3 and 4 of the form: members 0, 1 and 2 of the registration.
  const people = withoutPerson(withPerson(withPerson(withPerson(emptyRegistration({})))), 2);
  const values = {
    ...people,
    people: people.people.map((person) =>
      person.id === 4 ? { ...person, person: { ...person.person, birthKind: "estimated" as const } } : person,
    ),
  };
  it.each([
    ["/group/name", "name"],
    ["/group/address/0/country", "country"],
    ["/group/address/0/line/0", "line"],
    ["/group/identifier/0/value", ""],
    ["/group", ""],
    ["/members/0/individual/name/middle", "person-1-middle"],
    ["/members/1/individual/name", "person-3-given"],
    ["/members/1/individual/birthDate", "person-3-day"],
    ["/members/2/individual/birthDate", "person-4-estimate"],
    ["/members/1/individual/telecom/0/value", "person-3-phone"],
    ["/members/1/individual/identifier/1/value", "person-3-nationalId"],
    ["/members/1/individual/gender/coding/0/code", "person-3-gender"],
    ["/members/1/individual/photo", "person-3-photo"],
    ["/members/1/individual/address/0/country", "country"],
    ["/members/1/individual/extension/farmer", "person-3-"],
    ["/members/1/role", "person-3-role"],
    ["/members/9/individual/name", ""],
    ["/enrollIn/0/program/reference", "enrollIn"],
    ["", ""],
  ])("leads from %s to “%s”", (pointer, field) => {
    expect(registrationField(pointer, values)).toBe(field);
  });
});

describe("personField, householdField and enrollmentField", () => {
  it("lead to the fields of one record's form", () => {
    expect(personField("/birthDate", "estimated")).toBe("estimate");
    expect(personField("/meta/source")).toBe("");
    expect(householdField("/address/1/postalCode")).toBe("postalCode");
    expect(householdField("/member/0/entity")).toBe("");
    expect(["/enrollmentDate", "/exitDate", "/exitReason", "/status"].map(enrollmentField)).toEqual([
      ...["enrolledDay", "leftDay", "exitReason", ""],
    ]);
  });
});

describe("faultSentence", () => {
  it.each([
    [
      "/name/given",
      "given",
      "must have at most 255 characters",
      "Given name must have at most 255 characters",
    ],
    [
      "/members/0/individual/telecom/0/value",
      "person-1-phone",
      "must not be empty",
      "Phone number must not be empty",
    ],
    ["/group/extension", "", "must be an object", "Extension must be an object"],
    ["/group", "", "must be an object", "must be an object"],
    ["/name", "name", "Ask your supervisor.", "Ask your supervisor."],
  ])("makes one of %s", (field, formField, message, sentence) => {
    expect(faultSentence({ field, code: "x", message }, formField)).toBe(sentence);
  });
});

describe("formFaults", () => {
  it("has the words of this app for codes, days and references", () => {
    const errors = [
      { field: "/exitDate", code: "future_date", message: "must be at most a year from today, 2026-11-26" },
      { field: "/status", code: "invalid_transition", message: "can't move from exited to paused" },
      { field: "/identifier", code: "duplicate", message: "is taken: see Individual/urn:example:office|o-1" },
    ];
    expect(formFaults(errors, enrollmentField).map(({ message }) => message)).toEqual([
      "Left on must be at most a year from today, 26 November 2026",
      "Status can't move from “Left the program” to “Paused”",
      "Identifier is taken",
    ]);
  });

  it("says a fault of the shared address once", () => {
    const fault = (field: string) => ({
      field,
      code: "too_long",
      message: "must have at most 255 characters",
    });
    const errors = [fault("/members/0/individual/address/0/city"), fault("/group/address/0/city")];
    const values = emptyRegistration({});
    expect(formFaults(errors, (pointer) => registrationField(pointer, values))).toEqual([
      { field: "city", code: "too_long", message: "Town or municipality must have at most 255 characters" },
    ]);
  });
});

describe("wholeFaults", () => {
  it("tell a problem in its own sentence, at the field that it is about", () => {
    const errors = [{ field: "file", code: "invalid_value", message: "is no file of unsent changes" }];
    const problem = { kind: "validation" as const, detail: "This is no file of unsent changes." };
    expect(wholeFaults({ ...problem, errors })).toMatchObject([{ field: "file", message: problem.detail }]);
    expect(wholeFaults(problem)).toMatchObject([{ field: "", message: problem.detail }]);
  });
});
