import type { Store } from "@fieldroll/core";
import { namesAlone } from "../model/absorb.ts";
import type { OutboxEntry } from "../model/entry.ts";
import { withoutLeft } from "../model/left.ts";
import type { Settled } from "../model/settled.ts";
import { isKeyUntold, meantByUnsent, type Work } from "./work.ts";

/**
 * Lets go of a record that left, once nothing of its work is left. Whoever was made here and is known by no key of the server comes back by
 * the names that she goes by: these stay while other unsent work means her, which could not say whom else.
 *
 * @param entry as it was before
 */
export async function leaving(
  store: Store,
  { type, key, record }: Work,
  { entry, settled }: { readonly entry: OutboxEntry; readonly settled: Settled },
): Promise<Settled> {
  const next = withoutLeft(entry, settled);
  const isGoing = !next.entry && !next.local && record && isKeyUntold(record);
  if (!isGoing || !entry.base || !(await meantByUnsent(store)).has(key)) return next;
  return { ...next, local: namesAlone(type, entry.base) };
}
