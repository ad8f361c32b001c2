import type { JsonObject } from "@fieldroll/core";
import { isUnversioned } from "./accepted.ts";
import { versionOf } from "./content.ts";
import type { FrozenRequest, OutboxEntry } from "./entry.ts";
import { park } from "./park.ts";
import { placesApart } from "./places-apart.ts";
import { type Copies, parkBeside, rebase, rebaseEntry } from "./rebase.ts";
import type { Settled } from "./settled.ts";

/** A sentence about a change that may have been taken back, for people. */
export const undoneDetail =
  "The change may have reached the server and been undone there by someone else since. Look at both, then send it again or discard it.";

/** Whether another device may have sent some of this, by a file that has it too. */
export function isCarried({ edits, request }: Pick<OutboxEntry, "edits" | "request">): boolean {
  return edits.some(({ id, carried }) => carried && (!request || request.covers.includes(id)));
}

/**
 * Whether a change whose answer was lost may have been made and taken back: the record went on by more than one version, and
 * what was sent is not in it. Sending it once more could overwrite somebody who saw it.
 */
export function mayBeUndone(
  { type, base }: OutboxEntry,
  { sent, ifMatch }: Pick<FrozenRequest, "sent" | "ifMatch">,
  theirs: JsonObject,
): boolean {
  const versions = versionOf(theirs) - Number(ifMatch ?? Number.NaN);
  return versions > 1 && !rebase(type, { base, local: sent, theirs }).nothingLeft;
}

/**
 * Work that has not left, of which a file has a part: another device may have sent that, and somebody taken it back, before this one
 * heard of either. Then it waits for a person. `null` where nothing speaks for that.
 */
export function askedIfUndone(
  entry: OutboxEntry,
  { local, theirs }: Omit<Copies, "base">,
  at: string,
): Settled | null {
  const { base, parked } = entry;
  // Of work without a version nobody knows how far the record went on.
  if (parked || !base || isUnversioned(base) || !isCarried(entry)) return null;
  if (!mayBeUndone(entry, { sent: local, ifMatch: String(versionOf(base)) }, theirs)) return null;
  return parkUndone(entry, { local, theirs }, at);
}

/**
 * A photo that a restored server is given again, and that is not there: where the record has gone on since it was, somebody may have
 * taken it out before the backup, unseen by this device. Then it waits for a person. `null` where nothing speaks for that.
 */
export function askedIfRemoved(entry: OutboxEntry, copies: Omit<Copies, "base">, at: string): Settled | null {
  const { local, theirs } = copies;
  const wasLater = entry.edits.some(({ hadPhoto = Infinity }) => hadPhoto < versionOf(theirs));
  const isBack = theirs.photo === entry.base?.photo && theirs.photo !== local.photo;
  if (!wasLater || !isBack) return null;
  return parkUndone(entry, copies, at);
}

/**
 * Parks work that may have been taken back beside the newer copy; `null` where that says it all. Where the two are in conflict, so is all that
 * may have been taken back: once somebody has chosen, it would be sent as if nobody had.
 *
 * @param copies.doubted the record with nothing else of the work; default: with all of it
 */
export function parkUndone(
  entry: OutboxEntry,
  { local, theirs, doubted = local }: Omit<Copies, "base"> & { readonly doubted?: JsonObject },
  at: string,
): Settled | null {
  const { conflicts, nothingLeft } = rebase(entry.type, { base: entry.base, local, theirs });
  if (nothingLeft) return null;
  // Once a person has decided, nothing is asked again for its photo.
  const edits = entry.edits.map(({ hadPhoto: _, ...edit }) => edit);
  const next = { ...entry, edits };
  if (conflicts.length > 0) return rebaseEntry(askedAbout(next, doubted), { local, theirs }, at);
  return parkBeside(next, local, {
    ...park("conflict", undoneDetail, { since: at, isUndone: true }),
    theirs,
  });
}

/** An entry of which every place is asked about that changes with what may have been taken back, where others have something else there. */
export function askedAbout(entry: OutboxEntry, doubted: JsonObject): OutboxEntry {
  const { type, base, asked = [] } = entry;
  const changed = placesApart(type, doubted, base ?? {});
  return { ...entry, asked: [...new Set([...asked, ...changed])] };
}
