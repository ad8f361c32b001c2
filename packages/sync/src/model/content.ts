import {
  canonicalReference,
  contentOf,
  identifiersOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  referencesOf,
  sameJson,
} from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";
import { deviceSystem } from "./verdict.ts";

/** What others refer to comes first. */
export const referredFirst: readonly ResourceType[] = ["Program", "Individual", "Group", "ProgramMembership"];

/** Whether a copy of the server's tells its version: consents may hide that. */
export function tellsVersion(copy: JsonObject | null): boolean {
  return isJsonObject(copy?.meta) && copy.meta.versionId !== undefined;
}

/** A record's version as a number; 0 where there is none, as for a record made here. */
export function versionOf(record: JsonObject | null): number {
  const meta = record?.meta;
  const version = isJsonObject(meta) ? Number(meta.versionId) : 0;
  return Number.isFinite(version) ? version : 0;
}

/**
 * Whether a copy tells more than another one. Of one version it does when it says something else: consents that come, change
 * or end show more or less of it; and so does one that tells no version.
 */
export function isNewer(theirs: JsonObject, known: JsonObject | null): boolean {
  const [present, former] = [versionOf(theirs), versionOf(known)];
  if (!tellsVersion(theirs) || present === former) return known === null || !sameContent(theirs, known);
  return present > former;
}

/** Whether two copies say the same, whatever their versions. */
export function sameContent(a: JsonObject, b: JsonObject): boolean {
  return sameJson(contentOf(a), contentOf(b));
}

/** A record's content under another copy's `meta`. */
export function under(meta: JsonObject | null, record: JsonObject): JsonObject {
  const content = contentOf(record);
  return meta?.meta === undefined ? content : { ...content, meta: meta.meta };
}

/**
 * A copy from a feed, completed. Feeds never carry photos (contract section 2), but tell whether there is one: then the photo last known
 * stays. Where that is not told, it stays unless the copy tells less than that one did, for consents may hide the photo as well.
 */
export function withKnownPhoto(
  { record: theirs, photo }: { readonly record: JsonObject; readonly photo?: boolean | undefined },
  known: JsonObject | null,
): JsonObject {
  if (theirs.photo !== undefined || known?.photo === undefined) return theirs;
  return (photo ?? !tellsLess(theirs, known)) ? { ...theirs, photo: known.photo } : theirs;
}

function tellsLess(theirs: JsonObject, known: JsonObject): boolean {
  const gone = Object.keys(known).some((member) => member !== "photo" && theirs[member] === undefined);
  return gone || !tellsVersion(theirs);
}

/** The raw references by which a record goes. */
export function namesOf(type: ResourceType, record: JsonObject): readonly string[] {
  return identifiersOf(record).map((identifier) => canonicalReference(type, identifier));
}

/** What an entry gives to others, frees for them and needs from them: see the fields of the same names. */
export function dependencies(
  type: ResourceType,
  base: JsonObject | null,
  local: JsonObject,
): Required<Pick<OutboxEntry, "provides" | "releases" | "needs">> {
  const known = base ? namesOf(type, base) : [];
  const names = namesOf(type, local);
  return {
    provides: names.filter((name) => !known.includes(name)),
    releases: known.filter((name) => !names.includes(name)),
    needs: [...new Set(referencesOf(type, local).map((use) => use.reference))],
  };
}

/** Whether two copies are of one record: they share an identifier. */
export function sameRecord(a: JsonObject, b: JsonObject): boolean {
  const names = new Set(identifiersOf(a).map(({ system, value }) => `${system}|${value}`));
  return identifiersOf(b).some(({ system, value }) => names.has(`${system}|${value}`));
}

/** The identifiers that a device, or the server, made for a record: no other one ever has them. */
function madeFor(record: JsonObject): readonly string[] {
  return identifiersOf(record).flatMap(({ system, value }) =>
    deviceSystem.test(system) ? [`${system}|${value}`] : [],
  );
}

/** Whether an office may give the number of a raw reference to somebody else: it can't give away one that was made for a record. */
export function mayPassOn(reference: string): boolean {
  const [, type, system = ""] = /^([^/]*)\/(.*?)\|/s.exec(reference) ?? [];
  return type !== "Program" && !deviceSystem.test(system);
}

/** Whether two copies share an identifier that was made for their record. */
export function isMadeFor(a: JsonObject, b: JsonObject): boolean {
  const names = madeFor(a);
  return madeFor(b).some((name) => names.includes(name));
}

/** The raw references of these identifiers. */
export function namesMadeFor(type: ResourceType, record: JsonObject): readonly string[] {
  return identifiersOf(record)
    .filter(({ system }) => deviceSystem.test(system))
    .map((identifier) => canonicalReference(type, identifier));
}

/**
 * Whether this is certainly the record that the server had lost: the identifier that was made for it says so. Others are given to
 * somebody else now and then, so that a record without one has to say the same of who that is. Of one that consents narrow, the
 * feed's word is all there is.
 */
export function isGivenBack(lost: JsonObject, theirs: JsonObject): boolean {
  if ([lost, theirs].some((copy) => identifiersOf(copy).length === 0)) return true;
  if ([lost, theirs].some((copy) => madeFor(copy).length > 0)) return isMadeFor(lost, theirs);
  return sameRecord(lost, theirs) && whoIs.every((member) => saysTheSame(lost[member], theirs[member]));
}

/**
 * Whether a copy that was found under a record's name can be that record's, for a number may be somebody else's by now. Without any of
 * the record's other identifiers, it has to have its name or its birth date. A person is somebody else who has another full name, or
 * another birth date and another part of the name, as far as both copies say them: sisters share the rest. A household is another one that
 * has another name and no member in common.
 */
export function mayBeSame(type: ResourceType, base: JsonObject, theirs: JsonObject): boolean {
  if (isMadeFor(base, theirs)) return true;
  const [names, held] = [namesOf(type, theirs), namesOf(type, base)];
  if (names.length === 0) return true;
  const isSameDay = base.birthDate !== undefined && base.birthDate === theirs.birthDate;
  if (isSameDay) return true;
  if (type === "Group" && !saysTheSame(base.name, theirs.name)) return sharesMember(base, theirs);
  const kept = held.filter((name) => names.includes(name));
  if (held.length > 1 && kept.length < 2) return saysTheSame(base.name, theirs.name);
  return !hasOtherName(base, theirs);
}

function sharesMember(base: JsonObject, theirs: JsonObject): boolean {
  const [one, other] = [base, theirs].map((copy) => referencesOf("Group", copy).map((use) => use.reference));
  return one?.some((name) => other?.includes(name)) === true;
}

function hasOtherName(base: JsonObject, theirs: JsonObject): boolean {
  const [one, other] = [base.name, theirs.name];
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  const told = ["family", "given"].filter((part) => one[part] !== undefined && other[part] !== undefined);
  const differs = told.filter((part) => one[part] !== other[part]);
  if (!saysTheSame(base.birthDate, theirs.birthDate)) return differs.length > 0;
  return told.length > 1 && differs.length === told.length;
}

/** Whether two copies are of one person beyond doubt: both say the whole of who that is, and the same. */
export function isSamePerson(a: JsonObject, b: JsonObject | undefined): boolean {
  return (
    b !== undefined && whoIs.every((member) => a[member] !== undefined && sameJson(a[member], b[member]))
  );
}

/** What tells one person or household from another. */
export const whoIs = ["name", "birthDate"];

/** What a record says of who it is of: the members that {@link isGivenBack} looks at. */
export function whoIn(record: JsonObject): JsonObject {
  return Object.fromEntries(
    ["identifier", ...whoIs].flatMap((member) => {
      const value = record[member];
      return value === undefined ? [] : [[member, value] as const];
    }),
  );
}

function saysTheSame(one: Json | undefined, other: Json | undefined): boolean {
  return one === undefined || other === undefined || sameJson(one, other);
}

/** Whether unsent work brings a photo: feeds tell of none, and it is large. */
export function takesPhoto({ edits }: Pick<OutboxEntry, "edits">): boolean {
  return edits.some(({ patch }) => Object.hasOwn(patch, "photo"));
}

/** A record with the photo that another copy of it has, or none. */
export function withPhotoOf(record: JsonObject, other: JsonObject | null): JsonObject {
  const { photo: _, ...rest } = record;
  return other?.photo === undefined ? rest : { ...rest, photo: other.photo };
}
