import {
  type Group,
  type GroupMember,
  type HumanName,
  type Individual,
  type PostalAddress,
  relationshipSystem,
} from "@fieldroll/core";
import { codeOf, homeAddress, nameText } from "./person-text.ts";

/** Whether a member is in the household on a day: not marked inactive, and not after the end of the period. */
export function isActiveMember(member: GroupMember, today: string): boolean {
  return member.inactive !== true && !(member.period?.end && member.period.end < today);
}

export function roleConcept(code: string, words: Readonly<Record<string, string>>) {
  return { coding: [{ system: relationshipSystem("service"), code, display: words[code] ?? code }] };
}

/** Whether someone in the household, other than `except`, is its head on that day. */
export function hasHead(group: Group, today: string, except?: string): boolean {
  return (group.member ?? []).some(
    (member) =>
      member.entity.reference !== except && isActiveMember(member, today) && codeOf(member.role) === "head",
  );
}

/** The household with one more member. */
export function withMember(group: Group, member: GroupMember): Group {
  return { ...group, member: [...(group.member ?? []), member] };
}

/** The household with one member changed. */
export function withChangedMember(
  group: Group,
  reference: string,
  change: (member: GroupMember) => GroupMember,
): Group {
  return {
    ...group,
    member: (group.member ?? []).map((member) =>
      member.entity.reference === reference ? change(member) : member,
    ),
  };
}

/** Why two records look alike; `name` stands for a similar name with another or no known year of birth. */
export type SimilarReason = "identifier" | "name-and-year" | "same-name" | "name" | "household";

/** A person or household who may be registered already, and why it looks so. */
export interface Similar {
  readonly reference: string;
  readonly name: string;
  readonly because: SimilarReason;
  /** Where the record lives, in short; empty when not known. */
  readonly place: string;
  /** How close the likeness is; a larger number is closer. */
  readonly closeness: number;
  /** The person of the form that looks alike, by its id there. */
  readonly person?: number;
}

/** Whether two people could be one: the same names in any order and spelling of accents, and the same birth year. */
export function looksLike(
  a: { readonly name: HumanName; readonly birthDate?: string },
  b: { readonly name: HumanName; readonly birthDate?: string },
): boolean {
  const [first, second] = [nameWords(a.name), nameWords(b.name)];
  const [fewer, more] = first.size <= second.size ? [first, second] : [second, first];
  if (fewer.size === 0 || ![...fewer].every((word) => more.has(word))) return false;
  const [year, other] = [a.birthDate?.slice(0, 4), b.birthDate?.slice(0, 4)];
  return !year || !other || Math.abs(Number(year) - Number(other)) <= 1;
}

/** What of a person tells whether it is another. */
export type Likened = Pick<Individual, "name" | "birthDate" | "address">;

/**
 * Why a person looks like another that {@link looksLike} it, and how close: the same full name counts most, then the
 * same year of birth, then the same town.
 */
export function likeness(a: Likened, b: Likened): Pick<Similar, "because" | "closeness"> {
  const [first, second] = [nameWords(a.name), nameWords(b.name)];
  const sameName = first.size === second.size;
  const year = a.birthDate?.slice(0, 4);
  const sameYear = year !== undefined && year === b.birthDate?.slice(0, 4);
  const because = !sameName ? "name" : sameYear ? "name-and-year" : "same-name";
  const closeness = (sameName ? 4 : 0) + (sameYear ? 2 : 0) + (sameTown(a.address, b.address) ? 1 : 0);
  return { because, closeness };
}

/** Whether two addresses of living name the same town. */
export function sameTown(
  a: readonly PostalAddress[] | undefined,
  b: readonly PostalAddress[] | undefined,
): boolean {
  const [town, other] = [homeAddress(a)?.city, homeAddress(b)?.city].map((city) => plain(city ?? ""));
  return town !== "" && town === other;
}

/** Each record once, for its closest likeness, the closest first, at most `most`. */
export function closestSimilar(similar: readonly Similar[], most: number): readonly Similar[] {
  const closest = similar.toSorted((a, b) => b.closeness - a.closeness);
  const seen = new Set<string>();
  return closest.filter(({ reference }) => !seen.has(reference) && seen.add(reference)).slice(0, most);
}

/** The longest word of a name: what finds it however its small words are written. */
export function tellingWord(name: string): string {
  return name
    .trim()
    .split(/\s+/)
    .reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .trim()
    .toLowerCase();
}

function nameWords(name: HumanName): ReadonlySet<string> {
  return new Set(
    plain(nameText(name))
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word.length > 1),
  );
}
