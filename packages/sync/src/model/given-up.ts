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
 * Whether a person may give up work that waits for no decision: no request has any of it, nor has a file, or the server has said each time
 * that whoever is signed in may not do it. What a restored server is given back is not one's own to give up.
 *
 * @param waits whether it waits for another record, which may never be sent: what was made here may be given up then, though a file has it
 */
export function mayBeGivenUp(entry: OutboxEntry, waits: boolean): boolean {
  const { lost, earlier, edits, request, unheard, base, answers = [] } = entry;
  if (lost || edits.some(({ again }) => again)) return false;
  if (waits && base === null && entryState(entry) === "pending") return true;
  if (earlier || edits.some(({ carried }) => carried)) return false;
  if (request === null) return true;
  return unheard !== request.key && answers.length > 0 && answers.every(({ status }) => status === 403);
}
