import { isJsonObject, type JsonObject } from "../json.ts";
import type { FieldError } from "../problem.ts";
import { isActiveHead, isActiveMember } from "./derived.ts";

/** A change of a group, as far as the rules need it. */
export interface GroupChange {
  /** The stored record; `null` when it is being created. */
  readonly before: JsonObject | null;
  /** The validated record as it should become. */
  readonly after: JsonObject;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Who a reference names. Default: the reference itself; a registry knows a record by its other identifiers too. */
  readonly identity?: (reference: string) => string;
}

/**
 * Judges a change of a group: contract section 2, "Group.member". An archived group takes in nobody; a change that archives or
 * reactivates the group may. What a group may be like at all is for its schema to say.
 */
export function decideGroup(change: GroupChange): readonly FieldError[] {
  if (change.before?.active !== false || change.after.active !== false) return [];
  return newMembers(change).map((place) => archivedGroup(`/member/${place}`));
}

/** The places in the list of members of those who are active from this change on. */
export function newMembers({ before, after, today, identity = String }: GroupChange): readonly number[] {
  const active = (group: JsonObject | null) =>
    (Array.isArray(group?.member) ? group.member : []).flatMap((member, place) => {
      if (!isJsonObject(member) || !isActiveMember(member, today)) return [];
      const { entity } = member;
      return [{ place, who: identity(isJsonObject(entity) ? String(entity.reference) : "") }];
    });
  const former = new Set(active(before).map(({ who }) => who));
  return active(after).flatMap(({ place, who }) => (former.has(who) ? [] : [place]));
}

/** The places in a list of members of those who are head beside another: a group has at most one active head. */
export function secondHeads(
  members: readonly unknown[],
  day: { readonly namespace: string; readonly today: string },
): readonly number[] {
  const heads = members.flatMap((member, place) =>
    isJsonObject(member) && isActiveHead(member, day) ? [place] : [],
  );
  return heads.slice(1);
}

/** What is said of a second head. */
export const secondHead = { code: "second_head", message: "a group has at most one active head" } as const;

/** Says that a group takes part in nothing any more. */
export function archivedGroup(field: string): FieldError {
  return { field, code: "archived", message: "the group is archived; reactivate it first" };
}
