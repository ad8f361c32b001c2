import type { OutboxEntry } from "./entry.ts";

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
 */
export function mayBeGivenUp({ lost, earlier, edits, request, answers = [] }: OutboxEntry): boolean {
  if (lost || earlier || edits.some(({ carried, again }) => carried || again)) return false;
  return request === null || (answers.length > 0 && answers.every(({ status }) => status === 403));
}
