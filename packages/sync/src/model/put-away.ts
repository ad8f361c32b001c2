import { unversioned } from "./accepted.ts";
import { replay } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { isPlainEpoch } from "./plain-epoch.ts";

/**
 * Unsent work while nobody tells which state the server's data are in: it meets the record before it replaces it. A delay stays.
 */
export function doubted(entry: OutboxEntry): OutboxEntry {
  const { attempts, nextAttemptAt } = entry;
  return { ...compared({ ...entry, epoch: entry.epoch ?? null }, null), attempts, nextAttemptAt };
}

/** Unsent work as it is put away: a version says nothing without the state of the server's data that counts it. */
export function putAway(entry: OutboxEntry, epoch: string | null): OutboxEntry {
  const { base, parked } = entry;
  return base || parked?.theirs ? { epoch, ...entry } : entry;
}

/**
 * Work that was put away, now that the server has told which state its data are in. What stands on another state of them, restored
 * since, or nobody knows on which, must meet the record before it replaces it: the same number may count another version now.
 *
 * @param epoch `null` where this caller is told none
 */
export function compared({ epoch: former, ...entry }: OutboxEntry, epoch: string | null): OutboxEntry {
  if (former === undefined || isPlainEpoch(epoch) || (epoch !== null && former === epoch)) return entry;
  const { base, parked, request } = entry;
  const isLost = request?.ifMatch && (request.epoch ?? null) !== epoch;
  return {
    ...(isLost ? { ...givenUp(entry), incoming: null } : entry),
    base: base && unversioned(base),
    parked: parked?.theirs ? { ...parked, theirs: unversioned(parked.theirs) } : parked,
  };
}

/**
 * Work that was put away, without edits that came into the outbox by other work of the record: what they say counts as there
 * already, so that it is not done a second time. Such a record exists nowhere, and has no version.
 *
 * A request that carries some of them is another one then.
 *
 * @returns `null` where nothing is left; the same where they are no start of it, a person's decision stands on them, or nobody can
 *   tell them from what they were merged with
 */
export function withoutEdits(entry: OutboxEntry, known: ReadonlySet<string>): OutboxEntry | null {
  const { comesTo, ...rest } = entry;
  const { base, edits, request, parked, epoch = null } = rest;
  const start = edits.findIndex(({ id }) => !known.has(id));
  if (start < 0) return edits.length > 0 ? null : entry;
  if (start === 0 || !base || parked || comesTo?.covers.some((id) => !known.has(id))) return entry;
  // A request may carry others too: what these say is told by themselves alone.
  const before = replay({ ...entry, edits: edits.slice(0, start), request: null });
  const isDone = request && [...request.covers, ...(request.parts ?? [])].some((id) => known.has(id));
  return {
    ...(isDone ? givenUp(rest) : rest),
    base: isPlainEpoch(epoch) ? before : unversioned(before),
    edits: edits.slice(start),
  };
}

/** Work of a record that was made here and is on the server by now: without the edits that made it, which left by other work. */
export function withoutMaking(entry: OutboxEntry, known: ReadonlySet<string>): OutboxEntry | null {
  if (entry.base || entry.lost) return entry;
  const left = withoutEdits({ ...entry, base: {} }, known);
  return left?.edits.length === entry.edits.length ? entry : left;
}
