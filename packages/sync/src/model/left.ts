import type { OutboxEntry } from "./entry.ts";
import type { Settled } from "./settled.ts";

/**
 * Lets go of a record that left earlier and was kept only for its unsent work, once nothing of that is left.
 *
 * @param entry as it was before
 */
export function withoutLeft(entry: OutboxEntry, settled: Settled): Settled {
  return entry.left && settled.entry === null ? { ...settled, local: null } : settled;
}
