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
