import type { CodeableConcept, HumanName, Individual, PostalAddress, Telecom } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { countryName } from "./country.ts";

/** The name in one line: as written in full, else given, middle and family name. */
export function nameText(name: HumanName | undefined): string {
  const parts = [name?.given, name?.middle, name?.family].filter((part) => part?.trim());
  return name?.text?.trim() || parts.join(" ") || texts.app.notGiven;
}

/** The language to read a text aloud in, as far as its script tells: Arabic and Devanagari differ from the page's. */
export function scriptLanguage(text: string): string | undefined {
  if (/\p{Script=Arabic}/u.test(text)) return "ar";
  if (/\p{Script=Devanagari}/u.test(text)) return "hi";
  return undefined;
}

/** The code of a concept's first coding. */
export function codeOf(concept: CodeableConcept | undefined): string | undefined {
  return concept?.coding?.[0]?.code;
}

/** A concept in words: ours where we have some, else what the record says. */
export function conceptText(
  concept: CodeableConcept | undefined,
  words: Readonly<Record<string, string>>,
): string {
  const coding = concept?.coding?.[0];
  const ours = coding && words[coding.code];
  return ours ?? concept?.text ?? coding?.display ?? coding?.code ?? texts.app.notGiven;
}

/** The place a person or group lives, as lines from small to large. */
export function addressLines(address: PostalAddress | undefined): readonly string[] {
  if (!address) return [];
  const { line = [], district, city, state, postalCode, country } = address;
  const parts = [
    ...line,
    district,
    city,
    [state, postalCode].filter(Boolean).join(" "),
    country && countryName(country),
  ];
  const told = parts.filter((part): part is string => Boolean(part?.trim()));
  return told.length > 0 ? told : address.text ? [address.text] : [];
}

/** The place someone lives, in short: the two smallest parts of the address, or nothing. */
export function placeText(addresses: readonly PostalAddress[] | undefined): string {
  return addressLines(homeAddress(addresses)).slice(0, 2).join(", ");
}

/** The address of living among several: the first that is not for post alone. */
export function homeAddress(addresses: readonly PostalAddress[] | undefined): PostalAddress | undefined {
  return addresses?.find((address) => address.type !== "postal");
}

/** The phones to call: by rank, then as listed. Two people's corrections of one number leave both. */
export function phonesOf(telecom: readonly Telecom[] = []): readonly Telecom[] {
  const rank = (item: Telecom) => item.rank ?? Infinity;
  const phones = telecom.filter((item) => item.system === "phone");
  return phones.sort((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)));
}

/** Whole years between two days, `YYYY-MM-DD`. */
export function yearsBetween(from: string, to: string): number {
  const years = Number(to.slice(0, 4)) - Number(from.slice(0, 4));
  return to.slice(5) < from.slice(5) ? years - 1 : years;
}

/** Age in words, marked where the birth date is an estimate. */
export function ageText(person: Pick<Individual, "birthDate" | "birthDateEstimated">, today: string): string {
  if (!person.birthDate) return texts.app.notGiven;
  const years = texts.person.years(yearsBetween(person.birthDate, today));
  return person.birthDateEstimated ? texts.person.about(years) : years;
}

/** The birth date in words; an estimate shows its year alone. */
export function birthText(person: Pick<Individual, "birthDate" | "birthDateEstimated">): string {
  if (!person.birthDate) return texts.app.notGiven;
  if (person.birthDateEstimated) return texts.person.aboutDate(person.birthDate.slice(0, 4));
  return dayText(person.birthDate);
}

/** The birth date in words, marked where it is an estimate. */
export function birthLine(person: Pick<Individual, "birthDate" | "birthDateEstimated">): string {
  const text = birthText(person);
  return person.birthDate && person.birthDateEstimated
    ? texts.person.marked(text, texts.person.estimatedMark)
    : text;
}

/** A day `YYYY-MM-DD` in words. */
export function dayText(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  return date.toLocaleDateString("en-GB", {
    day: "numeric",
    month: "long",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** An instant in words, in the time of this device. */
export function instantText(instant: string): string {
  return new Date(instant).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** Age and gender, as far as they are known. */
export function personLine(person: Individual, today: string): string {
  return [ageText(person, today), conceptText(person.gender, texts.genders)]
    .filter((part) => part !== texts.app.notGiven)
    .join(" · ");
}

/** The name of the client in a record's source, such as `urn:service:api-client:tablet-2`. */
export function clientIn(source: string): string {
  return source.split(":api-client:")[1] ?? source;
}
