import type { FieldError } from "@fieldroll/core";
import type { HouseholdRegistration } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { type AddressValues, addressFaults, emptyAddress, withHomeAddress } from "./address-form.ts";
import { lengthFaults } from "./length.ts";
import { emptyPerson, type Making, newPerson, type PersonValues, personFaults } from "./person-form.ts";
import { shortened } from "./shortened.ts";

/** The form that registers a household with its people. */
export interface RegistrationValues {
  readonly name: string;
  readonly address: AddressValues;
  readonly people: readonly RegisteredPerson[];
  /** References of programs. */
  readonly enrollIn: readonly string[];
}

export interface RegisteredPerson {
  /** Names the person within the form, so that removing one does not mix up the others. */
  readonly id: number;
  readonly role: string;
  readonly person: PersonValues;
}

/** An empty form with one person, the head. */
export function emptyRegistration(home: Partial<AddressValues>): RegistrationValues {
  return {
    name: "",
    address: { ...emptyAddress, ...home },
    people: [{ id: 1, role: "head", person: emptyPerson }],
    enrollIn: [],
  };
}

/** The prefix of the names of one person's fields. */
export function personPrefix(person: RegisteredPerson): string {
  return `person-${person.id}-`;
}

/** Whom a field of the form is about, in words: there may be several people, each with the same fields. */
export function whoIsMeant(field: string, values: RegistrationValues): string | undefined {
  const at = values.people.findIndex((person) => field.startsWith(personPrefix(person)));
  const person = values.people[at]?.person;
  if (!person) return undefined;
  const name = [person.given, person.family].map((part) => part.trim()).filter(Boolean);
  return texts.register.personNamed(at + 1, shortened(name.join(" ")));
}

export function withPerson(values: RegistrationValues): RegistrationValues {
  const id = Math.max(0, ...values.people.map((person) => person.id)) + 1;
  // People of one household often share the family name.
  const family = values.people[0]?.person.family ?? "";
  return { ...values, people: [...values.people, { id, role: "", person: { ...emptyPerson, family } }] };
}

export function withoutPerson(values: RegistrationValues, id: number): RegistrationValues {
  return { ...values, people: values.people.filter((person) => person.id !== id) };
}

/** What is wrong with a household's name and address. */
export function householdFaults(name: string, address: AddressValues): readonly FieldError[] {
  const missing = name.trim()
    ? []
    : [{ field: "name", code: "required", message: texts.editHousehold.missingName }];
  return [...missing, ...lengthFaults("name", texts.household.name, name), ...addressFaults(address, "")];
}

/** What is wrong with the form, field by field, in the order of the fields. */
export function registrationFaults(values: RegistrationValues, today: string): readonly FieldError[] {
  const faults = [...householdFaults(values.name, values.address)];
  for (const person of values.people) {
    const prefix = personPrefix(person);
    faults.push(...personFaults(person.person, today, prefix));
    if (!person.role) {
      faults.push({ field: `${prefix}role`, code: "required", message: texts.member.missingRole });
    }
  }
  const second = values.people.filter((person) => person.role === "head")[1];
  if (second) {
    faults.push({ field: `${personPrefix(second)}role`, code: "head", message: texts.register.twoHeads });
  }
  if (values.people.length === 0) {
    faults.push({ field: "", code: "required", message: texts.register.noPeople });
  }
  return faults;
}

/** The registration as the device takes it. People get the household's address. The form must have no faults. */
export function registrationOf(values: RegistrationValues, making: Making): HouseholdRegistration {
  const address = withHomeAddress(undefined, values.address);
  return {
    group: {
      groupType: "household",
      name: values.name.trim(),
      active: true,
      ...(address && { address }),
    },
    members: values.people.map(({ role, person }) => ({
      individual: newPerson({ ...person, address: values.address }, making),
      role,
    })),
    enrollIn: values.enrollIn,
  };
}
