import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Links,
  linkEntries,
  mapReferences,
  pointer,
  printRaw,
  type ResourceType,
  type StoredReference,
} from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import { dependencies } from "./content.ts";
import type { Edit, OutboxEntry } from "./entry.ts";
import { isStrangersKey, type Names, namesAs, namesWithin, namingOf, type There } from "./naming.ts";

/** A record's unsent work in the names of a copy of the server's. */
export function entryAs(
  known: { readonly entry: OutboxEntry; readonly local: JsonObject; readonly accepted?: readonly Accepted[] },
  theirs: JsonObject,
  there: There,
) {
  const { entry, local } = known;
  const called = entryNamed(entry, local, namesAs(namingOf(entry.type, theirs, known), there));
  return { ...called, entry: understood(called.entry, there) };
}

/** Work in the names of a copy of the server's, with whom that means: what it comes to on that copy is understood after one more correction too. */
export function understood(entry: OutboxEntry, { links }: There): OutboxEntry {
  const known = Object.entries(links).filter(([, key]) => !isStrangersKey(key));
  return known.length === 0 ? entry : { ...entry, meant: { ...entry.meant, ...Object.fromEntries(known) } };
}

/** A record's unsent work in these names. */
export function entryNamed(entry: OutboxEntry, local: JsonObject, names: Names) {
  if (names.size === 0) return { entry, local };
  const { type, base, request, earlier, comesTo, lost, asked, parked, incoming, meant = {} } = entry;
  const whole = (record: JsonObject) => recordNamed(type, record, names);
  const next: OutboxEntry = {
    ...entry,
    base: base && whole(base),
    edits: entry.edits.map((edit): Edit => ({ ...edit, patch: patchNamed(type, edit.patch, names) })),
    request: request && { ...request, sent: whole(request.sent) },
    ...(earlier && {
      earlier: {
        ...{ ...earlier, sent: whole(earlier.sent) },
        ...(earlier.later && { later: earlier.later.map(whole) }),
      },
    }),
    ...(comesTo && { comesTo: { ...comesTo, patch: patchNamed(type, comesTo.patch, names) } }),
    ...(lost && { lost: whole(lost) }),
    ...(incoming?.kind === "upsert" && { incoming: { ...incoming, record: whole(incoming.record) } }),
    ...(asked && { asked: placesNamed(asked, names) }),
    ...(parked && { parked: { ...parked, theirs: parked.theirs && whole(parked.theirs) } }),
    meant: linksNamed(meant, names),
  };
  return { entry: { ...next, ...dependencies(type, next.base, whole(local)) }, local: whole(local) };
}

function linksNamed(links: Links, names: Names): Links {
  return Object.fromEntries(Object.entries(links).map(([raw, key]) => [names.get(raw) ?? raw, key]));
}

/** Members are told apart by their names also where they are asked about. */
function placesNamed(places: readonly string[], names: Names): readonly string[] {
  const named = new Map([...names].map(([from, to]) => [itemOf(from), itemOf(to)]));
  const renamed = (part: string) => named.get(part) ?? part;
  return places.map((place) => place.split("/").map(renamed).join("/"));
}

/** As the merge names the place of a member. */
function itemOf(reference: string): string {
  return pointer([`item:${reference}`]).slice(1);
}

/**
 * An entry as it is kept: whom its references mean is noted of those that the record as it is shown has not.
 *
 * @param shown the references of that
 */
export function noted({ meant = {}, ...entry }: OutboxEntry, shown: ReadonlySet<string>): OutboxEntry {
  const { type, base, request, earlier, parked, incoming } = entry;
  const news = incoming?.kind === "upsert" ? incoming.record : {};
  const copies = [base ?? {}, request?.sent ?? {}, earlier?.sent ?? {}, parked?.theirs ?? {}, news];
  const names = namesWithin(type, copies);
  const kept = Object.entries(meant).filter(([raw]) => names.has(raw) && !shown.has(raw));
  return kept.length === 0 ? entry : { ...entry, meant: Object.fromEntries(kept) };
}

/** What is kept of accepted requests in these names. */
export function acceptedNamed(
  type: ResourceType,
  accepted: readonly Accepted[],
  names: Names,
): readonly Accepted[] {
  if (names.size === 0) return accepted;
  return accepted.map((each) => ({
    ...each,
    before: each.before && patchNamed(type, each.before, names),
    after: patchNamed(type, each.after, names),
    ...(each.upon && { upon: patchNamed(type, each.upon, names) }),
    ...(each.meant && { meant: linksNamed(each.meant, names) }),
  }));
}

/** A record in stored form in these names. */
export function recordNamed(type: ResourceType, record: JsonObject, names: Names): JsonObject {
  return names.size === 0
    ? record
    : mapReferences(type, record, (raw) => (names.get(raw) as StoredReference | undefined) ?? raw);
}

/** A patch has only some members, and an absent one must not become a removal. */
export function patchNamed(type: ResourceType, patch: JsonObject, names: Names): JsonObject {
  const mapped = recordNamed(type, patch, names);
  return Object.fromEntries(Object.keys(patch).map((member) => [member, mapped[member] ?? null]));
}

/** A record as it is sent, with the keys of others beside their names. @param keys by raw reference */
export function withKeys(type: ResourceType, record: JsonObject, keys: Links): JsonObject {
  const printed = new Map<string, string>(linkEntries(keys).map(([raw, key]) => [printRaw(raw), key]));
  const keyed = (value: Json = null): Json => {
    const key = isJsonObject(value) ? printed.get(String(value.reference)) : undefined;
    return isJsonObject(value) && key !== undefined ? { ...value, key } : value;
  };
  const { member, beneficiary } = record;
  if (printed.size === 0) return record;
  if (type === "ProgramMembership") return { ...record, beneficiary: keyed(beneficiary) };
  if (!Array.isArray(member)) return record;
  return {
    ...record,
    member: member.map((item: Json) => (isJsonObject(item) ? { ...item, entity: keyed(item.entity) } : item)),
  };
}
