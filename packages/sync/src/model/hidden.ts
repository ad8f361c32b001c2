import {
  applyMergePatch,
  contentOf,
  diffMergePatch,
  hiddenMembers,
  identifiersOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  resourceShapes,
  type Shape,
  type Sight,
  sameJson,
  sightFrom,
  visiblePart,
  withHidden,
} from "@fieldroll/core";
import { unversioned } from "./accepted.ts";
import { isGivenBack, isMadeFor, isSamePerson, sameRecord, tellsVersion, whoIn, whoIs } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import { isWithin, placesApart } from "./places-apart.ts";
import type { Copies } from "./rebase.ts";
import { sightIn, withChangedItems } from "./shown-in-part.ts";
import {
  changedItems,
  changedPart,
  decidedTogether,
  isNotIn,
  isTakenApart,
  shapeWithin,
} from "./taken-apart.ts";
import { isPartOf, listOf } from "./unhidden.ts";

/**
 * A copy of the server's with what it shows of the record, kept in `meta`, for that is no content. Where none is kept, the server shows
 * all, or does not say.
 */
export function showing(record: JsonObject, shows: readonly string[]): JsonObject {
  return { ...record, meta: { ...(isJsonObject(record.meta) && record.meta), shows } };
}

/** What a copy shows of its record, by name, where the server said that it is not all. */
export function shownBy(copy: JsonObject | null): readonly string[] | undefined {
  const shows = isJsonObject(copy?.meta) ? copy.meta.shows : undefined;
  return Array.isArray(shows) ? shows.filter((name) => typeof name === "string") : undefined;
}

function sightOf(copy: JsonObject | null): Sight | null {
  const shows = shownBy(copy);
  return shows ? sightFrom(shows) : null;
}

/** Whether this is a copy of the server's that shows all of the record but for extensions, as far as the server says, with its version. */
export function isWhole(copy: JsonObject | null): boolean {
  const { fields = "all" } = sightOf(copy) ?? {};
  return tellsVersion(copy) && fields === "all";
}

/**
 * A copy of a record that a server lost, with who that is, kept in `meta`: of one that is shown in part, or not at all any more, nothing else
 * says so, and its numbers are given to others.
 */
export function remembering(lost: JsonObject, who: JsonObject): JsonObject {
  return { ...lost, meta: { ...(isJsonObject(lost.meta) && lost.meta), who } };
}

/** Who a record is that a server lost. */
export function whoWas(typed: JsonObject, lost: JsonObject): JsonObject {
  const who = isJsonObject(lost.meta) && isJsonObject(lost.meta.who) ? lost.meta.who : null;
  const known = Object.entries({ ...typed, ...lost });
  return who
    ? { ...Object.fromEntries(known.filter(([member]) => !whoIs.includes(member))), ...who }
    : Object.fromEntries(known);
}

/**
 * Whether a record is the one that a server lost: as that was, or as it was corrected here since, for others may have read that. A number that
 * it has no more may be somebody else's all the more: then it has to be the same person beyond doubt.
 */
export function isBack(typed: JsonObject, entry: Lost, theirs: JsonObject): boolean {
  const was = whoWas(typed, entry.lost ?? {});
  const corrected = applyMergePatch(was, whoIn(typed)) as JsonObject;
  const called = everCalled(typed, entry);
  if (hidesWho(corrected, theirs) && !isMadeFor(called, theirs)) return false;
  const isSure =
    sameRecord(corrected, theirs) || isMadeFor(called, theirs) || identifiersOf(theirs).length === 0;
  return [was, corrected].some(
    (who) => isGivenBack({ ...who, ...called }, theirs) && (isSure || isSamePerson(who, theirs)),
  );
}

/** Whether a copy hides all that could tell its person from who has the number: should that be shown again, the two are compared. */
function hidesWho(who: JsonObject, theirs: JsonObject): boolean {
  const sight = sightOf(theirs);
  const told = Object.fromEntries(Object.entries(who).filter(([member]) => whoIs.includes(member)));
  const isSaid = Object.keys(told).some((member) => theirs[member] !== undefined);
  return sight !== null && !isSaid && hiddenMembers(told, sight).length > 0;
}

/** All identifiers that a record had which a server lost: before that, as it was corrected here one time after the other, and as typed. */
export function everCalled(typed: JsonObject, { lost, edits }: Lost): JsonObject {
  const copies = [whoWas(typed, lost ?? {}), typed, ...edits.map(({ patch }) => patch)];
  return { identifier: copies.flatMap(identifiersOf).map((identifier) => ({ ...identifier })) };
}

type Lost = Pick<OutboxEntry, "lost" | "edits">;

/** A record as it is handed out: without the note of what is shown of it. */
export function withoutNote(record: JsonObject): JsonObject {
  if (!isJsonObject(record.meta) || !(record.meta.shows || record.meta.who)) return record;
  const { shows: _, who: _who, ...meta } = record.meta;
  const { meta: __, ...rest } = record;
  return Object.keys(meta).length > 0 ? { ...rest, meta } : rest;
}

/** What a copy shows, where it was completed with what it hides of a record's work. */
export function seenPart(copy: JsonObject): JsonObject {
  const sight = sightOf(copy);
  const { meta, ...content } = copy;
  return sight && meta !== undefined ? { ...visiblePart(content, sight), meta } : copy;
}

/** Whether a copy tells its version, and hides nothing of what these changes say. */
export function showsAll(
  copy: JsonObject,
  changes: readonly { readonly before: JsonObject | null; readonly after: JsonObject }[],
): boolean {
  const sight = sightOf(copy);
  const isShown = (record: JsonObject) => !sight || hiddenMembers(record, sight).length === 0;
  return tellsVersion(copy) && changes.every(({ before, after }) => isShown({ ...before, ...after }));
}

/** Whether work says something of what the copy that it stands on hides: whatever is there was never shown here, or not lately. */
export function isUponHidden(base: JsonObject, local: JsonObject): boolean {
  const sight = sightOf(base);
  if (!sight) return false;
  const [from, to] = [contentOf(base), contentOf(local)];
  // As it is sent: each extension is taken away by its name.
  const extension = from.extension && { extension: {} };
  return hiddenMembers(diffMergePatch(from, { ...extension, ...to }), sight).length > 0;
}

/** What is to replace a copy, without what that hides and the work leaves as it was: it is not this device's to say. */
export function withoutHidden(
  base: JsonObject,
  { from, to }: { readonly from: JsonObject; readonly to: JsonObject },
): JsonObject {
  const sight = sightOf(base);
  if (!sight) return to;
  const isLeft = ([member, value]: readonly [string, Json]) =>
    sameJson(from[member], value) && hiddenMembers({ [member]: value }, sight).length > 0;
  return Object.fromEntries(Object.entries(to).filter((each) => !isLeft(each)));
}

/**
 * A copy with what it hides of what the work has changed, as that was when it was changed: that the copy lacks it does not say that anybody
 * took it out. What was not changed goes, for it is hidden from now on. Where the server does not say what it shows, this is so of what was
 * taken out here; what was changed else differs from a copy that lacks it.
 */
export function completed(
  type: ResourceType,
  theirs: JsonObject,
  { base, local }: Omit<Copies, "theirs">,
): JsonObject {
  const told = sightOf(theirs);
  const sight = base && (told ?? sightIn(theirs, base));
  if (!sight) return theirs;
  const shape = resourceShapes[type];
  const together = told ? decidedTogether(shape, [base, local]) : [];
  const changed = Object.entries(contentOf(base)).flatMap(([member, value]) => {
    const left = local[member];
    const part = told
      ? changedPart(value, left, shapeWithin(shape, member))
      : takenOut(value, left, theirs[member]);
    const whole = together.includes(member) ? value : part;
    return whole === undefined ? [] : [[member, whole] as const];
  });
  const seen = withChangedItems(theirs, { base, local }, { sight, isTold: told !== null });
  return { ...emptied(seen, changed, sight), ...withHidden(seen, Object.fromEntries(changed), sight) };
}

/** Objects to which something was added only, where a copy hides all of them: nobody took them away. */
function emptied(
  seen: JsonObject,
  changed: readonly (readonly [member: string, value: Json])[],
  sight: Sight,
): JsonObject {
  const isEmpty = ([member, value]: readonly [string, Json]) =>
    sameJson(value, {}) && hiddenMembers({ [member]: value }, sight).length > 0;
  return Object.fromEntries(changed.filter((each) => isEmpty(each) && seen[each[0]] === undefined));
}

/** What was only taken out of a value: all of it, or of a list some of its items, or of an object that a copy shows in part some of its members. */
function takenOut(value: Json, left: Json | undefined, there: Json | undefined): Json | undefined {
  if (left === undefined) return value;
  if (Array.isArray(left))
    return left.some(isNotIn(listOf(value))) ? undefined : changedItems(listOf(value), left);
  if (!isJsonObject(left) || !isJsonObject(value) || !isJsonObject(there)) return undefined;
  const names = Object.entries(value).filter(([name]) => left[name] === undefined);
  return names.length > 0 ? Object.fromEntries(names) : undefined;
}

/**
 * A copy as work stands on it, completed. Of one whose server does not say what it shows, a member that is not there and was changed here may be
 * hidden, for a consent was narrowed: what others have there is met before it is replaced, whatever the copy's version is.
 */
export function standingOn(
  type: ResourceType,
  theirs: JsonObject,
  { base, local }: Omit<Copies, "theirs">,
): JsonObject {
  const stands = completed(type, theirs, { base, local });
  if (sightOf(theirs)) return stands;
  const isHidden = (member: string) =>
    stands[member] === undefined &&
    local[member] !== undefined &&
    member !== "meta" &&
    !sameJson(base?.[member], local[member]);
  return Object.keys(base ?? {}).some(isHidden) ? unversioned(stands) : stands;
}

/** Members that stay beside a copy which hides them: what was typed here, where it is as it was, and what is decided on with a change made here. */
export function keptBeside(
  type: ResourceType,
  { base, local, asked = [] }: Pick<Copies, "base" | "local" | "asked">,
): readonly string[] {
  const changed = asked.length > 0 ? placesApart(type, local, base ?? {}) : [];
  const isChanged = (place: string) => changed.some((one) => isWithin(place, one) || isWithin(one, place));
  return [
    ...decidedTogether(resourceShapes[type], [base ?? {}, local]),
    ...asked.flatMap((place) =>
      isChanged(place) ? [] : (place.split("/")[1]?.replace(/^member:/, "") ?? []),
    ),
  ];
}

/**
 * Copies of a record without what another one does not show of it, and what they all say alike: of an object its members, of a list its items,
 * and of these the parts that it hides.
 *
 * @param how.mayGo whether a member may
 */
export function narrowedBeside(
  theirs: JsonObject,
  copies: readonly JsonObject[],
  { type, mayGo }: { readonly type: ResourceType; readonly mayGo: (member: string) => boolean },
): readonly JsonObject[] {
  return narrowed(theirs, copies, { shape: resourceShapes[type], mayGo });
}

/** The same of an object, be it a record or in one. */
function narrowed(
  theirs: JsonObject,
  copies: readonly JsonObject[],
  { shape, mayGo }: { readonly shape: Shape | undefined; readonly mayGo: (member: string) => boolean },
): readonly JsonObject[] {
  const sight = sightOf(theirs);
  const names = [...new Set(copies.flatMap((copy) => Object.keys(copy)))].filter(
    (name) => name !== "meta" && mayGo(name),
  );
  return names.reduce<readonly JsonObject[]>((each, name) => {
    const values = each.map((copy) => copy[name]);
    const seen = (item: Json) =>
      sight ? listOf(visiblePart({ [name]: [item] }, sight)[name]) : [partIn(theirs[name], item)];
    const left = withoutAlike(values, theirs[name], { seen, shape: shapeWithin(shape, name) });
    return each.map((copy, i) => {
      const { [name]: _, ...rest } = copy;
      const value = left[i];
      return value === undefined ? rest : { ...copy, [name]: value };
    });
  }, copies);
}

/** Of a server that does not say what it shows: an item as the other list has it, where that is a part of it; else as it is. */
function partIn(list: Json | undefined, item: Json): Json {
  const isPart = (other: Json) =>
    isJsonObject(other) && Object.keys(other).length > 0 && isPartOf(other, item);
  return listOf(list).find(isPart) ?? item;
}

/**
 * Values of one member without what they say alike and another one does not. One of which nothing is left beside others stays, empty.
 *
 * @param how.seen what is shown of an item of a list, where the other value has items too
 */
function withoutAlike(
  values: readonly (Json | undefined)[],
  theirs: Json | undefined,
  { seen, shape }: { readonly seen: (item: Json) => readonly Json[]; readonly shape: Shape | undefined },
): readonly (Json | undefined)[] {
  const [first] = values;
  if (theirs === undefined && values.every((value) => sameJson(value, first)))
    return values.map(() => undefined);
  if (values.every(isJsonObject) && (theirs === undefined || isJsonObject(theirs))) {
    const together = decidedTogether(shape, values);
    const isSame = values.every((value) => sameJson(value, first));
    const mayGo = (member: string) => isSame || (isTakenApart(shape) && !together.includes(member));
    return narrowed(theirs ?? {}, values, { shape, mayGo });
  }
  if (!values.every(Array.isArray) || shape?.kind !== "keyed") return values;
  const isInAll = (item: Json) => values.every((value) => value.some((one: Json) => sameJson(one, item)));
  const left = (item: Json) => (theirs === undefined ? [] : seen(item));
  return values.map((value) => value.flatMap((item: Json) => (isInAll(item) ? left(item) : [item])));
}
