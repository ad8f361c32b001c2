import {
  type FieldError,
  genderSystem,
  type HumanName,
  type Identifier,
  type Individual,
  type Telecom,
} from "@fieldroll/core";
import type { NewRecord } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import {
  type AddressValues,
  addressFaults,
  addressValues,
  emptyAddress,
  withHomeAddress,
} from "./address-form.ts";
import { dayTyped, dayValues } from "./day-form.ts";
import { asciiDigits } from "./digits.ts";
import { lengthFaults } from "./length.ts";
import { codeOf, homeAddress, phonesOf } from "./person-text.ts";

/** A person as a form holds one: every field as typed. */
export interface PersonValues {
  readonly given: string;
  readonly middle: string;
  readonly family: string;
  readonly birthKind: "exact" | "estimated" | "unknown";
  readonly day: string;
  readonly month: string;
  readonly year: string;
  /** Age in years, or a year of birth. */
  readonly estimate: string;
  /** A code of ISO 5218, or empty. */
  readonly gender: string;
  readonly phone: string;
  /** Further numbers of somebody who has several; none of a new person. */
  readonly otherPhones?: readonly string[];
  readonly nationalId: string;
  /** A data URI, or empty. */
  readonly photo: string;
  readonly address: AddressValues;
}

/** What the systems of identifiers begin with that the registry, or a device, made itself. */
const ownSystems = "urn:service:";
const personSystem = `${ownSystems}person`;
/** Identifier system of identity numbers that this app writes. */
export const nationalIdSystem = `${ownSystems}national-id`;

export const emptyPerson: PersonValues = {
  given: "",
  middle: "",
  family: "",
  birthKind: "exact",
  day: "",
  month: "",
  year: "",
  estimate: "",
  gender: "",
  phone: "",
  nationalId: "",
  photo: "",
  address: emptyAddress,
};

/** Fills the form from a record. */
export function personValues(person: Individual): PersonValues {
  const birth = dayValues(person.birthDate);
  const estimated = person.birthDateEstimated === true;
  const [phone = "", ...otherPhones] = phonesOf(person.telecom).map(({ value }) => value);
  return {
    given: person.name.given ?? (person.name.family ? "" : (person.name.text ?? "")),
    middle: person.name.middle ?? "",
    family: person.name.family ?? "",
    birthKind: !person.birthDate ? "unknown" : estimated ? "estimated" : "exact",
    ...(estimated ? { day: "", month: "", year: "", estimate: birth.year } : { ...birth, estimate: "" }),
    gender: codeOf(person.gender) ?? "",
    phone,
    otherPhones,
    nationalId: person.identifier.find((item) => item.system === nationalIdSystem)?.value ?? "",
    photo: person.photo ?? "",
    address: addressValues(homeAddress(person.address)),
  };
}

/**
 * Whether the form of a registered person asks for an identity number: it may be had only later. One whom another office knows by a number
 * of its own has that, and this app does not write such ones.
 */
export function asksForNumber({ identifier }: Individual): boolean {
  return (
    identifier.some(({ system }) => system === nationalIdSystem) ||
    identifier.every(({ system }) => system.startsWith(ownSystems))
  );
}

/** What is wrong with a form, by field name; `prefix` goes before the names. */
export function personFaults(values: PersonValues, today: string, prefix = ""): readonly FieldError[] {
  const faults: FieldError[] = [];
  const fault = (field: string, message: string) =>
    faults.push({ field: `${prefix}${field}`, code: field, message });
  const tooLong = (...fields: readonly ("given" | "middle" | "family" | "nationalId")[]) =>
    fields.flatMap((field) => lengthFaults(`${prefix}${field}`, texts.person[field], values[field]));
  if (!values.given.trim() && !values.family.trim()) fault("given", texts.person.missingName);
  faults.push(...tooLong("given", "middle", "family"));
  const birth = birthOf(values, today);
  if ("fault" in birth) fault(values.birthKind === "exact" ? "day" : "estimate", birth.fault);
  for (const [place, phone] of phonesIn(values).entries()) {
    if (phone && !/^\+?[\d\s().-]{4,24}$/.test(phone)) fault(phoneField(place), texts.person.phoneUnreal);
  }
  return [...faults, ...tooLong("nationalId"), ...addressFaults(values.address, prefix)];
}

/** The record after the form: only what the form changed differs from `person`. The form must have no faults. */
export function changedPerson(person: Individual, values: PersonValues, today: string): Individual {
  const shown = personValues(person);
  const next: Individual = { ...person };
  if (differs(shown, values, ["given", "middle", "family"])) next.name = changedName(person.name, values);
  if (differs(shown, values, ["birthKind", "day", "month", "year", "estimate"])) {
    Object.assign(next, birthMembers(values, today));
    if (!next.birthDate) delete next.birthDate;
    if (!next.birthDateEstimated) delete next.birthDateEstimated;
  }
  if (differs(shown, values, ["gender"])) {
    delete next.gender;
    if (values.gender) next.gender = genderConcept(values.gender);
  }
  if (differs(shown, values, ["phone", "otherPhones"])) {
    assign(next, "telecom", changedPhones(person.telecom, phonesIn(values)));
  }
  if (differs(shown, values, ["nationalId"]))
    next.identifier = changedNumber(person.identifier, values.nationalId);
  if (differs(shown, values, ["photo"])) assign(next, "photo", values.photo || undefined);
  assign(next, "address", withHomeAddress(person.address, values.address));
  return next;
}

/**
 * A new person as the form describes one. The form must have no faults. An identity number stands beside an identifier of
 * the registry's own, which `newId` makes: the number may be mistyped and corrected, the address of the record stays.
 */
export function newPerson(values: PersonValues, { today, newId }: Making): NewRecord<Individual> {
  const { type: _, meta: __, identifier, ...record } = changedPerson(emptyIndividual, values, today);
  if (identifier.length === 0) return record;
  return { ...record, identifier: [{ system: personSystem, value: newId() }, ...identifier] };
}

/** What making a record takes from outside. */
export interface Making {
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** A new UUID. */
  readonly newId: () => string;
}

/** A person of whom nothing is known. */
export const emptyIndividual: Individual = {
  type: "Individual",
  identifier: [],
  active: true,
  name: {},
  meta: { versionId: "0", lastUpdated: "", source: "" },
};

function differs(a: PersonValues, b: PersonValues, fields: readonly (keyof PersonValues)[]): boolean {
  return fields.some((field) => String(a[field]).trim() !== String(b[field]).trim());
}

function assign<T, K extends keyof T>(target: T, member: K, value: T[K] | undefined): void {
  if (value === undefined) delete target[member];
  else target[member] = value;
}

/** The parts as typed. `text` is dropped: it was derived from the old parts, and is derived again. */
function changedName(name: HumanName, values: PersonValues): HumanName {
  const { text: _, given: __, middle: ___, family: ____, ...kept } = name;
  const next: HumanName = { ...kept };
  for (const part of ["given", "middle", "family"] as const) {
    const value = values[part].trim();
    if (value) next[part] = value;
  }
  return next;
}

/** The form's field of one of several phone numbers. */
export function phoneField(place: number): "phone" | `phone-${number}` {
  return place === 0 ? "phone" : `phone-${place}`;
}

function phonesIn({ phone, otherPhones = [] }: PersonValues): readonly string[] {
  return [phone, ...otherPhones].map((each) => asciiDigits(each.trim()));
}

/** Each number as typed, in its place; what was emptied goes. */
function changedPhones(telecom: readonly Telecom[] = [], phones: readonly string[]): Telecom[] | undefined {
  const known = phonesOf(telecom);
  const list = telecom.flatMap((item) => {
    const place = known.indexOf(item);
    const value = place < 0 ? item.value : phones[place];
    return value ? [{ ...item, value }] : [];
  });
  const [first] = phones;
  if (known.length === 0 && first) list.push({ system: "phone", value: first, use: "mobile" });
  return list.length > 0 ? list : undefined;
}

function changedNumber(identifiers: readonly Identifier[], number: string): Identifier[] {
  const value = asciiDigits(number.trim());
  const corrected = identifiers.flatMap((item) => {
    if (item.system !== nationalIdSystem) return [item];
    return value ? [{ ...item, value }] : [];
  });
  const had = identifiers.some((item) => item.system === nationalIdSystem);
  return had || !value ? corrected : [...corrected, { system: nationalIdSystem, value }];
}

function genderConcept(code: string) {
  return { coding: [{ system: genderSystem, code, display: texts.genders[code] ?? code }] };
}

function birthMembers(
  values: PersonValues,
  today: string,
): { birthDate?: string; birthDateEstimated?: boolean } {
  const birth = birthOf(values, today);
  if ("fault" in birth || !birth.date) return { birthDate: "", birthDateEstimated: false };
  return { birthDate: birth.date, birthDateEstimated: values.birthKind === "estimated" };
}

const birthFaults = {
  empty: texts.person.birthMissing,
  incomplete: texts.person.birthIncomplete,
  unreal: texts.person.birthUnreal,
};

type Birth = { readonly date: string } | { readonly fault: string };

/** Reads the birth date of a form; an estimate of a year or an age stands for the first of January. */
function birthOf(values: PersonValues, today: string): Birth {
  if (values.birthKind === "unknown") return { date: "" };
  if (values.birthKind === "estimated")
    return estimatedBirth(asciiDigits(values.estimate.trim()), Number(today.slice(0, 4)));
  const typed = dayTyped(values);
  if ("is" in typed) return { fault: birthFaults[typed.is] };
  const { date } = typed;
  if (Number(date.slice(0, 4)) < 1850) return { fault: texts.person.birthTooOld };
  return date > today ? { fault: texts.person.birthFuture } : { date };
}

function estimatedBirth(text: string, thisYear: number): Birth {
  if (text === "") return { fault: texts.person.estimateMissing };
  const number = Number(text);
  const year = /^\d{4}$/.test(text)
    ? number
    : /^\d{1,3}$/.test(text) && number <= 130
      ? thisYear - number
      : 0;
  if (year > thisYear) return { fault: texts.person.birthFuture };
  return year < 1850 ? { fault: texts.person.estimateUnreal } : { date: `${year}-01-01` };
}
