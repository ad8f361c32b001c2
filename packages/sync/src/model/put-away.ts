import { unversioned } from "./accepted.ts";
import type { OutboxEntry } from "./entry.ts";
import { isPlainEpoch } from "./plain-epoch.ts";

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
    ...entry,
    base: base && unversioned(base),
    parked: parked?.theirs ? { ...parked, theirs: unversioned(parked.theirs) } : parked,
    ...(isLost && { request: null, incoming: null, attempts: 0, nextAttemptAt: null }),
  };
}
