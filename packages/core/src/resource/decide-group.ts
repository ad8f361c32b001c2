import { isJsonObject, type JsonObject } from "../json.ts";
import type { FieldError } from "../problem.ts";
import { futureStart } from "./dates.ts";
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
  /** Whether the record comes from a trusted copy of a register: what is done today does not count then. */
  readonly trusted?: boolean;
}

/**
 * Judges a change of a group: contract section 2, "Group.member". An archived group takes in nobody; a change that archives or
 * reactivates the group may. No membership that the change brings begins after tomorrow. What a group may be like at all is for its schema to
 * say.
 */
export function decideGroup(change: GroupChange): readonly FieldError[] {
  return [...(change.trusted ? [] : intakeFaults(change)), ...startFaults(change)];
}

function intakeFaults(change: GroupChange): readonly FieldError[] {
  if (change.before?.active !== false || change.after.active !== false) return [];
  return newMembers(change).map((place) => archivedGroup(`/member/${place}`));
}

/** A day that was stored before stays as it is. */
function startFaults({ before, after, today, identity = String }: GroupChange): readonly FieldError[] {
  const former = new Map(membersOf(before).map((member) => [identity(referenceOf(member)), startOf(member)]));
  return membersOf(after).flatMap((member, place) => {
    const start = startOf(member);
    if (start === undefined || start === former.get(identity(referenceOf(member)))) return [];
    const message = futureStart(start, today);
    return message === undefined
      ? []
      : [{ field: `/member/${place}/period/start`, code: "future_date", message }];
  });
}

function membersOf(group: JsonObject | null): readonly JsonObject[] {
  return (Array.isArray(group?.member) ? group.member : []).map((member) => Object(member));
}

function referenceOf({ entity }: JsonObject): string {
  return isJsonObject(entity) ? String(entity.reference) : "";
}

function startOf({ period }: JsonObject): string | undefined {
  return isJsonObject(period) && typeof period.start === "string" ? period.start : undefined;
}

/** The places in the list of members of those who are active from this change on. */
export function newMembers({ before, after, today, identity = String }: GroupChange): readonly number[] {
  const active = (group: JsonObject | null) =>
    membersOf(group).flatMap((member, place) =>
      isActiveMember(member, today) ? [{ place, who: identity(referenceOf(member)) }] : [],
    );
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
