import { type JsonObject, type Links, mapReferences, type ResourceType, referencesOf } from "@fieldroll/core";
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
}

/** Copies of one record that are about to be merged with one of the server's, each in the names of its own time. */
export interface Naming {
  readonly type: ResourceType;
  /** The server's. */
  readonly theirs: JsonObject;
  /** Copies, or parts of some, that came from the server: they mean whom it meant. */
  readonly told: readonly JsonObject[];
  /** Copies with what was entered here: that means whom the links lead to. */
  readonly entered: readonly JsonObject[];
  readonly links: Links;
}

/** The raw references in these copies. */
export function namesWithin(type: ResourceType, copies: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(copies.flatMap((copy) => referencesOf(type, copy).map(({ reference }) => reference)));
}

/**
 * How the server's copy calls those whom the others call otherwise: a corrected number makes nobody somebody else. Who is in none of
 * its places goes by today's name.
 */
export function namesAs({ type, theirs, told, entered, links }: Naming, people: readonly Called[]): Names {
  const there = namesWithin(type, [theirs]);
  const copies = [...told, ...entered].map((copy) => namesWithin(type, [copy]));
  const meant = namesWithin(type, told);
  const names = new Map<string, string>();
  for (const { key, now, former } of people) {
    const all = [...now, ...former];
    const name = all.find((each) => there.has(each)) ?? now[0];
    if (name === undefined) continue;
    const isOther = (each: string) =>
      !there.has(each) &&
      // Of several numbers that are good, the copy there may have another one.
      (there.has(name) || !(now.includes(each) && now.includes(name))) &&
      (meant.has(each) || links[each] === key) &&
      // Whom one copy lists side by side are two.
      !copies.some((copy) => copy.has(each) && copy.has(name));
    for (const each of all) if (each !== name && isOther(each)) names.set(each, name);
  }
  return names;
}

/** A record's unsent work in these names. What the server told meanwhile is in its own. */
export function entryNamed(entry: OutboxEntry, local: JsonObject, names: Names) {
  if (names.size === 0) return { entry, local };
  const { type, base, request, earlier, comesTo, lost } = entry;
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
  };
  return { entry: { ...next, ...dependencies(type, next.base, whole(local)) }, local: whole(local) };
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
