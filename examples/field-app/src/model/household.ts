import { type Group, type GroupMember, type PostalAddress, relationshipSystem } from "@fieldroll/core";
import { codeOf, homeAddress } from "./person-text.ts";

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

/** A person or household who may be registered already, and why it looks so. */
export interface Similar {
  readonly reference: string;
  readonly name: string;
  /** Why, and where the record lives, in words. */
  readonly text: string;
  /** How close the likeness is; a larger number is closer. */
  readonly closeness: number;
  /** Whether it has the identity number of the form. */
  readonly taken?: boolean;
  /** The person of the form that looks alike, by its id there. */
  readonly person?: number;
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
  const closest = [...similar].sort((a, b) => b.closeness - a.closeness);
  const seen = new Set<string>();
  return closest.filter(({ reference }) => !seen.has(reference) && seen.add(reference)).slice(0, most);
}

function plain(text: string): string {
  return text
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .trim()
    .toLowerCase();
}
