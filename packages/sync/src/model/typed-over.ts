import { type JsonObject, sameJson } from "@fieldroll/core";
import { changesLostIn } from "./accepted.ts";
import { tellsVersion, versionOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import type { Known } from "./lost.ts";
import { takenBack, withoutLists } from "./redo.ts";

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
