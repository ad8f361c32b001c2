import {
  applyMergePatch,
  type Json,
  type JsonObject,
  merge,
  type ResourceType,
  resourceShapes,
  sameJson,
} from "@fieldroll/core";
import { type AbsorbOptions, absorb, askedIfArchived } from "./absorb.ts";
import { type Accepted, changesLostIn, editsAgain, isUnversioned, unversioned } from "./accepted.ts";
import { under, versionOf, withKnownPhoto } from "./content.ts";
import { newEntry } from "./edits.ts";
import type { Edit, OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { isUponHidden, showsAll } from "./hidden.ts";
import type { Incoming } from "./incoming.ts";
import { entryMeaning } from "./meaning.ts";
import { mootPart } from "./moot.ts";
import { rebaseEntry } from "./rebase.ts";
import {
  beforeLoss,
  caughtUp,
  changedSince,
  type Done,
  doneAgain,
  missingIn,
  takenBack,
  undoneIn,
  withCorrected,
  withMissing,
  withoutLists,
} from "./redo.ts";
import type { Settled } from "./settled.ts";
import { askedAbout, parkUndone } from "./undone.ts";

/** A record as this device has it when it reads a server's data anew, with what that once accepted of it from here. */
export interface Known {
  readonly type: ResourceType;
  readonly key: string;
  readonly entry: OutboxEntry | null;
  /** As it is shown; `null` where the device let go of it. */
  readonly local: JsonObject | null;
  readonly accepted: readonly Accepted[];
  /** Whether the device had forgotten it when it read what the server has now: then all that it shows is from there. */
  readonly isForgotten?: boolean;
  /** Who it is, where what it shows is narrowed. */
  readonly who?: JsonObject;
  /** Edits made since, of which nothing is kept yet: what this state of the data has just accepted, and what is still unsent. */
  readonly since?: readonly Edit[];
}

/** What is there now, and whether with a photo, where that is told. */
type Copy = Pick<Incoming & { readonly kind: "upsert" }, "record" | "photo">;

/** UTC instant, and the epoch of the server's data as it is now. */
export type Anew = Required<Pick<AbsorbOptions, "at" | "epoch">>;

/**
 * Gives a server that was restored what it had accepted from here and lost of a record that it has: a three-way merge between the
 * record as this device knew it without what is missing there, with it, and as it is there now. What is there already is not sent
 * again, and what others changed in the same places is for a person to decide. While consents show the record in part only, there is
 * nothing to merge with: it waits until they show it.
 *
 * @param changes what another state of the data than this one accepted
 * @param copy from a feed
 * @returns `null` where that is nothing, or it has to wait
 */
export function giveAgain(
  known: Known,
  copy: Copy,
  { at, epoch }: Anew,
  changes = changesLostIn(known.accepted, epoch),
): Settled | null {
  const { type, entry, accepted } = known;
  const { record: theirs } = copy;
  if (changes.length === 0 || !showsAll(theirs, changes) || isBefore(known, epoch)) return null;
  const done = doneAgain(type, theirs, [...changes, ...typedSince(known, changes, epoch)]);
  const seen = seenHere(known, { done, changes });
  const isIn = (server: JsonObject) => (change: Accepted) =>
    sameJson(doneAgain(type, server, [change]), server);
  const isThere = isIn(theirs);
  const { held, shown } = entry ? caughtUp(type, seen, { accepted: changes, isThere }) : seen;
  const there = shown.photo === held.photo ? withPhotoBefore(copy, changes) : withKnownPhoto(copy, held);
  const before = beforeLoss(type, held, { accepted: changes, theirs: under(held, there) });
  const missing = missingIn(type, { before, after: held }, changes).filter((each) => !isIn(there)(each));
  const from = entry ? changedSince(type, before, { held, shown }) : before;
  const base = unversioned(withCorrected(from, missing, { seen: copyOf(known, changes), accepted, theirs }));
  const unsent = entry?.edits ?? [];
  const next = {
    ...(entry ?? entryMeaning(known, held)),
    base,
    edits: photosMarked(editsAgain(missing, unsent), missing),
  };
  const record = withKnownPhoto(copy, base);
  const isTakenBack = missing.some((each) => takesBack(type, madeSince(known, each, epoch), { there, each }));
  const isOlder = versionOf(entry?.base ?? null) > versionOf(theirs);
  const undoing = { missing, held, seen: copyOf(known, changes), theirs: record, isTakenBack, at };
  const { accepted: unsentDone, ...settled } =
    (entry && askedIfArchived(next, shown, { theirs, at })) ??
    askedIfUndoneBefore(undoing, next, shown) ??
    absorb(next, shown, { kind: "upsert", record }, { at, epoch, restarting: true, isOlder });
  const ids = new Set(unsent.map(({ id }) => id));
  const again = new Set(missing.map(({ edit }) => edit));
  const isLost = (each: Accepted) =>
    each.before !== null && each.epoch !== epoch && each.versionId > versionOf(theirs);
  const kept = accepted.flatMap((each): readonly Accepted[] => {
    if (settled.entry && again.has(each.edit))
      return isLost(each) ? mootPart(type, { ...each, epoch }, there) : [];
    return [{ ...each, epoch, ...(isLost(each) && isIn(there)(each) && { isMoot: true }) }];
  });
  return {
    ...settled,
    ended: settled.ended.filter(({ edit }) => ids.has(edit.id)),
    kept: unsentDone?.isMoot ? [...kept, unsentDone] : kept,
  };
}

/** Whether unsent work has to meet what is there first: what was typed where nothing was shown, or is under way to this state of the data. */
function isBefore({ entry, local }: Known, epoch: string): boolean {
  if (!entry) return false;
  return !entry.base || entry.request?.epoch === epoch || isUponHidden(entry.base, local ?? {});
}

/**
 * News that undo what was accepted from here, and what a restored server had lost together with that which it changed: who made that gives
 * it back, without knowing of this. Somebody may also mean it, so that it waits for a person; beside what is unsent, by its places alone.
 *
 * @param known before the news came
 * @returns the same where nothing is undone so
 */
export function askedIfBack(known: Known, settled: Settled, at: string): Settled {
  const { type, accepted, local: before } = known;
  const { entry, local } = settled;
  const theirs = entry ? (entry.parked?.theirs ?? entry.base) : local;
  const moot = accepted.filter(({ isMoot }) => isMoot);
  const isElsewhere = entry?.request || (entry?.parked?.reason ?? "conflict") !== "conflict";
  if (!local || !theirs || isElsewhere || moot.length === 0 || !showsAll(theirs, moot)) return settled;
  // Who has typed it anew since wants it there.
  const isMeant = (each: Accepted) =>
    !known.entry || !before || sameJson(withMissing(type, before, [each]), before);
  const undone = undoneIn(type, theirs, accepted).filter((each) => each.isMoot && isMeant(each));
  if (undone.length === 0) return settled;
  const base = takenBack(type, entry?.base ?? theirs, undone);
  const again = {
    ...(entry ?? newEntry(known, theirs)),
    base,
    edits: editsAgain(undone, entry?.edits ?? []),
  };
  const copies = { local: withMissing(type, local, undone), theirs };
  const doubted = entry?.parked?.isUndone ? copies.local : withMissing(type, base, undone);
  const asked = entry ? rebaseEntry(askedAbout(again, doubted), copies, at) : parkUndone(again, copies, at);
  const ids = undone.map(({ edit }) => edit.id);
  const kept = (settled.kept ?? accepted).filter(({ edit, isMoot }) => !isMoot || !ids.includes(edit.id));
  return asked ? { ...settled, ...asked, ended: [...settled.ended, ...asked.ended], kept } : settled;
}

/**
 * A record whose request has arrived, and of which news came while that was under way: then it could not be compared with what a
 * restored server had accepted before.
 */
export function afterNews(
  settled: Settled,
  { accepted, ...name }: Pick<Known, "type" | "key" | "accepted">,
  { at, epoch }: Pick<AbsorbOptions, "at"> & { readonly epoch?: string | null | undefined },
): Settled {
  const { entry, local } = settled;
  if (!settled.accepted || !local || !epoch) return settled;
  const since = [...settled.ended.map(({ edit }) => edit), ...(entry?.edits ?? [])];
  // What is unsent stands on the answer by now, which is shown where nothing is: it says nothing of what this device had.
  const known = { ...name, entry, local: entry && local, accepted, isForgotten: true, since };
  const again = giveAgain(known, { record: entry?.base ?? local }, { at, epoch });
  return again ? { ...settled, ...again, ended: [...settled.ended, ...again.ended] } : settled;
}

/** Edits that this device made after a change which another state of the data had accepted. */
function madeSince(known: Known, change: Accepted, epoch: string): readonly Edit[] {
  return editsAgain(acceptedSince(known, change, epoch), known.since ?? []);
}

function acceptedSince({ accepted }: Known, { at }: Accepted, epoch: string): readonly Accepted[] {
  return accepted.filter((each) => each.epoch === epoch && Date.parse(each.at) > Date.parse(at));
}

/**
 * What was typed after changes that another state of the data had accepted, and has arrived: that is what this device had last. Of a list it says
 * nothing, which may have been shown in part.
 */
function typedSince(known: Known, changes: readonly Accepted[], epoch: string): readonly Done[] {
  const later = changes.slice(-1).flatMap((last) => acceptedSince(known, last, epoch));
  return later.map(({ before, after }) => ({
    before: withoutLists(before ?? {}),
    after: withoutLists(after),
  }));
}

/** Whether edits leave nothing of a change. Of a list they say what is in it, be it that the rest was taken out or hidden. */
function takesBack(
  type: ResourceType,
  since: readonly Edit[],
  { there, each }: { readonly there: JsonObject; readonly each: Accepted },
): boolean {
  const made = doneAgain(type, there, [each]);
  const edited = since.reduce<Json>(
    (record, { patch }) => applyMergePatch(record, patch),
    made,
  ) as JsonObject;
  return !sameJson(doneAgain(type, edited, [each]), edited);
}

/** The server's copy, with the photo that these changes took out in the end: that there is one is told, and a look shows which. */
function withPhotoBefore({ record, photo }: Copy, changes: readonly Accepted[]): JsonObject {
  if (!photo || record.photo !== undefined) return record;
  const { before, after } =
    changes.filter((each) => (each.before?.photo ?? each.after.photo) !== undefined).at(-1) ?? {};
  return before?.photo === undefined || after?.photo !== undefined
    ? record
    : { ...record, photo: before.photo };
}

/** No feed tells whether it is this photo that is missing: a look does, and whether it may have been taken out since. */
function photosMarked(edits: readonly Edit[], missing: readonly Accepted[]): readonly Edit[] {
  return edits.map((edit) => {
    const photo = missing.find((each) => each.edit.id === edit.id && each.after.photo !== undefined);
    return photo ? { ...edit, hadPhoto: photo.versionId } : edit;
  });
}

/**
 * A change that is missing in a copy whose version the device has not seen: the server may have had it when the backup was made, and
 * somebody taken it back before. Then it waits for a person; `null` where nothing speaks for that.
 */
function askedIfUndoneBefore(
  { missing, held, seen, theirs, isTakenBack, at }: Undoing,
  entry: OutboxEntry,
  local: JsonObject,
): Settled | null {
  const made = missing.map(({ versionId }) => versionId);
  // Of a copy that this device does not have any more, nothing tells which of them it had seen taken back.
  const last = seen && !isUnversioned(seen) ? Math.max(versionOf(seen), ...made) : Math.min(...made);
  const isDoubtful = isTakenBack || versionOf(theirs) > last;
  if (missing.length === 0 || !isDoubtful) return null;
  return parkUndone({ ...givenUp(entry), incoming: null }, { local, theirs, doubted: held }, at);
}

interface Undoing {
  readonly missing: readonly Accepted[];
  /** The record without what is unsent. */
  readonly held: JsonObject;
  /** As the device had it last from the server, unless it has forgotten it. */
  readonly seen: JsonObject | null;
  readonly theirs: JsonObject;
  /** Whether it may have been taken back from here. */
  readonly isTakenBack: boolean;
  readonly at: string;
}

/** The server's last copy of a record, where the device has one that shows these changes. */
function copyOf({ entry, local, isForgotten }: Known, changes: readonly Accepted[]): JsonObject | null {
  const server = entry ? entry.base : local;
  return server && showsAll(server, changes) && !isForgotten ? server : null;
}

/**
 * A record as this device had it last from the server, and as it is shown. Of one that it has forgotten, or that consents showed in
 * part, what was accepted from here has to stand for it, with what is not sent on top.
 */
function seenHere(
  known: Known,
  { done, changes }: { readonly done: JsonObject; readonly changes: readonly Accepted[] },
) {
  const { type, entry, local } = known;
  const copy = copyOf(known, changes);
  if (copy) return { held: copy, shown: local ?? copy };
  const server = entry?.base;
  if (!server || !local) return { held: done, shown: done };
  const met = merge({ base: server, ours: local, theirs: done, shape: resourceShapes[type] });
  // What others have where something else is unsent was not seen here: it is news.
  const unseen = new Set(met.conflicts.map(({ path }) => path.split("/")[1] ?? ""));
  const part = (record: JsonObject, isUnseen: boolean) =>
    Object.entries(record).filter(([member]) => unseen.has(member) === isUnseen);
  return { held: Object.fromEntries([...part(done, false), ...part(server, true)]), shown: met.merged };
}
