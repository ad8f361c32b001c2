import {
  applyMergePatch,
  contentOf,
  diffMergePatch,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  referenceTo,
  sameJson,
} from "@fieldroll/core";
import { dependencies, namesOf, sameContent, takesPhoto, under, withPhotoOf } from "./content.ts";
import type { Edit, OutboxEntry } from "./entry.ts";
import { isNotIn } from "./taken-apart.ts";
import { listOf } from "./unhidden.ts";

/** A change of one record that a person just made: see `RecordChange` of the registry. */
export interface LocalChange {
  readonly type: ResourceType;
  readonly key: string;
  readonly before: JsonObject | null;
  readonly after: JsonObject;
  /** The client that the person is signed in as. */
  readonly by: string;
  /** UTC instant. */
  readonly at: string;
  /** By how many seconds the clock was corrected for it; 0 or absent for none. */
  readonly skew?: number;
}

/**
 * Adds a person's edit to a record's entry, or starts one. An edit of a record that waits for a correction sends it on
 * its way again; a conflict, a record that left, or one that may be there already goes on waiting for its decision.
 *
 * @param id the edit's, a UUIDv7
 */
export function addEdit(entry: OutboxEntry | null, change: LocalChange, id: string): OutboxEntry {
  const { type, key, before, after, by, at, skew } = change;
  const patch = diffMergePatch(before ? contentOf(before) : {}, contentOf(after));
  const edit: Edit = { id, at, by, patch, ...(skew && { skew }) };
  const previous = entry ?? { ...newEntry(change, after), base: before };
  const next: OutboxEntry = {
    ...previous,
    type,
    key,
    reference: referenceTo(type, after),
    edits: [...previous.edits, edit],
    ...dependencies(type, previous.base, after),
    ...(isApart(previous, change) && { left: false }),
  };
  switch (next.parked?.isUndone ? null : next.parked?.reason) {
    case "rejected":
    case "duplicate":
    case "forbidden":
      return { ...next, parked: null, attempts: 0, rebases: 0, nextAttemptAt: null };
    default:
      return next;
  }
}

/** Whether an edit gives up a name of a record that stands beside another one of that name here: after that it is nobody else. */
function isApart({ base, lost, left }: OutboxEntry, { type, before, after }: LocalChange): boolean {
  if (base || !lost || !left) return false;
  const names = namesOf(type, after);
  return namesOf(type, before ?? {}).some((name) => !names.includes(name));
}

/** An entry with nothing in it yet. */
export function newEntry({ type, key }: Pick<OutboxEntry, "type" | "key">, record: JsonObject): OutboxEntry {
  return {
    type,
    key,
    reference: referenceTo(type, record),
    base: null,
    edits: [],
    request: null,
    incoming: null,
    parked: null,
    attempts: 0,
    rebases: 0,
    nextAttemptAt: null,
    lastAnswer: null,
    provides: [],
    needs: [],
  };
}

/** What unsent work has to do with a photo: nothing, that it brings one too, or that nothing else is left of it. */
export function photoIn(entry: OutboxEntry): { readonly photo?: "also" | "only" } {
  if (!takesPhoto(entry)) return {};
  const { base } = entry;
  return { photo: base && sameContent(base, withPhotoOf(replay(entry), base)) ? "only" : "also" };
}

/**
 * The record as its entry alone tells it, for a device that lost its copy: what edits come to on the present base, or the request
 * carries, where that is known, and the edits after that.
 */
export function replay({ base, edits, request, comesTo }: OutboxEntry): JsonObject {
  const done = comesTo ?? request;
  const start = comesTo ? applyMergePatch(base ?? {}, comesTo.patch) : (request?.sent ?? base ?? {});
  const later = edits.filter(({ id }) => !done?.covers.includes(id));
  const record = later.reduce((each, { patch }) => applyMergePatch(each, patch), start);
  return under(base, record as JsonObject);
}

/** When the oldest edit that has not arrived was made. */
export function oldestEdit(entry: OutboxEntry): string {
  return entry.edits[0]?.at ?? entry.request?.frozenAt ?? "";
}

/** Raw references by which others here may know a record that the server has not got, although it goes by them no more. */
export function namesGivenUp({ type, base, edits, provides }: OutboxEntry): readonly string[] {
  if (base) return [];
  return edits.flatMap(({ patch }) => namesOf(type, patch)).filter((name) => !provides.includes(name));
}

/**
 * An entry without the items that were in the lists of its record and went from them: an edit of a list has the whole of it. Identifiers stay,
 * which nothing hides, and by which others may know the record.
 */
export function withoutGone(entry: OutboxEntry, was: JsonObject, is: JsonObject): OutboxEntry {
  const edits = entry.edits.map((edit) => ({ ...edit, patch: withoutGoneItems(edit.patch, was, is) }));
  return { ...entry, edits };
}

function withoutGoneItems(patch: JsonObject, was: JsonObject, is: JsonObject): JsonObject {
  const narrowed = Object.entries(patch).map(([member, value]): [string, Json] => {
    const [before, after] = [was[member], is[member]];
    if (member === "identifier" || before === undefined || sameJson(before, after ?? null))
      return [member, value];
    if (isJsonObject(value) && isJsonObject(before))
      return [member, withoutGoneItems(value, before, isJsonObject(after) ? after : {})];
    if (!Array.isArray(value)) return [member, value];
    const [isNew, isGone] = [isNotIn(listOf(before)), isNotIn(listOf(after))];
    return [member, value.filter((item: Json) => isNew(item) || !isGone(item))];
  });
  return Object.fromEntries(narrowed);
}

/**
 * An entry under its changed copies: what others need to know of it is computed anew, and what its edits come to, where they were
 * made from another base and would say something else on this one.
 */
export function restated({ comesTo, ...entry }: OutboxEntry, local: JsonObject): OutboxEntry {
  const { type, base, edits } = entry;
  const next = { ...entry, ...dependencies(type, base, local) };
  const isLocal = (one: OutboxEntry) => sameContent(replay({ ...one, request: null }), local);
  if (isLocal(next)) return next;
  if (comesTo && isLocal({ ...next, comesTo })) return { ...next, comesTo };
  const patch = diffMergePatch(contentOf(base ?? {}), contentOf(local)) as JsonObject;
  return { ...next, comesTo: { patch, covers: edits.map(({ id }) => id) } };
}
