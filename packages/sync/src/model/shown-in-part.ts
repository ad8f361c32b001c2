import {
  contentOf,
  isJsonObject,
  type Json,
  type JsonObject,
  type Sight,
  sameJson,
  visiblePart,
} from "@fieldroll/core";
import { tellsVersion, versionOf } from "./content.ts";
import { isPartOf, listOf } from "./unhidden.ts";

/** A copy that work was made from, and what the work makes of it. */
interface Work {
  readonly base: JsonObject;
  readonly local: JsonObject;
}

/**
 * What a copy seems to show of its record, where the server does not say so and consents seem to hide some of it: it says less than the copy that
 * the work was made from, though its version is the same, or hidden, or also less of what nobody changed here. `null` where nothing seems hidden.
 */
export function sightIn(theirs: JsonObject, { base, local }: Work): Sight | null {
  const lacks = (member: string) =>
    theirs[member] === undefined && local[member] !== undefined && !["meta", "photo"].includes(member);
  const isLess =
    tellsVersion(base) &&
    (!tellsVersion(theirs) || versionOf(theirs) === versionOf(base) || Object.keys(base).some(lacks));
  if (!isLess) return null;
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

/** A copy whose lists have the items that were changed here as they were, where it shows a part of them. */
export function withChangedItems(theirs: JsonObject, { base, local }: Work, sight: Sight): JsonObject {
  const lists = Object.entries(theirs).flatMap(([member, list]) => {
    const seen = (item: Json) => listOf(visiblePart({ [member]: [item] }, sight)[member])[0];
    const left = [...listOf(base[member])];
    const kept = listOf(local[member]);
    const items = listOf(list).map((item) => {
      const nth = left.findIndex((each) => sameJson(seen(each), item));
      const [whole = item] = nth < 0 ? [] : left.splice(nth, 1);
      return kept.some((one) => sameJson(one, whole)) ? item : whole;
    });
    return items.length > 0 ? [[member, items] as const] : [];
  });
  return { ...theirs, ...Object.fromEntries(lists) };
}
