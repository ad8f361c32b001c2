import type { JsonObject } from "@fieldroll/core";
import type { Accepted } from "./accepted.ts";
import { newEntry } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import type { Known } from "./lost.ts";

/** Whom the references in all this mean, where the record was forgotten meanwhile, and in its unsent work. */
export function meaningOf(
  known: readonly Accepted[],
  entry: Pick<Accepted, "meant" | "whom"> | null,
): Pick<Accepted, "meant" | "whom"> {
  const last = [...known].reverse().find(({ meant }) => meant);
  if (!last) return entry ?? {};
  return { meant: { ...last.meant, ...entry?.meant }, whom: { ...last.whom, ...entry?.whom } };
}

/** An entry with nothing in it yet but whom the references mean in what was accepted of a record that was forgotten. */
export function entryMeaning(known: Known, held: JsonObject): OutboxEntry {
  const meaning = known.local ? {} : meaningOf(known.accepted, null);
  return { ...newEntry(known, held), ...meaning };
}
