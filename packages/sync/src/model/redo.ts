import {
  applyMergePatch,
  type Conflict,
  contentOf,
  diffMergePatch,
  identifiersOf,
  isJsonObject,
  type Json,
  type JsonObject,
  merge,
  partShapes,
  type ResourceType,
  resolveConflicts,
  resourceShapes,
  type Shape,
  sameJson,
} from "@fieldroll/core";
import { isMadeFor, under, versionOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import { listOf } from "./unhidden.ts";

/** What a request did. */
export interface Done {
  /** The members that it changed as they were; `null` where it made the record. */
  readonly before: JsonObject | null;
  /** The members that it changed as it left them. */
  readonly after: JsonObject;
}

/**
 * What made a record here, as a change of the one that came in its place: that may have been registered from nothing, so both began with
 * what they have in common. Of one that an identifier made for it shows to be the record itself, that it is there says it all.
 */
export function madeUpon<T extends Done>(type: ResourceType, made: T, theirs: JsonObject): readonly T[] {
  if (identifiersOf(theirs).length === 0 || isMadeFor(made.after, theirs)) return [];
  const without = (after: JsonObject) => takenBack(type, contentOf(theirs), [{ before: {}, after }]);
  return [{ ...made, before: without(without(made.after)) }];
}

/**
 * What unsent work of a record that a server had lost is merged from, once another one has come in its place. Who gave that back may have known it
 * as it was between two changes that were accepted from here.
 */
export function lostUnder({ type, edits }: OutboxEntry, lost: JsonObject, theirs: JsonObject): JsonObject {
  const made = edits.filter(({ patch }) => patch.type !== undefined);
  const base = takenBack(
    type,
    lost,
    made.flatMap(({ patch }) => madeUpon(type, { before: null, after: patch }, theirs)),
  );
  const there = under(base, theirs);
  let stage = base;
  return edits.reduce((before, { again, patch }) => {
    if (!again || patch.type !== undefined) return before;
    stage = applyMergePatch(stage, patch) as JsonObject;
    return whereThere(type, { before, stage }, there);
  }, base);
}

/** A record without what these requests changed in it, as far as nobody has changed the same since. */
export function takenBack(type: ResourceType, record: JsonObject, accepted: readonly Done[]): JsonObject {
  return accepted.reduceRight((ours, each) => turned(type, ours, each, ["after", "before"]), record);
}

/**
 * What a device's copy was before what a restored server has lost of these requests, part by part: where the server has what the copy
 * says, or said after any of them, it is that; what neither explains counts as it was before all of them.
 */
export function beforeLoss(
  type: ResourceType,
  held: JsonObject,
  { accepted, theirs }: { readonly accepted: readonly Done[]; readonly theirs: JsonObject },
): JsonObject {
  const stages = [held];
  for (const each of [...accepted].reverse()) stages.push(takenBack(type, stages.at(-1) ?? held, [each]));
  const before = stages.reduceRight((before, stage) => whereThere(type, { before, stage }, theirs));
  const known = { ...before, ...withTakenOut(type, before, { stages, theirs }) };
  return { ...known, ...withPlaceTaken(type, known, { held, theirs }) };
}

/**
 * The server's identifiers, where all of them were taken out here and none is there that others put in their place since: a record has at least
 * one, so that those known last come in their place.
 */
function withPlaceTaken(
  type: ResourceType,
  before: JsonObject,
  { held, theirs }: { readonly held: JsonObject; readonly theirs: JsonObject },
): JsonObject {
  const isNone = (record: JsonObject) => identifiersOf(record).length === 0;
  const { merged } = merge({ base: before, ours: held, theirs, shape: partShapes[type] });
  const { identifier } = theirs;
  return identifier === undefined || !isNone(merged) || isNone(held) ? {} : { identifier };
}

/**
 * Lists with what these requests had put into them and taken out again, as it was when it was put there: where the server has it otherwise, it may be
 * there from here, and was taken out all the same. Else it would count as somebody else's.
 */
function withTakenOut(
  type: ResourceType,
  before: JsonObject,
  { stages: [held = {}, ...earlier], theirs }: { readonly stages: JsonObject[]; readonly theirs: JsonObject },
): JsonObject {
  const shape = partShapes[type];
  const lists = Object.entries(shape.kind === "object" ? shape.members : {}).flatMap(([name, items]) => {
    if (items.kind !== "keyed") return [];
    const itemsOf = (copies: readonly JsonObject[]) =>
      new Map(copies.flatMap((copy) => listOf(copy[name])).map((item) => [items.identity(item), item]));
    const [known, there] = [itemsOf([before, held]), itemsOf([theirs])];
    const out = [...itemsOf(earlier)].filter(([id]) => there.has(id) && !known.has(id));
    return out.length > 0 ? [[name, [...listOf(before[name]), ...out.map(([, item]) => item)]] as const] : [];
  });
  return Object.fromEntries(lists);
}

/**
 * What unsent work stands on where it comes to what was there before what is lost: it was changed since all the same, so that something
 * else on the server is no news to be taken in its place.
 */
export function changedSince(
  type: ResourceType,
  before: JsonObject,
  { held, shown }: { readonly held: JsonObject; readonly shown: JsonObject },
): JsonObject {
  return merge({ base: shown, ours: before, theirs: held, shape: partShapes[type] }).merged;
}

/** The parts of `stage` that `theirs` has as well; of what the two say otherwise, `before`. */
function whereThere(
  type: ResourceType,
  { before, stage }: { readonly before: JsonObject; readonly stage: JsonObject },
  theirs: JsonObject,
): JsonObject {
  const shape = partShapes[type];
  const request = { base: stage, ours: before, theirs, shape };
  const { conflicts } = merge(request);
  const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "theirs" as const]));
  const { merged } = resolveConflicts(request, choices);
  return merge({ base: merged, ours: theirs, theirs: before, shape }).merged;
}

/**
 * What a change does of which a copy shows as much already, as a change of its own: a number that was taken out is not there, and a name that was
 * corrected with it is as it was.
 *
 * @returns the members as that leaves them; `null` where the copy shows nothing of the change
 */
export function partThere(type: ResourceType, done: Done, there: JsonObject): JsonObject | null {
  const { before, after } = done;
  const [was, is] = [overlaid(there, done, "before"), overlaid(there, done, "after")];
  const part = whereThere(type, { before: was, stage: is }, there);
  const shown = withoutHalf(part, { before: was, after: is }, there);
  const members = Object.keys({ ...before, ...after });
  if (members.every((name) => sameJson(shown[name], was[name]))) return null;
  return Object.fromEntries(Object.entries(shown).filter(([name]) => members.includes(name)));
}

/** Those of these requests of which a copy lacks something that another one has. */
export function missingIn<T extends Done>(
  type: ResourceType,
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  accepted: readonly T[],
): readonly T[] {
  let copy = before;
  return accepted.filter((each) => {
    const isOfThat = ({ before: former, after: later }: Done) =>
      Object.keys({ ...former, ...later }).some((name) => !sameJson(before[name], after[name]));
    const next = isOfThat(each) ? withMissing(type, copy, [each]) : copy;
    const lacks = !sameJson(next, copy);
    copy = next;
    return lacks;
  });
}

/**
 * What lost changes are merged from, with the numbers in whose place a lost one was put: those that a copy has by now and this device has had
 * before, and those that these requests took out, where the copy has one instead that the device never knew. That may be a later correction, or one
 * from before, so that the two are asked about.
 */
export function withCorrected(
  before: JsonObject,
  missing: readonly Done[],
  {
    seen,
    accepted,
    theirs,
  }: { readonly seen: JsonObject | null; readonly accepted: readonly Done[]; readonly theirs: JsonObject },
): JsonObject {
  const there = identifiersOf(theirs);
  const now = identifiersOf(
    seen ?? [...accepted].reverse().find(({ after }) => after.identifier)?.after ?? {},
  );
  const known = [
    ...now,
    ...accepted.flatMap((each) => [each.before ?? {}, each.after]).flatMap(identifiersOf),
  ];
  const isKnown = (one: Numbered) => !isNoneOf(known)(one);
  const former = there.filter(isNoneOf(now)).filter(isKnown);
  const corrected = missing.flatMap((each) => {
    const [was, is] = [identifiersOf(each.before ?? {}), identifiersOf(each.after)];
    const lost = is.filter(isNoneOf([...was, ...there]));
    const isOfLost = ({ system }: Numbered) => lost.some((one) => one.system === system);
    const isOther = ({ system }: Numbered) => there.some((one) => one.system === system && !isKnown(one));
    return [...former, ...was.filter(isNoneOf([...is, ...there])).filter(isOther)].filter(isOfLost);
  });
  const added = corrected.filter(isNoneOf(identifiersOf(before)));
  const once = added.filter((one, i) => isNoneOf(added.slice(0, i))(one));
  return once.length === 0 ? before : { ...before, identifier: [...listOf(before.identifier), ...once] };
}

type Numbered = ReturnType<typeof identifiersOf>[number];

function isNoneOf(others: readonly Numbered[]) {
  return (one: Numbered) => !others.some(({ system, value }) => system === one.system && value === one.value);
}

/** Those of these requests that a copy undoes: it says what they found, unless a later one of them made it say so. */
export function undoneIn<T extends Done>(
  type: ResourceType,
  theirs: JsonObject,
  accepted: readonly T[],
): readonly T[] {
  return accepted.filter((each, i) => {
    const since = accepted.slice(i + 1);
    const done = withMissing(type, theirs, [each]);
    return !sameJson(withMissing(type, done, since), withMissing(type, theirs, since));
  });
}

/** A record with what these requests changed, as far as it says there what they found. */
export function withMissing(type: ResourceType, record: JsonObject, accepted: readonly Done[]): JsonObject {
  return accepted.reduce((ours, each) => turned(type, ours, each, ["before", "after"]), record);
}

/**
 * A record that consents show in part with what these requests made of the rest, and no more: of lists their own items, of other members
 * the parts that they changed, for what others wrote beside them is hidden.
 */
export function withOwn(type: ResourceType, record: JsonObject, accepted: readonly Done[]): JsonObject {
  const own = accepted.reduce<Json>(
    (made, { before, after }) => applyMergePatch(made, withoutLists(diffMergePatch(before ?? {}, after))),
    {},
  );
  return applyMergePatch(own, withMissing(type, record, accepted)) as JsonObject;
}

/** What these requests found where they changed something, as far as another copy does not say what is there; but for lists. */
export function withFound(record: JsonObject, accepted: readonly Done[]): JsonObject {
  const found = accepted.reduceRight<Json>(
    (made, { before, after }) => applyMergePatch(made, withoutLists(diffMergePatch(after, before ?? {}))),
    {},
  );
  return applyMergePatch(found, record) as JsonObject;
}

export function withoutLists(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => !Array.isArray(value)));
}

function turned(
  type: ResourceType,
  ours: JsonObject,
  done: Done,
  [from, to]: readonly ["before" | "after", "before" | "after"],
): JsonObject {
  const [base, theirs] = [overlaid(ours, done, from), overlaid(ours, done, to)];
  const request = { base, ours, theirs, shape: partShapes[type] };
  const { merged, conflicts } = merge(request);
  const made = to === "before" ? conflicts.filter(isMade) : [];
  if (made.length === 0) return merged;
  return resolveConflicts(request, Object.fromEntries(made.map((each) => [each.path, { value: each.base }])))
    .merged;
}

/** Whether it was made by what is taken back, and others changed it since: that it is there is not theirs, so that it stays as it was made. */
function isMade({ base, ours, theirs }: Conflict): boolean {
  return theirs === undefined && isJsonObject(base) && isJsonObject(ours);
}

/**
 * What unsent work is merged from, once a copy came that may have what requests said that were given up: the copy before them, with those of their
 * changes that are there. Some of them others may have changed again; these count as not made, and are for a person to decide.
 */
export function arrivedUpon(
  type: ResourceType,
  base: JsonObject,
  { sent, theirs }: { readonly sent: readonly JsonObject[]; readonly theirs: JsonObject },
): JsonObject {
  return sent.reduce((before, each) => withArrivals(type, before, { sent: each, theirs }), base);
}

function withArrivals(
  type: ResourceType,
  base: JsonObject,
  { sent, theirs }: { readonly sent: JsonObject; readonly theirs: JsonObject },
): JsonObject {
  const change = { before: contentOf(base), after: contentOf(sent) };
  const without = takenBack(type, contentOf(theirs), [change]);
  const parts = { base: without, ours: change.before, theirs: contentOf(theirs) };
  const arrived = under(base, merge({ ...parts, shape: partShapes[type] }).merged);
  return withoutHalf(arrived, change, theirs);
}

/** A record with a number again that a correction took out, where a copy has in its place what neither side of that knows: it is not this one that is there. */
function withoutHalf(record: JsonObject, change: Done, theirs: JsonObject): JsonObject {
  return withCorrected(record, [change], { seen: null, accepted: [change], theirs });
}

/** A record with what these requests changed, whatever it says in those places: another number than theirs does not stay beside it. */
export function doneAgain(type: ResourceType, record: JsonObject, accepted: readonly Done[]): JsonObject {
  return accepted.reduce((theirs, each) => {
    const [base, ours] = [overlaid(theirs, each, "before"), overlaid(theirs, each, "after")];
    return merge({ base, ours, theirs, shape: withNumbers(partShapes[type], type) }).merged;
  }, record);
}

/** A shape of parts by which two numbers of one system, each in the place of the same, are in conflict all the same. */
function withNumbers(shape: Shape, type: ResourceType): Shape {
  const whole = resourceShapes[type];
  const identifier = whole.kind === "object" ? whole.members.identifier : undefined;
  return shape.kind === "object" && identifier
    ? { ...shape, members: { ...shape.members, identifier } }
    : shape;
}

/**
 * A record of which nothing but these requests is known; `null` where none of them made it. Its identifiers are those that the last one left: others may
 * have corrected them between two.
 */
export function madeOf(type: ResourceType, accepted: readonly Done[]): JsonObject | null {
  if (accepted.every(({ before }) => before !== null)) return null;
  const { identifier } =
    [...accepted].reverse().find(({ after }) => after.identifier !== undefined)?.after ?? {};
  return { ...doneAgain(type, {}, accepted), ...(identifier !== undefined && { identifier }) };
}

/**
 * A record as unsent work stands on it and shows it, with what was accepted from here after that copy: work that comes from another
 * device knows nothing of it, and must not count as having taken it back. A copy without a version may have it, or not: its content
 * tells.
 *
 * @param accepted `accepted`: by the state of the server's data that counts the copy's version. `isThere`: whether the server has what one
 *   did. Where that is in conflict with the work, the copy stays as it was: nobody has decided between the two
 */
export function caughtUp<T extends Done & { readonly versionId: number }>(
  type: ResourceType,
  copies: { readonly held: JsonObject; readonly shown: JsonObject },
  { accepted, isThere }: { readonly accepted: readonly T[]; readonly isThere: (request: T) => boolean },
): { readonly held: JsonObject; readonly shown: JsonObject } {
  const { held, shown } = copies;
  const version = versionOf(held);
  const again = version === 0 ? withMissing : doneAgain;
  const later = accepted.filter(({ versionId }) => version === 0 || versionId > version);
  // What they come to is compared, not each: what one did and a later one took back says nothing of work that does it once more.
  const first = { held, merged: shown, conflicts: [] as readonly Conflict[] };
  const caught = later.reduce((now, each) => {
    const next = again(type, now.held, [each]);
    const met = merge({ base: held, ours: shown, theirs: next, shape: resourceShapes[type] });
    const isNew = met.conflicts.some((conflict) => !now.conflicts.some((known) => isSame(known, conflict)));
    return isNew && isThere(each) ? now : { held: next, ...met };
  }, first);
  return { held: caught.held, shown: caught.merged };
}

function isSame(a: Conflict, b: Conflict): boolean {
  return a.path === b.path && sameJson(a.theirs, b.theirs);
}

export function overlaid(record: JsonObject, { before, after }: Done, side: "before" | "after"): JsonObject {
  const members = side === "after" ? after : (before ?? {});
  const gone = Object.keys({ ...before, ...after }).filter((name) => !(name in members));
  return {
    ...Object.fromEntries(Object.entries(record).filter(([name]) => !gone.includes(name))),
    ...members,
  };
}
