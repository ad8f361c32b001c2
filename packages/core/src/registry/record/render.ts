import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { isActiveMember, nameText, programStatus } from "../../resource/derived.ts";
import {
  canonicalReference,
  type PrintedReference,
  printRaw,
  printReference,
} from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Store } from "../../store/port.ts";
import { pagesOf } from "../every-page.ts";
import { currentReferences } from "./current-references.ts";
import { type StoredRecord, storedRecord } from "./document.ts";
import { identifiersOf, mapReferences } from "./stored.ts";

export interface RenderContext {
  readonly store: Store;
  readonly today: string;
  /** Records about to be committed, seen as if they were. */
  readonly fresh?: readonly StoredRecord[];
  /** The groups that name the individuals among the records, where they are known; else they are looked up. */
  readonly groups?: readonly StoredRecord[];
}

/** A record's reference as answers print it, by its first identifier. */
export function referenceTo(type: ResourceType, record: JsonObject): PrintedReference {
  const first = identifiersOf(record)[0];
  return first ? printReference(type, first) : (type as string as PrintedReference);
}

/** Turns stored records into what callers get: derived members filled in, references printed so that they can be fetched. */
export async function render(
  records: readonly StoredRecord[],
  context: RenderContext,
): Promise<readonly JsonObject[]> {
  const [groups, current] = await Promise.all([
    groupsOf(records, context),
    currentReferences(records, context),
  ]);
  return records.map((stored) => {
    const { meta, ...own } = mapReferences(stored.type, stored.record, (raw) =>
      printRaw(current(stored, raw)),
    );
    return { ...own, ...derived(stored, groups, context.today), ...(meta && { meta }) };
  });
}

function derived(stored: StoredRecord, groups: readonly StoredRecord[], today: string): JsonObject {
  const { type, record } = stored;
  if (type === "Program") return { status: programStatus(record, today) };
  if (type === "Group") return { quantity: activeMembers(record, today).length };
  if (type !== "Individual") return {};
  const memberships = groups.flatMap((group) => membershipIn(group, stored, today));
  const name = isJsonObject(record.name) ? { name: withText(record.name) } : {};
  return { ...name, ...(memberships.length > 0 && { groupMembership: memberships }) };
}

function withText(name: JsonObject): JsonObject {
  const { text: _, ...parts } = name;
  const text = nameText(name);
  return text === "" ? parts : { ...parts, text };
}

/** The members of a group who belong to it today. */
export function activeMembers(group: JsonObject, today: string): readonly JsonObject[] {
  const list: readonly Json[] = Array.isArray(group.member) ? group.member : [];
  return list.filter(isJsonObject).filter((member) => isActiveMember(member, today));
}

function membershipIn(group: StoredRecord, individual: StoredRecord, today: string): JsonObject[] {
  const own = ownReferences(individual);
  return activeMembers(group.record, today)
    .filter((member) => {
      const raw = isJsonObject(member.entity) ? String(member.entity.reference) : "";
      return group.links[raw] === individual.key || (group.links[raw] === undefined && own.includes(raw));
    })
    .map(({ role, period }) => ({
      group: { reference: referenceTo("Group", group.record) },
      ...(role && { role }),
      ...(period && { period }),
    }));
}

function ownReferences(stored: StoredRecord): readonly string[] {
  return identifiersOf(stored.record).map((identifier) => canonicalReference(stored.type, identifier));
}

/** The groups, not archived, that any of these individuals is a member of. */
async function groupsOf(
  records: readonly StoredRecord[],
  { store, fresh = [], groups }: RenderContext,
): Promise<readonly StoredRecord[]> {
  if (groups) return groups.filter((group) => group.record.active !== false);
  const individuals = records.filter((stored) => stored.type === "Individual");
  if (individuals.length === 0) return [];
  const anyOf = individuals.flatMap((stored) => [stored.key, ...ownReferences(stored)]);
  // Archived groups are few: leaving them out below costs less than a second condition.
  const where = [{ index: "member", anyOf }];
  const found = new Map<string, StoredRecord>();
  for await (const documents of pagesOf(store, { collection: "Group", where })) {
    for (const document of documents) found.set(document.key, withoutExtension(storedRecord(document)));
  }
  for (const stored of fresh) if (stored.type === "Group") found.set(stored.key, stored);
  return [...found.values()].filter((group) => group.record.active !== false);
}

/** A group as far as its members' records tell of it. Extensions are the part that may be long. */
function withoutExtension(stored: StoredRecord): StoredRecord {
  const { extension: _, ...record } = stored.record;
  return { ...stored, record };
}
