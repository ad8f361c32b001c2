import { type JsonObject, sameJson } from "@fieldroll/core";
import { type Accepted, changesLostIn } from "./accepted.ts";
import { tellsVersion, versionOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import type { Known } from "./lost.ts";
import { takenBack, withoutLists } from "./redo.ts";

/**
 * What was typed over changes that another state of the server's data had accepted, and has arrived since: that is what this device had last. Of
 * a list it says nothing, which may have been shown in part.
 */
export function typedSince(
  accepted: readonly Accepted[],
  changes: readonly Accepted[],
  epoch: string,
): readonly Accepted[] {
  const last = Math.max(...changes.map(({ at }) => Date.parse(at)));
  return accepted.flatMap(({ before, after, ...each }) =>
    before && each.epoch === epoch && Date.parse(each.at) > last
      ? [{ ...each, before: withoutLists(before), after: withoutLists(after) }]
      : [],
  );
}

/**
 * Unsent work as a restored server's copy meets it that shows the record in part, so that what is lost of it can't be given again yet. Where the copy
 * says what was there before that, nobody else has said so: what was typed over it is no conflict.
 */
export function typedUpon(
  { type, entry, local, accepted }: Known,
  theirs: JsonObject,
  epoch: string,
): OutboxEntry | null {
  if (!entry?.base || entry.request || !local || !tellsVersion(theirs)) return entry;
  const { base } = entry;
  // A later version may be somebody's who had seen what is lost.
  if (versionOf(theirs) > versionOf(base)) return entry;
  const before = takenBack(type, base, changesLostIn(accepted, epoch));
  const lost = Object.entries(withoutLists(theirs)).filter(
    ([name, value]) => sameJson(before[name], value) && !sameJson(base[name], local[name]),
  );
  return { ...entry, base: { ...base, ...Object.fromEntries(lost) } };
}
