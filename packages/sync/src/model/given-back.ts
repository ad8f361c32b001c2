import { type JsonObject, merge, type ResourceType, resourceShapes } from "@fieldroll/core";
import { absorb, namesAlone } from "./absorb.ts";
import { type Accepted, changesLostIn, editsAgain, lostIn, unversioned } from "./accepted.ts";
import { whoIn } from "./content.ts";
import { restated, withoutGone } from "./edits.ts";
import type { Edit, OutboxEntry } from "./entry.ts";
import { isWhole, remembering, showing } from "./hidden.ts";
import type { Anew, Known } from "./lost.ts";
import { entryMeaning } from "./meaning.ts";
import { park } from "./park.ts";
import { caughtUp, doneAgain, madeOf, takenBack, withFound, withOwn } from "./redo.ts";
import { saidOf } from "./said.ts";
import type { Settled } from "./settled.ts";

/**
 * What becomes of a record that a restored server does not have. One that this device made is sent as a new one; one that it only
 * changed waits for whoever made it to give it back, or for a person to register it anew. What was accepted after the backup would
 * be lost otherwise, and the server refuses a record whose identifier is there, seen by this caller or not: nothing comes twice.
 *
 * @param isLost whether the server is known to have lost it, and it has unsent work or is what such work refers to
 * @returns `null` where nothing of it is to be sent
 */
export function giveBack(known: Known, isLost: boolean, { at, epoch }: Anew): Settled | null {
  const { type, entry, local } = known;
  if (entry && !entry.base) return null;
  const gone = lostIn(known.accepted, epoch);
  const isMade = gone.some(({ before }) => before === null);
  const changes = changesLostIn(gone, epoch);
  const held = entry?.base ?? local ?? madeOf(type, gone);
  if (!held || (gone.length === 0 && !isLost)) return null;
  const shown = unversioned(shownBack(known, held, { changes, gone, isMade }));
  const parked = isMade
    ? stillParked(entry)
    : park("gone", isWhole(held) ? lostDetail : partDetail, { since: at });
  const edits = editsAgain(gone, entry?.edits ?? []);
  const lost = lostAs(known, { held, changes, gone });
  const next: OutboxEntry = {
    ...(entry ?? entryMeaning(known, held)),
    base: null,
    lost,
    ...{ request: null, incoming: null, parked, attempts: 0, rebases: 0, nextAttemptAt: null },
    edits: edits.length > 0 ? edits : [untouched(known, at)],
  };
  // Of a list each of them has the whole, others' items too.
  const told = isWhole(held) ? next : gone.reduce((one, { after }) => withoutGone(one, after, shown), next);
  return { entry: restated(told, shown), local: shown, ended: [], kept: [] };
}

/**
 * A record of which a restored server does not say whether it has it: whoever consents to nothing is shown no more than what was changed here,
 * or made.
 */
export function hiddenKnown(known: Known, at: string): Known {
  const { type, entry, local, accepted } = known;
  if (!local || (entry && !entry.base)) return known;
  const who = whoIn(saidOf(type, entry?.base ?? local, accepted));
  if (!entry) return { ...known, who, local: showing(namesAlone(type, local), []) };
  const news = { kind: "removed", versionId: "0", reason: "consent" } as const;
  const hidden = absorb({ ...entry, request: null, incoming: null }, local, news, { at });
  // It is not left behind: what is given back of it stays here.
  const { left: _, ...next } = hidden.entry ?? entry;
  return { ...known, who, entry: { ...next, ...(entry.left && { left: true }) }, local: hidden.local };
}

/** The server's last copy of a record that it lost, without what is to be sent again; with who it is, where it does not say. */
function lostAs(
  { type, entry, local, who }: Known,
  {
    held,
    changes,
    gone,
  }: { readonly held: JsonObject } & Readonly<Record<"changes" | "gone", readonly Accepted[]>>,
): JsonObject {
  const shown = unversioned(takenBack(type, withoutNotice(held), changes));
  const before = (known: JsonObject) => whoIn(takenBack(type, known, changes));
  // One that was forgotten here is made of what was accepted, and says all that is known.
  const isNarrowed = who !== undefined || ((entry?.base ?? local) !== null && !isWhole(held));
  if (!isNarrowed) return shown;
  return remembering(withFound(shown, changes), before(who ?? saidOf(type, held, gone)));
}

/** What is shown of a record that is given back. */
function shownBack(
  known: Known,
  held: JsonObject,
  {
    changes,
    gone,
    isMade,
  }: Readonly<Record<"changes" | "gone", readonly Accepted[]>> & { readonly isMade: boolean },
): JsonObject {
  const isForgotten = !known.entry && !known.local;
  if (isForgotten) return held;
  return unveiled(known.type, copiesWith(known, held, changes), isMade ? doneAgain : withOwn, gone);
}

/** Unsent work may stand on a copy from before what was accepted, such as work that a file brought: that is given back with it. */
function copiesWith({ type, entry, local }: Known, held: JsonObject, changes: readonly Accepted[]) {
  const told = { held: withoutNotice(held), shown: withoutNotice(local ?? held) };
  if (!entry || !isWhole(held)) return told;
  return caughtUp(type, told, { accepted: changes, isThere: () => false });
}

/** What still waits for a person once the server does not have a record any more. */
function stillParked(entry: OutboxEntry | null): OutboxEntry["parked"] {
  return entry?.parked && !settledBefore.includes(entry.parked.reason) ? entry.parked : null;
}

/** A record without the server's word that no consent shows it. */
function withoutNotice({ _consent: _, ...record }: JsonObject): JsonObject {
  return record;
}

/** Of what is hidden by now no more is known than what was sent from here; and what was changed in what is shown of it. */
function unveiled(
  type: ResourceType,
  { held, shown: seen }: { readonly held: JsonObject; readonly shown: JsonObject },
  again: typeof doneAgain,
  sent: readonly Accepted[],
): JsonObject {
  if (isWhole(held)) return seen;
  return merge({ base: held, ours: seen, theirs: again(type, held, sent), shape: resourceShapes[type] })
    .merged;
}

/** What only a copy of the server's could settle. */
const settledBefore: readonly string[] = ["conflict", "gone"];

const lostDetail =
  "The server was restored and does not have this record any more; it is kept here. Send it again to register it anew.";

const partDetail =
  "The server was restored and does not have this record any more, or does not show it. You are shown it in part only: your edits wait here until whoever registered it has given it back.";

/** Stands for what there is to send of a record in which this device changed nothing. */
function untouched({ key }: Known, at: string): Edit {
  return { id: key, at, by: "", patch: {} };
}
