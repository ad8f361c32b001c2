import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { HumanName } from "./common.ts";
import type { ProgramStatus } from "./program.ts";
import { parseReference, printReference, type RecordAddress } from "./reference.ts";
import type { ResourceType } from "./types.ts";
import { relationshipSystem } from "./vocabularies.ts";

const derivedMembers: Readonly<Record<ResourceType, readonly string[]>> = {
  Individual: ["meta", "groupMembership"],
  Group: ["meta", "quantity"],
  Program: ["meta", "status"],
  ProgramMembership: ["meta"],
};

/**
 * Takes away what clients may send and the service derives: `meta`, `groupMembership`, `quantity`, a program's
 * `status`, the display of references. References are rewritten as {@link printReference} writes them, so that the
 * same one is always stored the same.
 */
export function withoutDerived(type: ResourceType, body: JsonObject): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [name, value] of Object.entries(body)) {
    if (!derivedMembers[type].includes(name)) kept[name] = plainMember(name, value);
  }
  return kept;
}

function plainMember(name: string, value: Json): Json {
  if (name === "program" || name === "beneficiary") return plainReference(value);
  if (name !== "member" || !Array.isArray(value)) return value;
  return value.map((item: Json) =>
    isJsonObject(item) && "entity" in item ? { ...item, entity: plainReference(item.entity ?? null) } : item,
  );
}

function plainReference(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const { display: _display, key, ...named } = value;
  const rest = key === undefined || typeof key === "string" ? named : { ...named, key };
  const parsed = typeof rest.reference === "string" ? parseReference(rest.reference) : undefined;
  return parsed?.ok ? { ...rest, reference: printReference(parsed.value.type, parsed.value) } : rest;
}

/** A name as one text: its `text`, or given, middle and family in that order. Empty when it has none of them. */
export function nameText(name: HumanName | JsonObject): string {
  if (typeof name.text === "string" && name.text.trim() !== "") return name.text;
  return [name.given, name.middle, name.family]
    .map((part) => (typeof part === "string" ? part.trim() : ""))
    .filter((part) => part !== "")
    .join(" ");
}

/** The identifier that a record is addressed by in answers: its first. `undefined` when it has none. */
export function primaryIdentifier(record: JsonObject): RecordAddress | undefined {
  const first: Json | undefined = Array.isArray(record.identifier) ? record.identifier[0] : undefined;
  if (!isJsonObject(first)) return undefined;
  const { system, value } = first;
  return typeof system === "string" && typeof value === "string" ? { system, value } : undefined;
}

/** A program's status on a day (`YYYY-MM-DD`): ended when it was made inactive or its period is over. */
export function programStatus(program: JsonObject, today: string): ProgramStatus {
  return program.active === false || isOver(program.period, today) ? "ended" : "active";
}

/** The last day of a program (`YYYY-MM-DD`), where it has one. */
export function lastDayOf({ period }: JsonObject): string | undefined {
  return isJsonObject(period) && typeof period.end === "string" ? period.end : undefined;
}

/**
 * Whether someone is a member on a day (`YYYY-MM-DD`): not set inactive, and their period has not ended. Whoever is on the list
 * belongs to the group at once, also when their period is to start later.
 */
export function isActiveMember(member: JsonObject, today: string): boolean {
  return member.inactive !== true && !isOver(member.period, today);
}

/** Whether a member is, on a day (`YYYY-MM-DD`), the head of the group. */
export function isActiveHead(
  member: JsonObject,
  { namespace, today }: { readonly namespace: string; readonly today: string },
): boolean {
  const system = relationshipSystem(namespace);
  const codings = isJsonObject(member.role) && Array.isArray(member.role.coding) ? member.role.coding : [];
  return (
    isActiveMember(member, today) &&
    codings.some((coding: Json) => isJsonObject(coding) && coding.system === system && coding.code === "head")
  );
}

/** The number of active members on a day (`YYYY-MM-DD`): `quantity` of a Group. */
export function memberCount(group: JsonObject, today: string): number {
  const members: readonly Json[] = Array.isArray(group.member) ? group.member : [];
  return members.filter((member) => isJsonObject(member) && isActiveMember(member, today)).length;
}

/** Whether a period has ended before a day. Its last day still belongs to it. */
function isOver(period: Json | undefined, today: string): boolean {
  return isJsonObject(period) && typeof period.end === "string" && period.end < today;
}
