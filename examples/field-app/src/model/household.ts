import { type Group, type GroupMember, type HumanName, relationshipSystem } from "@fieldroll/core";
import { codeOf, nameText } from "./person-text.ts";

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

/** A person who may be registered already, and why it looks so. */
export interface Similar {
  readonly reference: string;
  readonly name: string;
  readonly because: "identifier" | "name" | "household";
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

function nameWords(name: HumanName): ReadonlySet<string> {
  const plain = nameText(name)
    .normalize("NFD")
    .replaceAll(/\p{Mn}/gu, "")
    .toLowerCase();
  return new Set(plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 1));
}
