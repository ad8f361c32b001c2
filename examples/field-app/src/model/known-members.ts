import type { Group } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { isActiveMember } from "./household.ts";
import { shortened } from "./shortened.ts";

/** Somebody whom a search found. */
export interface FoundPerson {
  readonly reference: string;
  readonly name: string;
}

/** Somebody who was found and can't be added to a household, for it has them. */
export interface KnownMember {
  readonly reference: string;
  /** What is said instead. */
  readonly text: string;
}

/** Whom of the people found a household has already, living there or not any more. */
export function knownMembers(
  { member = [] }: Pick<Group, "member">,
  found: readonly FoundPerson[],
  today: string,
): readonly KnownMember[] {
  const { isMember, hasLeft } = texts.member;
  return found.flatMap(({ reference, name }) => {
    const known = member.find(({ entity }) => entity.reference === reference);
    if (!known) return [];
    const said = isActiveMember(known, today) ? isMember : hasLeft;
    return [{ reference, text: said(shortened(name)) }];
  });
}
