import type { Identifier, PostalAddress, Telecom } from "../resource/common.ts";
import type { Individual } from "../resource/individual.ts";
import { searchText } from "../text.ts";
import { compareNames, type NameMatch } from "./names.ts";

/** What of a person tells whether it is another one; what is not known may be left out, or hidden by consents. */
export type Likened = Partial<
  Pick<Individual, "name" | "identifier" | "birthDate" | "birthDateEstimated" | "gender" | "address">
> & { readonly telecom?: readonly Partial<Telecom>[] | undefined };

/** How two dates of birth are alike: `near` is a year apart, or up to three where one is an estimate. */
export type BirthMatch = "day" | "year" | "near" | "unknown";

/** How two places of living are alike; `other` is another town. */
export type AreaMatch = "district" | "city" | "other";

/** One reason to take two people for one, or, where `strength` is below 0, for two. */
export type Evidence = { readonly strength: number } & (
  | { readonly kind: "identifier"; readonly identifier: Identifier }
  | { readonly kind: "name"; readonly match: NameMatch }
  | { readonly kind: "birthYear"; readonly match: BirthMatch }
  | { readonly kind: "area"; readonly match: AreaMatch }
  | { readonly kind: "telecom"; readonly value: string }
  | { readonly kind: "gender" }
);

/** How alike two people are, and why. */
export interface Likeness {
  /** The sum of the strengths; {@link leastScore} or more. */
  readonly score: number;
  readonly evidence: readonly Evidence[];
}

/** From this score on two people are worth a look. */
export const leastScore = 5;

/**
 * What each likeness counts. A name is needed, and something besides it: the same name and the same year of birth is enough (7),
 * the same name in the same town (6) too; a similar name wants the year and the town (6), or the very day (6). An identifier
 * is enough alone.
 */
const strengths = {
  identifier: 100,
  name: { same: 4, part: 3, similar: 2, word: 0 },
  birthYear: { day: 4, year: 3, near: 2, unknown: 1 },
  area: { district: 2, city: 1, other: -1 },
  telecom: 3,
  gender: -4,
} as const;

/**
 * Tells how alike two people are, and why. Pure.
 *
 * People who are born years apart, or whose given names differ, are two, whatever else they share: brothers and sisters,
 * fathers and sons. Twins are, unless their names differ by no more than a slip of the pen.
 *
 * @returns `null` where nothing makes them worth a look
 */
export function likenessOf(person: Likened, other: Likened): Likeness | null {
  const evidence: Evidence[] = sharedIdentifiers(person, other);
  const name = person.name && other.name ? compareNames(person.name, other.name) : null;
  const birth = compareBirths(person, other);
  const isSlip = name === "similar" && birth === "near";
  if (name && birth && !isSlip) {
    evidence.push({ kind: "name", match: name, strength: strengths.name[name] });
    evidence.push({ kind: "birthYear", match: birth, strength: strengths.birthYear[birth] });
    evidence.push(...circumstances(person, other));
  } else if (evidence.length === 0) return null;
  const score = evidence.reduce((sum, { strength }) => sum + strength, 0);
  return score >= leastScore ? { score, evidence } : null;
}

/** Those who may be a person, the most alike first. Of equals the order stays. */
export function rankAlike<T extends { readonly record: Likened }>(
  person: Likened,
  candidates: readonly T[],
): readonly (T & Likeness)[] {
  return candidates
    .flatMap((candidate) => {
      const likeness = likenessOf(person, candidate.record);
      return likeness ? [{ ...candidate, ...likeness }] : [];
    })
    .sort((a, b) => b.score - a.score);
}

function circumstances(person: Likened, other: Likened): readonly Evidence[] {
  const area = compareAreas(person.address, other.address);
  const value = sharedNumber(person.telecom, other.telecom);
  const [gender, another] = [genderOf(person), genderOf(other)];
  return [
    ...(area ? [{ kind: "area", match: area, strength: strengths.area[area] } as const] : []),
    ...(value !== undefined ? [{ kind: "telecom", value, strength: strengths.telecom } as const] : []),
    ...(gender && another && gender !== another
      ? [{ kind: "gender", strength: strengths.gender } as const]
      : []),
  ];
}

function sharedIdentifiers(person: Likened, other: Likened): Evidence[] {
  const name = ({ system, value }: Identifier) => `${system}|${value}`;
  const known = new Set(other.identifier?.map(name));
  const shared = person.identifier?.find((identifier) => known.has(name(identifier)));
  return shared ? [{ kind: "identifier", identifier: shared, strength: strengths.identifier }] : [];
}

function compareBirths(person: Likened, other: Likened): BirthMatch | null {
  if (!person.birthDate || !other.birthDate) return "unknown";
  const estimated = person.birthDateEstimated || other.birthDateEstimated;
  if (!estimated && person.birthDate === other.birthDate) return "day";
  const [year, another] = [person.birthDate, other.birthDate].map((date) => Number(date.slice(0, 4)));
  const apart = Math.abs((year ?? 0) - (another ?? 0));
  if (apart === 0) return "year";
  return apart <= (estimated ? 3 : 1) ? "near" : null;
}

/** The closest of their places of living: towns as in the feeds of areas, and the districts within. */
function compareAreas(
  places: readonly PostalAddress[] = [],
  others: readonly PostalAddress[] = [],
): AreaMatch | undefined {
  const found = new Set(places.flatMap((place) => others.map((other) => compareAddresses(place, other))));
  return (["district", "city", "other"] as const).find((match) => found.has(match));
}

function compareAddresses(a: PostalAddress, b: PostalAddress): AreaMatch | undefined {
  const same = (member: "city" | "district" | "state" | "country") => {
    const [one, other] = [searchText(a[member] ?? ""), searchText(b[member] ?? "")];
    return one && other ? one === other : undefined;
  };
  if ([same("city"), same("state"), same("country")].includes(false)) return "other";
  if (same("district")) return "district";
  return same("city") ? "city" : undefined;
}

function sharedNumber(numbers: Likened["telecom"] = [], others: Likened["telecom"] = []): string | undefined {
  const known = valuesOf(others).map(plainNumber);
  return valuesOf(numbers).find((value) => known.some((other) => sameNumber(plainNumber(value), other)));
}

function valuesOf(numbers: readonly Partial<Telecom>[]): readonly string[] {
  return numbers.flatMap(({ value }) => value ?? []);
}

/** The digits of a telephone number without what is dialled before it in its country; anything else in lower case. */
function plainNumber(value: string): string {
  return /^[+\d\s().-]+$/.test(value) ? value.replace(/\D/g, "").replace(/^0+/, "") : value.toLowerCase();
}

/** With and without the code of the country a number ends the same. */
function sameNumber(a: string, b: string): boolean {
  const [shorter = "", longer = ""] = [a, b].sort((x, y) => x.length - y.length);
  return shorter === longer || (/^\d{8,}$/.test(shorter) && longer.endsWith(shorter));
}

/** Only what says male or female: what was not asked tells nothing. */
function genderOf({ gender }: Likened): string | undefined {
  const code = gender?.coding?.[0]?.code;
  return code === "1" || code === "2" ? code : undefined;
}
