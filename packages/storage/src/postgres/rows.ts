import {
  type DocumentKey,
  type Entries,
  type Json,
  type Query,
  type StoredDocument,
  StoreError,
} from "@fieldroll/core";
import { fromColumn, toColumn } from "../text.ts";
import type { Row } from "./client.ts";

/** A document as a statement selects it: {@link documentColumns}. */
export interface DocumentRow extends Row {
  readonly collection: string;
  readonly key: string;
  readonly version: string;
  readonly claims: string;
  readonly indexed: string;
  readonly feeds: string;
  readonly body: string;
}

/** The columns of {@link DocumentRow}, of the table or subquery named `d`. Lists as text: the client would parse them twice. */
export const documentColumns =
  "d.collection, d.key, d.version, d.claims::text AS claims, d.indexed::text AS indexed, d.feeds::text AS feeds, d.body";

/** As {@link documentColumns}, of the part of documents that a query wants; a sort needs what they declare. */
export function columnsFor({ part, sort }: Pick<Query, "part"> & { readonly sort?: unknown }): string {
  if (part === undefined) return documentColumns;
  const declared = "d.claims::text AS claims, d.indexed::text AS indexed, d.feeds::text AS feeds";
  const known = part === "declared" || sort ? declared : "'[]' AS claims, '{}' AS indexed, '[]' AS feeds";
  return `d.collection, d.key, d.version, ${known}, 'null' AS body`;
}

/**
 * Reads a document from its row.
 *
 * @throws StoreError `corrupt` when the row is damaged; where it is in `entries`, that property does when it is read.
 */
export function fromRow(row: DocumentRow): StoredDocument {
  return documentFrom(
    row,
    parsed(row, () => ({
      claims: JSON.parse(row.claims),
      feeds: JSON.parse(row.feeds),
      body: JSON.parse(row.body),
    })),
  );
}

/**
 * Makes a document of what was read of its row already. What it declares for the indexes is long, and seldom looked at.
 *
 * @throws StoreError as {@link fromRow} does.
 */
export function documentFrom(
  row: Pick<DocumentRow, "collection" | "key" | "version" | "indexed">,
  { claims, feeds, body }: { readonly claims: unknown; readonly feeds: unknown; readonly body: unknown },
): StoredDocument {
  const { collection, key } = keyFrom(row);
  if (!(Array.isArray(claims) && Array.isArray(feeds))) throw damaged({ collection, key });
  // Not the row, which would stay in memory for as long as the document.
  const { indexed } = row;
  let entries: Entries | undefined;
  // Named one by one: an object that is spread and then given a getter costs ten times as much.
  return {
    collection,
    key,
    version: Number(row.version),
    claims: claims as string[],
    get entries() {
      entries ??= parsed({ collection, key }, () => entriesFrom(indexed));
      return entries;
    },
    feeds: feeds as string[],
    body: body as Json,
  };
}

/** What the parser says would quote the record. */
function parsed<T>(at: DocumentKey, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw damaged(at);
  }
}

function damaged({ collection, key }: DocumentKey): StoreError {
  return new StoreError(
    "corrupt",
    `The document ${collection} ${key} is damaged: a column of its row is not what this software wrote. Restore it from a backup.`,
  );
}

function listOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value as string[];
  throw new TypeError("no list");
}

/** Writes what a document declares for the indexes for a column. */
export function indexedOf(entries: Entries): string {
  const columns = Object.entries(entries).map(([name, values]) => [toColumn(name), values.map(toColumn)]);
  return JSON.stringify(Object.fromEntries(columns));
}

function entriesFrom(indexed: string): Entries {
  const columns = JSON.parse(indexed) as Entries;
  Object.values(columns).forEach(listOf);
  if (isPlain(indexed)) return columns;
  return Object.fromEntries(
    Object.entries(columns).map(([name, values]) => [fromColumn(name), values.map(fromColumn)]),
  );
}

/** Whether no text in it stands for another one. */
function isPlain(json: string): boolean {
  return fromColumn(json) === json;
}

/**
 * Characters of a value that an index keeps: a row of a B-tree holds 2,704 bytes. Longer values are found by what an index
 * keeps and then tested whole; they are sorted by what it keeps.
 */
export const longestValue = 500;

/** What a column has of a value: no more than an index keeps. */
export function kept(value: string): string {
  const column = toColumn(value);
  // Every character is one or two code units.
  return column.length < longestValue ? column : [...column].slice(0, longestValue).join("");
}

/** Writes a document's key for columns. */
export function columnsOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection: toColumn(collection), key: toColumn(key) };
}

/** Reads a document's key from columns. */
export function keyFrom({ collection, key }: DocumentKey): DocumentKey {
  return { collection: fromColumn(collection), key: fromColumn(key) };
}
