import {
  contentOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type Sight,
  sameJson,
  visiblePart,
} from "@fieldroll/core";
import { isUnversioned } from "./accepted.ts";
import { tellsVersion, versionOf } from "./content.ts";
import { isPartOf, listOf } from "./unhidden.ts";

/** A copy that work was made from, and what the work makes of it. */
interface Work {
  readonly base: JsonObject;
  readonly local: JsonObject;
}

/**
 * What a copy seems to show of its record, where the server does not say so and consents hide some of it by now: its version is the one that the work
 * was made from, or hidden, or it answers what the work was made from, so that nobody took out what it lacks. `null` where others may have.
 */
export function sightIn(theirs: JsonObject, base: JsonObject): Sight | null {
  const isOther = tellsVersion(base) && tellsVersion(theirs) && versionOf(theirs) !== versionOf(base);
  if (isUnversioned(base) || isOther) return null;
  const fields = Object.entries(contentOf(theirs)).flatMap(([member, value]) =>
    shownOf(member, value, base[member]),
  );
  const { extension } = theirs;
  return {
    fields: new Set(["type", "identifier", ...fields]),
    extensions: new Set(isJsonObject(extension) ? Object.keys(extension) : []),
  };
}

/** The names of what a copy shows of one member: of an object's members, or of its items' ones, where some of those that were there are not. */
function shownOf(member: string, value: Json, before: Json | undefined): readonly string[] {
  const items = Array.isArray(value) ? value : [value];
  const former = Array.isArray(before) ? before : before === undefined ? [] : [before];
  const isCut = (item: Json) => former.some((one) => isPartOf(item, one) && !sameJson(item, one));
  if (!items.some((item: Json) => isJsonObject(item) && isCut(item))) return [member];
  return items
    .flatMap((item: Json) => (isJsonObject(item) ? Object.keys(item) : []))
    .map((name) => `${member}.${name}`);
}

/**
 * A copy whose lists have the items that were changed here as they were, where it shows a part of them, or nothing. Of items of which it shows the
 * same, those count as shown: that one of the others is not there is seen once all of it is shown.
 *
 * @param how.isTold whether the server said what it shows; else nobody took out what a copy of the same version lacks
 */
export function withChangedItems(
  theirs: JsonObject,
  { base, local }: Work,
  { sight, isTold }: { readonly sight: Sight; readonly isTold: boolean },
): JsonObject {
  const lists = Object.entries(theirs).flatMap(([member, list]) => {
    if (sameJson(base[member], local[member])) return [];
    const seen = (item: Json) => listOf(visiblePart({ [member]: [item] }, sight)[member])[0];
    const kept = listOf(local[member]);
    const isKept = (item: Json) => kept.some((one) => sameJson(one, item));
    const known = listOf(base[member]);
    const left = [...known.filter((item) => !isKept(item)), ...known.filter(isKept)];
    const items = listOf(list).map((item) => {
      const nth = left.findIndex((each) => sameJson(seen(each), item));
      const [whole = item] = nth < 0 ? [] : left.splice(nth, 1);
      return isKept(whole) ? item : whole;
    });
    const isUnseen = (item: Json) =>
      isTold ? seen(item) === undefined : tellsVersion(base) && tellsVersion(theirs);
    const unseen = left.filter((item) => !isKept(item) && isUnseen(item));
    return items.length > 0 ? [[member, [...items, ...unseen]] as const] : [];
  });
  return { ...theirs, ...Object.fromEntries(lists) };
}
