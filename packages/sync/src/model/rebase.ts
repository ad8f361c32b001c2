import { type Conflict, type JsonObject, merge, pointer, type ResourceType } from "@fieldroll/core";
import { acceptedOf } from "./accepted.ts";
import { askedNoMore, askedOf, mergeOf } from "./asked.ts";
import { sameContent, under } from "./content.ts";
import { restated, withoutGone } from "./edits.ts";
import type { Edit, OutboxEntry } from "./entry.ts";
import { completed, isWhole, keptBeside, narrowedBeside, standingOn } from "./hidden.ts";
import { type Park, park } from "./park.ts";
import { arrivedUpon } from "./redo.ts";
import type { EditEnd, EndedEdit, Settled } from "./settled.ts";

/** A merge of a record's unsent work with a newer copy from the server. */
export interface Rebased {
  /** The work on top of `theirs`; where both changed the same place, it holds ours. */
  readonly local: JsonObject;
  /** Empty when the merge is clean. */
  readonly conflicts: readonly Conflict[];
  /** What that is on top of: `theirs`, with what it hides of the work. */
  readonly stands: JsonObject;
  /** Whether the newer copy already says everything. */
  readonly nothingLeft: boolean;
}

/** Three copies of one record in stored form; `base` is what the other two were made from. */
export interface Copies {
  readonly base: JsonObject | null;
  readonly local: JsonObject;
  readonly theirs: JsonObject;
  /** See {@link OutboxEntry}. */
  readonly asked?: readonly string[] | undefined;
}

/** Puts unsent work on top of a newer copy, field by field. */
export function rebase(type: ResourceType, copies: Copies): Rebased {
  const stands = completed(type, copies.theirs, copies);
  const { merged, conflicts } = merge(mergeOf(type, { ...copies, theirs: stands }));
  const local = under(stands, merged);
  return { local, conflicts, stands, nothingLeft: conflicts.length === 0 && sameContent(local, stands) };
}

/** The conflicts of a parked entry as they stand now; none where no other copy is known. */
export function conflictsOf(entry: OutboxEntry, local: JsonObject): readonly Conflict[] {
  const theirs = entry.parked?.theirs;
  return theirs ? rebase(entry.type, { ...askedOf(entry), local, theirs }).conflicts : [];
}

/** A sentence about a conflict, for people. */
export const conflictDetail = "Someone else changed the same fields meanwhile; choose which values stay.";

/** Marks every one of these edits as ended the same way. */
export function endAll(edits: readonly Edit[], end: EditEnd): readonly EndedEdit[] {
  return edits.map((edit) => ({ edit, end }));
}

/**
 * Parks an entry beside a newer copy. What that does not show any more goes from the others too, unless it was changed here: consents
 * may hide it from now on, and merged it would go all the same. Where a copy shown whole lacks what is to be decided on with another
 * member, such as whether a date is an estimate, it stays: without it, a person would be asked about half of it.
 */
export function parkBeside(
  entry: OutboxEntry,
  local: JsonObject,
  parked: Park & Pick<Copies, "theirs">,
): Settled {
  const { type, base, earlier } = entry;
  const { theirs } = parked;
  const copies = { ...askedOf(entry), local, theirs };
  const asked = isWhole(theirs) ? rebase(type, copies).conflicts : [];
  const kept = keptBeside(type, copies);
  const mayGo = (member: string) =>
    !kept.includes(member) && !asked.some(({ path }) => `${path}/`.startsWith(`${pointer([member])}/`));
  const [stands = {}, shown = {}, ...said] = narrowedBeside(
    theirs,
    [base ?? {}, local, ...saidBefore(entry)],
    { type, mayGo },
  );
  const [sent, ...later] = said;
  const doubt = earlier && sent && { earlier: { ...earlier, sent, later } };
  const next = { ...entry, base: base && stands, parked, ...doubt };
  return { entry: restated(withoutGone(next, local, shown), shown), local: shown, ended: [] };
}

/** What requests that were given up said, each of the whole record. */
function saidBefore({ earlier }: OutboxEntry): readonly JsonObject[] {
  return earlier ? [earlier.sent, ...(earlier.later ?? [])] : [];
}

/**
 * Rebases an entry that has no request under way on a newer copy: on top of it and free to be sent, gone when nothing
 * is left, or parked with both copies kept.
 *
 * @param at UTC instant
 */
export function rebaseEntry(known: OutboxEntry, copies: Omit<Copies, "base">, at: string): Settled {
  const { entry, ended, accepted } = withoutArrived(known, copies.theirs, at);
  const settled = onto(entry, copies, at);
  return { ...settled, ended: [...ended, ...settled.ended], ...(accepted && { accepted }) };
}

/**
 * A request that was given up has arrived where a newer copy leaves nothing of it to send. What was edited after it goes on top of
 * that: merged from what was there before, a change that its person took back would be none.
 */
function withoutArrived(known: OutboxEntry, theirs: JsonObject, at: string) {
  const { earlier, ...entry } = known;
  const { type, base, edits } = entry;
  if (!earlier || !base) return { entry: known, ended: [] };
  const { sent: first, later = [] } = earlier;
  // What it hides of all this was not taken out there.
  const there = [first, ...later].reduce((copy, local) => completed(type, copy, { base, local }), theirs);
  if (!rebase(type, { base, local: first, theirs }).nothingLeft)
    return {
      entry: { ...entry, base: arrivedUpon(type, base, { sent: [first, ...later], theirs: there }) },
      ended: [],
    };
  const isCovered = ({ id }: Edit) => earlier.covers.includes(id);
  return {
    entry: {
      ...entry,
      base: arrivedUpon(type, first, { sent: later, theirs: there }),
      edits: edits.filter((edit) => !isCovered(edit)),
    },
    ended: endAll(edits.filter(isCovered), "accepted"),
    accepted: acceptedOf(known, earlier, { answer: theirs, at }),
  };
}

function onto(entry: OutboxEntry, copies: Omit<Copies, "base">, at: string): Settled {
  const { local, theirs } = copies;
  const rebased = rebase(entry.type, { ...askedOf(entry), local, theirs });
  if (rebased.nothingLeft) return { entry: null, local: rebased.local, ended: endAll(entry.edits, "merged") };
  if (rebased.conflicts.length > 0) {
    const { since = at } = (entry.parked?.reason === "conflict" && entry.parked) || {};
    const parked = { ...park("conflict", conflictDetail, { since }), theirs };
    return parkBeside({ ...entry, request: null, incoming: null, nextAttemptAt: null }, local, parked);
  }
  const next: OutboxEntry = {
    ...askedNoMore(entry),
    base: standingOn(entry.type, theirs, { base: entry.base, local }),
    request: null,
    incoming: null,
    parked: null,
    attempts: 0,
    nextAttemptAt: null,
  };
  const shown = withoutGone(next, local, rebased.local);
  return { entry: restated(shown, rebased.local), local: rebased.local, ended: [] };
}
