import type { Group } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { isActiveMember } from "./household.ts";

/** The names of the households, in use, of which a person is a member on a day. */
export function livedIn(
  person: string,
  groups: readonly { readonly record: Group }[],
  today: string,
): readonly string[] {
  const isIn = ({ active, groupType, member = [] }: Group) =>
    active &&
    groupType === "household" &&
    member.some((item) => item.entity.reference === person && isActiveMember(item, today));
  return groups.filter(({ record }) => isIn(record)).map(({ record }) => record.name);
}

/** What is said of a person who is in more than one household; else nothing. */
export function severalText(name: string, households: readonly string[]): string | undefined {
  const [last = "", ...rest] = [...households].reverse();
  if (rest.length === 0) return undefined;
  return texts.households.several(name, texts.households.and(rest.reverse().join(", "), last));
}
