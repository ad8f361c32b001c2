import { entryState, type OutboxEntry } from "./entry.ts";

/** Work whose request nobody will hear of any more, and which may have had its effect: see `rebaseEntry`. */
export function givenUp(entry: OutboxEntry): OutboxEntry {
  const { request, earlier } = entry;
  if (!request) return entry;
  const { sent, covers, parts, epoch = null } = request;
  const first = { sent, covers, epoch, ...(parts && { parts }) };
  const all = earlier ? { ...earlier, later: [...(earlier.later ?? []), sent].slice(-3) } : first;
  return { ...entry, request: null, earlier: all, attempts: 0, nextAttemptAt: null };
}

/**
 * Whether a person may give up work that waits for no decision: nothing of it is under way, or the server has said that whoever is
 * signed in may not do it. What a restored server is given back is not one's own to give up.
 */
export function mayBeGivenUp(entry: OutboxEntry): boolean {
  if (entry.lost) return false;
  return entryState(entry) === "pending" || entry.answers?.at(-1)?.status === 403;
}
