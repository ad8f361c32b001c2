import type { JsonObject } from "@fieldroll/core";
import { type Accepted, lostIn } from "./accepted.ts";
import { restated } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { isBack } from "./hidden.ts";
import type { Known } from "./lost.ts";
import { doneAgain, withOwn } from "./redo.ts";

/**
 * A record that a restored server did not show at all when it was read anew, and shows again: it was not lost. What was accepted of it from
 * here was kept beside what is to be sent should it be lost, and is compared one by one, as that of any record which consents hid; what is
 * unsent goes on upon that.
 *
 * @param how.isSame whether the record's key says so already; else who it is has to
 * @returns the same where it is no such record, or where nothing is kept
 */
export function shownAgain(
  known: Known,
  theirs: JsonObject,
  { epoch, isSame }: { readonly epoch: string; readonly isSame: boolean },
): Known {
  const { entry, local, accepted } = known;
  const gone = lostIn(accepted, epoch);
  if (!entry?.lost || entry.base || entry.request || !local || gone.length === 0) return known;
  if (!isSame && !isBack(local, entry, theirs)) return known;
  const edits = entry.edits.filter(({ id, again }) => !again || !gone.some(({ edit }) => edit.id === id));
  if (edits.every(({ patch }) => Object.keys(patch).length === 0)) return { ...known, entry: null };
  const base = withThese(entry, entry.lost, gone);
  const parked = ["duplicate", "gone"].includes(entry.parked?.reason ?? "") ? null : entry.parked;
  const next: OutboxEntry = { ...entry, base, edits, parked, lost: null, earlier: null };
  return { ...known, entry: restated(next, local) };
}

/**
 * What this device knew of a record that was not shown, with what was accepted of it from here: upon that stands what was typed. It says
 * nothing of what else there is, nor of a version.
 */
function withThese({ type }: OutboxEntry, lost: JsonObject, gone: readonly Accepted[]): JsonObject {
  const isMade = gone.some(({ before }) => before === null);
  const { meta: _, ...known } = (isMade ? doneAgain : withOwn)(type, lost, gone);
  return known;
}
