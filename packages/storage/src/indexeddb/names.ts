import { type DocumentKey, joinedKey } from "@fieldroll/core";

/**
 * How names become keys of IndexedDB. No part holds U+0000, so parts joined by it sort as the parts do, one after
 * the other, by UTF-16 code unit, which is also how IndexedDB orders strings.
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

/** What a column holds: values of an index; or, under an empty index name, the block's keys or its dead. */
export type ColumnKind = "values" | "keys" | "dead";

const signs: Readonly<Record<ColumnKind, string>> = { values: "v", keys: "k", dead: "d" };

/** What the names of an index's columns begin with; the number of the block follows, in ten digits. */
function columnPrefix(collection: string, index: string, kind: ColumnKind): string {
  return `${collection}${separator}${index}${separator}${signs[kind]}`;
}

/** The primary key of a block's column. */
export function columnId(
  collection: string,
  index: string,
  { kind, block }: { readonly kind: ColumnKind; readonly block: number },
): string {
  return columnPrefix(collection, index, kind) + String(block).padStart(10, "0");
}

/** The same column of every block. */
export function columnSpan(collection: string, index: string, kind: ColumnKind): Span {
  const from = columnPrefix(collection, index, kind);
  return { from, below: `${from}:` };
}

/** The number of the block whose column this is. */
export function blockOf(id: string): number {
  return Number(id.slice(-10));
}

const digits = 16;

/** A place in a feed: positions have 16 digits, so that they sort as numbers do. */
export function feedPlace(feed: string, position: number): string {
  return `${feed}${separator}${String(position).padStart(digits, "0")}`;
}

/** All places in a feed after a position. */
export function feedSpan(feed: string, position: number): Span {
  return { from: feedPlace(feed, position), below: feed + afterSeparator };
}

/** The position in a place of a feed. */
export function feedPosition(place: string): number {
  return Number(place.slice(-digits));
}
