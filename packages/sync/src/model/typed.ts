import { type JsonObject, merge, resourceShapes } from "@fieldroll/core";
import { under } from "./content.ts";
import { restated } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { rebase } from "./rebase.ts";

/**
 * An entry with an edit by which a person may have answered a conflict. Who types what a place said before either side changed it has
 * changed it all the same: there, what stood here until then counts as what both sides were made from, for beside the former value the edit
 * would be none, and the other side's would be taken unseen.
 *
 * @param before the record until the edit, and `after` what it is by now
 */
export function stillAsked(
  entry: OutboxEntry,
  { before, after }: { readonly before: JsonObject | null; readonly after: JsonObject },
): OutboxEntry {
  const { type, base, parked } = entry;
  if (parked?.reason !== "conflict" || !parked.theirs || !base || !before) return entry;
  const { theirs } = parked;
  const pathsOf = (local: JsonObject) =>
    rebase(type, { base, local, theirs }).conflicts.map(({ path }) => path);
  const left = pathsOf(after);
  if (pathsOf(before).every((path) => left.includes(path))) return entry;
  // What the edit took back, put back into the base; of a place that it made something else of, the base keeps its own.
  const { merged } = merge({ base: after, ours: base, theirs: before, shape: resourceShapes[type] });
  return restated({ ...entry, base: under(base, merged) }, after);
}
