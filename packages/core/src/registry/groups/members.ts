import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { StoredReference } from "../../resource/reference.ts";
import { relationshipSystem } from "../../resource/vocabularies.ts";
import type { Links } from "../record/document.ts";

/** Somebody named by a request: the reference, and the key of the record where the caller may know it. */
export interface Person {
  readonly raw: StoredReference;
  readonly key?: string;
}

/** One member item of a group in stored form. */
export type Member = JsonObject;

/** Everybody who is or was a member. */
export function membersOf(group: JsonObject): readonly Member[] {
  const list: readonly Json[] = Array.isArray(group.member) ? group.member : [];
  return list.filter(isJsonObject);
}

/** Who a member is: the key where it is known, since two groups may name one person by different identifiers. */
export function identityOf(member: Member, links: Links): string {
  const raw = isJsonObject(member.entity) ? String(member.entity.reference) : "";
  return links[raw] ?? raw;
}

/** Where somebody stands in a list of members, or -1. */
export function placeOf(members: readonly Member[], links: Links, person: Person): number {
  return members.findIndex((member) => {
    const raw = isJsonObject(member.entity) ? String(member.entity.reference) : "";
    return raw === person.raw || (person.key !== undefined && links[raw] === person.key);
  });
}

/** The role of a head. */
export function headRole(namespace: string): JsonObject {
  return { coding: [{ system: relationshipSystem(namespace), code: "head" }] };
}

export function withoutRole(member: Member): Member {
  const { role: _, ...rest } = member;
  return rest;
}

/** The last day of a membership that ends: never before its first. */
export function lastDay(member: Member, today: string): string {
  const start = isJsonObject(member.period) ? member.period.start : undefined;
  return typeof start === "string" && start > today ? start : today;
}

/** A membership that is over. The item stays, so that the group shows who belonged to it and until when. */
export function ended(member: Member, on: string): Member {
  const period = isJsonObject(member.period) ? member.period : {};
  return { ...member, period: { ...period, end: on }, inactive: true };
}
