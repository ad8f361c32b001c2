import {
  canonicalReference,
  type Json,
  type JsonObject,
  type Links,
  type ResourceType,
  referencesOf,
  sameJson,
} from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import type { OutboxEntry } from "./entry.ts";
import { meaningOf } from "./meaning.ts";

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
  /** By key in `links`, who that is, where this device has forgotten it: see `whom` of an entry. */
  readonly whom: Readonly<Record<string, JsonObject>>;
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
    links = meaningOf(accepted, entry).meant ?? {},
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
    ...{ type, theirs, links, whom: meaningOf(accepted, entry).whom ?? {} },
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

/** The raw references in these copies. */
export function namesWithin(type: ResourceType, copies: readonly JsonObject[]): ReadonlySet<string> {
  return new Set(copies.flatMap((copy) => referencesOf(type, copy).map(({ reference }) => reference)));
}

/**
 * How the server's copy calls those whom the others call otherwise: a corrected number makes nobody somebody else, and nobody is whoever
 * has their number by now. Who is in none of its places goes by today's name.
 */
export function namesAs(naming: Naming, there: There): Names {
  const { type, theirs, told, entered } = naming;
  const sides: Sides = {
    ...{ naming, there },
    held: namesWithin(type, [theirs]),
    meant: namesWithin(type, told),
    copies: [...told, ...entered].map((copy) => namesWithin(type, [copy])),
  };
  return new Map([...namesOfStrangers(sides), ...there.people.flatMap((one) => namesOfOne(sides, one))]);
}

/** What naming looks at. */
interface Sides {
  readonly naming: Naming;
  readonly there: There;
  /** The names in the server's copy. */
  readonly held: ReadonlySet<string>;
  /** Those in the copies that came from the server. */
  readonly meant: ReadonlySet<string>;
  /** Those in each of the other copies. */
  readonly copies: readonly ReadonlySet<string>[];
}

type Renaming = readonly (readonly [from: string, to: string])[];

/** Nobody knows who these are, but they are not those who have their numbers there, and who go by others here. */
function namesOfStrangers({ naming: { links }, there, copies }: Sides): Renaming {
  const known = new Set(Object.values(links));
  const isTaken = (name: string) => links[name] === undefined && known.has(there.links[name] ?? "");
  const taken = copies.flatMap((copy) => [...copy].filter(isTaken));
  return taken.map((name) => [name, ownName(typeIn(name), strangersKey(name))]);
}

function namesOfOne(sides: Sides, { key, now, former }: Called): Renaming {
  const { naming, there, held, meant, copies } = sides;
  const { links } = naming;
  const all = [...now, ...former];
  const isAnothers = (name: string) => (there.links[name] ?? key) !== key;
  const own =
    [...held].find((name) => there.links[name] === key) ??
    all.find((name) => held.has(name) && !isAnothers(name));
  const name = own ?? now.find((each) => !isAnothers(each));
  const isIt = (each: string) =>
    links[each] === undefined ? meant.has(each) && !held.has(each) : links[each] === key;
  const mayBeIt = (each: string) =>
    links[each] === key || (links[each] === undefined && there.links[each] !== key);
  // Whom one copy lists side by side are two.
  const isBeside = (each: string) =>
    name !== undefined && mayBeIt(name) && copies.some((copy) => copy.has(each) && copy.has(name));
  // Of several numbers that are good, the copy there may have another one.
  const isGood = (each: string) => own === undefined && !isAnothers(each) && now.includes(each);
  const isOther = (each: string) =>
    isIt(each) && there.links[each] !== key && !isGood(each) && !isBeside(each);
  return all.flatMap((each) => {
    const other = name ?? (isAnothers(each) ? ownName(typeIn(each), key) : each);
    return each !== other && isOther(each) ? [[each, other] as const] : [];
  });
}

/** The name by which only this device finds a record whose every identifier another record has by now. */
export function ownName(type: ResourceType, key: string): string {
  return canonicalReference(type, { system: "urn:fieldroll:device", value: key });
}

/** The type of what a raw reference refers to. */
export function typeIn(raw: string): ResourceType {
  return raw.slice(0, raw.indexOf("/")) as ResourceType;
}

/** Stands for the key of somebody whom nobody here is known to be, and whose key the server does not tell. */
export function strangersKey(name: string): string {
  return `?${name}`;
}

/** Whether a key is such a one. */
export function isStrangersKey(key: string): boolean {
  return key.startsWith("?");
}
