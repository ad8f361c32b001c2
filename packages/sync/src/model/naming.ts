import {
  canonicalReference,
  isJsonObject,
  type Json,
  type JsonObject,
  type Links,
  mapReferences,
  printRaw,
  type ResourceType,
  referencesOf,
  sameJson,
} from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import { dependencies } from "./content.ts";
import type { Edit, OutboxEntry } from "./entry.ts";

/** Raw references by which copies of a record mean somebody, with those by which another copy of it means the same. */
export type Names = ReadonlyMap<string, string>;

/** Somebody whom a record refers to, or may. */
export interface Called {
  /** The key on this device. */
  readonly key: string;
  /** The raw references by which the server, as far as it told, knows the record now. */
  readonly now: readonly string[];
  /** Those by which it was known before. */
  readonly former: readonly string[];
  /** What is known of it. */
  readonly who: JsonObject;
}

/** Copies of one record that are about to be merged with one of the server's, in names of their own time. */
export interface Naming {
  readonly type: ResourceType;
  /** The server's. */
  readonly theirs: JsonObject;
  /** Copies, or parts of some, that came from the server: they mean whom it meant. */
  readonly told: readonly JsonObject[];
  /** Copies with what was entered here: that means whom the links lead to. */
  readonly entered: readonly JsonObject[];
  /** Whom the names in all but the server's copy mean, by key, as far as that is known. */
  readonly links: Links;
}

/** Whom the server's copy means. */
export interface There {
  /** By key, as far as that is known. */
  readonly links: Links;
  /** All who are referred to, or may be. */
  readonly people: readonly Called[];
}

/** The copies of a record with its unsent work, and with what was accepted of it, beside one of the server's. */
export function namingOf(
  type: ResourceType,
  theirs: JsonObject,
  {
    entry,
    local,
    accepted = [],
    links = entry?.meant ?? {},
  }: {
    readonly entry: OutboxEntry | null;
    readonly local: JsonObject | null;
    readonly accepted?: readonly Accepted[] | undefined;
    readonly links?: Links;
  },
): Naming {
  const before = accepted.flatMap((each) => [each.before ?? {}, each.after]);
  const { base = null, request, earlier } = entry ?? {};
  const sent = [request, earlier].flatMap((each) => (each ? [each.sent] : [])).concat(earlier?.later ?? []);
  const shown = local ?? {};
  return {
    ...{ type, theirs, links },
    told: [...before, entry ? (base ?? {}) : shown],
    entered: entry ? [shown, ...sent] : [],
  };
}

/** Those of whom copies with what was entered here say something else than those from the server. */
export function touchedIn({ type, told, entered }: Naming): ReadonlySet<string> {
  const touched = entered.flatMap((copy) =>
    told.flatMap((each) => [...membersBeside(copy, each), ...membersBeside(each, copy)]),
  );
  return namesWithin(type, touched.length > 0 ? [{ member: touched }] : []);
}

/** Members of one copy of whom another one does not say the same. */
function membersBeside({ member }: JsonObject, other: JsonObject): readonly Json[] {
  const others = Array.isArray(other.member) ? other.member : [];
  return Array.isArray(member) ? member.filter((item) => !others.some((each) => sameJson(item, each))) : [];
}

/** A record as it is sent, with the keys of others beside their names. @param keys by raw reference */
export function withKeys(type: ResourceType, record: JsonObject, keys: Links): JsonObject {
  const printed = new Map(Object.entries(keys).map(([raw, key]) => [printRaw(raw), key]));
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

/** The raw references in these copies. */
export function namesWithin(type: ResourceType, copies: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(copies.flatMap((copy) => referencesOf(type, copy).map(({ reference }) => reference)));
}

/**
 * How the server's copy calls those whom the others call otherwise: a corrected number makes nobody somebody else, and nobody is whoever
 * has their number by now. Who is in none of its places goes by today's name.
 */
export function namesAs({ type, theirs, told, entered, links }: Naming, there: There): Names {
  const held = namesWithin(type, [theirs]);
  const copies = [...told, ...entered].map((copy) => namesWithin(type, [copy]));
  const meant = namesWithin(type, told);
  const names = new Map<string, string>();
  for (const { key, now, former } of there.people) {
    const all = [...now, ...former];
    const isAnothers = (name: string) => (there.links[name] ?? key) !== key;
    const own =
      [...held].find((name) => there.links[name] === key) ??
      all.find((name) => held.has(name) && !isAnothers(name));
    const name = own ?? now.find((each) => !isAnothers(each));
    const isIt = (each: string) =>
      links[each] === undefined ? meant.has(each) && !held.has(each) : links[each] === key;
    const isOther = (each: string) =>
      isIt(each) &&
      there.links[each] !== key &&
      // Of several numbers that are good, the copy there may have another one.
      (own !== undefined || isAnothers(each) || !now.includes(each)) &&
      // Whom one copy lists side by side are two.
      !copies.some(
        (copy) => copy.has(each) && name !== undefined && copy.has(name) && (links[name] ?? key) === key,
      );
    for (const each of all) {
      const other = name ?? (isAnothers(each) ? ownName(typeIn(each), key) : each);
      if (each !== other && isOther(each)) names.set(each, other);
    }
  }
  return names;
}

/** The name by which only this device finds a record whose every identifier another record has by now. */
export function ownName(type: ResourceType, key: string): string {
  return canonicalReference(type, { system: "urn:fieldroll:device", value: key });
}

/** The type of what a raw reference refers to. */
export function typeIn(raw: string): ResourceType {
  return raw.slice(0, raw.indexOf("/")) as ResourceType;
}

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

/** Stands for the key of somebody whom nobody here is known to be, and whose key the server does not tell. */
export function strangersKey(name: string): string {
  return `?${name}`;
}

function isStrangersKey(key: string): boolean {
  return key.startsWith("?");
}

/** A record's unsent work in these names. */
export function entryNamed(entry: OutboxEntry, local: JsonObject, names: Names) {
  if (names.size === 0) return { entry, local };
  const { type, base, request, earlier, comesTo, lost, parked, incoming, meant = {} } = entry;
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
    ...(parked?.theirs && { parked: { ...parked, theirs: whole(parked.theirs) } }),
    meant: Object.fromEntries(Object.entries(meant).map(([raw, key]) => [names.get(raw) ?? raw, key])),
  };
  return { entry: { ...next, ...dependencies(type, next.base, whole(local)) }, local: whole(local) };
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
  }));
}

/** A record in stored form in these names. */
export function recordNamed(type: ResourceType, record: JsonObject, names: Names): JsonObject {
  return names.size === 0 ? record : mapReferences(type, record, (raw) => names.get(raw) ?? raw);
}

/** A patch has only some members, and an absent one must not become a removal. */
export function patchNamed(type: ResourceType, patch: JsonObject, names: Names): JsonObject {
  const mapped = recordNamed(type, patch, names);
  return Object.fromEntries(Object.keys(patch).map((member) => [member, mapped[member] ?? null]));
}
