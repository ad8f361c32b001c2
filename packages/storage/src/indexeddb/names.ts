import { type Condition, type DocumentKey, type Entries, joinedKey, type Position } from "@fieldroll/core";

/**
 * How names and values become keys of IndexedDB. No part holds U+0000, so parts joined by it sort as the parts
 * do, one after the other, by UTF-16 code unit, which is also how IndexedDB orders strings.
 */

const separator = "\u0000";
const afterSeparator = "\u0001";

/** A range of strings: from the first, included, up to the second, left out. */
export interface Span {
  readonly from: string;
  readonly below: string;
}

/** The primary key of a document's row. */
export const documentId = joinedKey;

/** Splits a document's primary key again. */
export function documentKey(id: string): DocumentKey {
  const at = id.indexOf(separator);
  return { collection: id.slice(0, at), key: id.slice(at + 1) };
}

/** All documents of a collection. */
export function collectionSpan(collection: string): Span {
  return { from: collection + separator, below: collection + afterSeparator };
}

/**
 * The two families of an index: what a document is sorted by, and its further values. Apart, because a walk in
 * order must meet each document once, at its first value.
 */
export type Family = "first" | "further";

/** Both families. */
export const families: readonly Family[] = ["first", "further"];

const signs: Readonly<Record<Family, string>> = { first: "1", further: "2" };

/** The index keys of a document's entries. */
export function entryKeys(key: DocumentKey, entries: Entries): string[] {
  return Object.entries(entries).flatMap(([index, values]) =>
    [...new Set(values)].map((value, i) => {
      const family = i === 0 ? "first" : "further";
      return `${familyPrefix(key.collection, index, family)}${value}${separator}${key.key}`;
    }),
  );
}

/** What all keys of one family of one index start with. */
export function familyPrefix(collection: string, index: string, family: Family): string {
  return `${collection}${separator}${index}${separator}${signs[family]}`;
}

/** The value that an index key was made of. */
export function entryValue(entryKey: string, prefix: string): string {
  return entryKey.slice(prefix.length, entryKey.indexOf(separator, prefix.length));
}

/** The place of a position with a value in the order of an index. */
export function placeOf(prefix: string, position: Position): string {
  return `${prefix}${position.value ?? ""}${separator}${position.key}`;
}

/** The parts of an index in which values meet a condition; of `contains`, those in which they may. */
export function conditionSpans(prefix: string, condition: Condition): Span[] {
  if ("anyOf" in condition) {
    return [...new Set(condition.anyOf)].map((value) => ({
      from: prefix + value + separator,
      below: prefix + value + afterSeparator,
    }));
  }
  if ("prefix" in condition) return [startingWith(prefix + condition.prefix)];
  if ("contains" in condition) return [startingWith(prefix)];
  const whole = startingWith(prefix);
  const from = condition.from === undefined ? whole.from : prefix + condition.from;
  const below = condition.below === undefined ? whole.below : prefix + condition.below;
  return from < below ? [{ from, below }] : [];
}

/** All strings that start with a prefix, itself included. */
export function startingWith(prefix: string): Span {
  let end = prefix.length;
  while (end > 0 && prefix.charCodeAt(end - 1) === 0xffff) end--;
  const last = prefix.charCodeAt(end - 1);
  return { from: prefix, below: prefix.slice(0, end - 1) + String.fromCharCode(last + 1) };
}

const digits = 16;

/** A place in a feed: positions have 16 digits, so that they sort as numbers do. */
export function feedPlace(feed: string, position: number): string {
  return `${feed}${separator}${String(position).padStart(digits, "0")}`;
}

/** The position in a place of a feed. */
export function feedPosition(place: string): number {
  return Number(place.slice(-digits));
}
