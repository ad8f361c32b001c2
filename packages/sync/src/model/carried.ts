import type { JsonObject } from "@fieldroll/core";
import { meanwhile } from "./absorb.ts";
import type { OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { showing, shownBy } from "./hidden.ts";
import { noted } from "./in-names.ts";

/**
 * Unsent work as a file has it: without what consents hide since its request was frozen. What that says of the record is narrowed with the
 * copies that it was made of, so that nothing looks as if it had been taken out; its bytes stay, for they may have arrived.
 *
 * @returns `null` where nothing is hidden
 */
export function narrowedForFile(known: OutboxEntry, whole: JsonObject) {
  const { request, earlier, incoming, parked } = known;
  // Among what requests said that were given up, it comes last.
  const { entry, local } = meanwhile({ ...known, earlier: givenUp(known).earlier ?? null }, whole);
  // Where something is hidden, the work comes back as if it waited beside what is shown.
  if (!request || !entry?.base || !local || !entry.earlier || entry.parked === parked) return null;
  const later = [...(entry.earlier.later ?? [])];
  const sent = later.pop() ?? entry.earlier.sent;
  const shows = incoming?.kind === "upsert" ? shownBy(incoming.record) : [];
  const next: OutboxEntry = {
    ...entry,
    base: shows ? showing(entry.base, shows) : entry.base,
    request: { ...request, sent },
    earlier: earlier ? { ...entry.earlier, later } : null,
    parked,
  };
  return { entry: noted(next, new Set()), local };
}
