import type { FieldError, Problem } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { fieldLabel } from "./conflict-text.ts";
import type { PersonValues } from "./person-form.ts";
import { plainWords } from "./plain-words.ts";
import { personPrefix, type RegistrationValues } from "./registration.ts";

/** The field of a person's form that holds a place of the record, or "" where none does. */
export function personField(pointer: string, birthKind: PersonValues["birthKind"] = "exact"): string {
  const [, first = "", ...rest] = pointer.split("/");
  switch (first) {
    case "name":
      return rest[0] === "middle" || rest[0] === "family" ? rest[0] : "given";
    case "birthDate":
    case "birthDateEstimated":
      return { exact: "day", estimated: "estimate", unknown: "birthKind" }[birthKind];
    case "telecom":
      return "phone";
    case "identifier":
      return "nationalId";
    case "address":
      return addressField(rest);
    default:
      return first === "gender" || first === "photo" ? first : "";
  }
}

/** The field of a household's form that holds a place of the record, or "" where none does. */
export function householdField(pointer: string): string {
  const [, first = "", ...rest] = pointer.split("/");
  return first === "address" ? addressField(rest) : first === "name" ? "name" : "";
}

const enrollmentFields: Readonly<Record<string, string>> = {
  "/enrollmentDate": "enrolledDay",
  "/exitDate": "leftDay",
  "/exitReason": "exitReason",
};

/** The field of the form of an enrollment's days that holds a place of the record, or "" where none does. */
export function enrollmentField(pointer: string): string {
  return enrollmentFields[pointer] ?? "";
}

/** The form's field for a pointer of a refused registration, such as `/members/1/individual/name`, or "". */
export function registrationField(pointer: string, values: RegistrationValues): string {
  const [, part, at = "", third = ""] = pointer.split("/");
  if (part === "enrollIn") return "enrollIn";
  if (part === "group") return householdField(recordPart(pointer));
  const person = values.people[Number(at)];
  if (part !== "members" || !person) return "";
  if (third === "role") return `${personPrefix(person)}role`;
  const inRecord = recordPart(pointer);
  const field = personField(inRecord, person.person.birthKind);
  // People are registered with the household's address: it is one part of the form. What has no field is about the person.
  return inRecord.startsWith("/address") ? field : `${personPrefix(person)}${field}`;
}

/** Where in the record a pointer of a registration is; any other pointer as it is. */
function recordPart(pointer: string): string {
  return pointer.replace(/^\/(members\/\d+\/individual|members\/\d+|group|enrollIn\/\d+)(?=\/|$)/, "");
}

function addressField(rest: readonly string[]): string {
  const member = rest.find((part) => !/^\d+$/.test(part)) ?? "line";
  return ["line", "district", "city", "state", "postalCode", "country"].includes(member) ? member : "line";
}

const labels: Readonly<Record<string, string>> = {
  name: texts.household.name,
  given: texts.person.given,
  middle: texts.person.middle,
  family: texts.person.family,
  day: texts.person.birthDate,
  estimate: texts.person.birthDate,
  birthKind: texts.person.birthDate,
  gender: texts.person.gender,
  phone: texts.person.phone,
  nationalId: texts.person.nationalId,
  photo: texts.person.photo,
  role: texts.member.role,
  line: texts.address.line,
  district: texts.address.district,
  city: texts.address.city,
  state: texts.address.state,
  postalCode: texts.address.postalCode,
  country: texts.address.country,
  enrolledDay: texts.enrollment.enrolledOn,
  leftDay: texts.enrollment.exitedOn,
  exitReason: texts.enrollment.exitReason,
};

/**
 * A fault in a sentence for people. The registry's messages leave out what they are about, which a program knows from
 * the pointer: "must have at most 255 characters". They begin with a small letter.
 * @param field the form's field, or "" where the form has none.
 */
export function faultSentence(error: FieldError, field: string): string {
  if (!/^\p{Ll}/u.test(error.message)) return error.message;
  const label = labels[field.replace(/^person-\d+-/, "")] ?? fieldLabel(recordPart(error.field));
  return label ? `${label} ${error.message}` : error.message;
}

/** Faults of a record as faults of a form's fields, each once. */
export function formFaults(
  errors: readonly FieldError[],
  fieldOf: (pointer: string) => string,
): readonly FieldError[] {
  const told = errors.map((error) => {
    const field = fieldOf(error.field);
    return { ...error, field, message: plainWords(faultSentence(error, field)) };
  });
  const sentences = new Map(told.map((fault) => [`${fault.field} ${fault.message}`, fault]));
  return [...sentences.values()];
}

/** A problem about one field in its own whole sentence; what its errors say is about the field's label. */
export function wholeFaults({ kind, detail, errors = [] }: Problem): readonly FieldError[] {
  return [{ field: errors[0]?.field ?? "", code: kind, message: detail }];
}
