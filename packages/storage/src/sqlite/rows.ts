import {
  bodyText,
  type Document,
  type DocumentKey,
  type Entries,
  type Query,
  type StoredDocument,
} from "@fieldroll/core";
import { fromColumn, toColumn } from "../text.ts";
import { DamagedDocument } from "./damaged.ts";

/** What a document declared about itself, as its row has it: JSON texts, that of the entries written for columns. */
export interface DeclaredRow {
  readonly version: number;
  readonly claims: string;
  readonly entries: string;
  readonly feeds: string;
}

/** A document's whole row. */
export interface DocumentRow extends DeclaredRow {
  readonly collection: string;
  readonly key: string;
  readonly body: string;
}

/** What a document declared about itself. */
export interface Declared {
  readonly version: number;
  readonly claims: readonly string[];
  readonly entries: Entries;
  readonly feeds: readonly string[];
}

/** What a document declared, the number of its row, and at which position its feeds tell it; 0 where none does. */
export interface Placed extends Declared {
  readonly id: number;
  readonly position: number;
}

/** One document's change: what it was, and its new row; without a row it is removed. */
export interface DocumentChange {
  /** The number of the document's row. */
  readonly id: number;
  /** Written for columns. */
  readonly at: DocumentKey;
  /** Of version 0 where it is new. */
  readonly before: Placed;
  readonly after: Declared;
  readonly row?: DocumentRow;
}

/** The columns of {@link DocumentRow}, of the table or subquery named `d`. */
export const documentColumns =
  "d.collection, d.key, d.version, d.claims, d.indexed AS entries, d.feeds, d.body";

/** As {@link documentColumns}, of the part of documents that a query wants; a sort needs what they declare. */
export function columnsFor({ part, sort }: Pick<Query, "part"> & { readonly sort?: unknown }): string {
  if (part === undefined) return documentColumns;
  if (part === "key" && !sort) return "d.key, d.version";
  return "d.collection, d.key, d.version, d.claims, d.indexed AS entries, d.feeds, 'null' AS body";
}

/** Reads documents from rows with {@link columnsFor} a query. */
export function documentsFrom(rows: readonly DocumentRow[], query: Query): readonly StoredDocument[] {
  const { collection, part, sort } = query;
  if (part !== "key" || sort) return rows.map(fromRow);
  const rest = { claims: [], entries: {}, feeds: [], body: null };
  return rows.map((row) => ({ collection, key: fromColumn(row.key), version: row.version, ...rest }));
}

/** Writes a document's row. */
export function toRow(document: Document): DocumentRow {
  const { claims = [], entries = {}, feeds = [] } = document;
  const { collection, key } = columnsOf(document);
  // Named one by one: to spread the key into it costs as much as all its JSON.
  return {
    collection,
    key,
    version: document.version,
    claims: JSON.stringify(claims),
    entries: toColumn(JSON.stringify(entries)),
    feeds: JSON.stringify(feeds),
    body: bodyText(document),
  };
}

/**
 * Reads a document from its row. What it declares for the indexes is long, and seldom looked at.
 *
 * @throws StoreError `corrupt` when the row is damaged; where it is in `entries`, that property does when it is read.
 */
export function fromRow(row: DocumentRow): StoredDocument {
  const { collection, key } = wholeKey(row);
  // Not the row: its texts would stay in memory for as long as the document.
  const { collection: inColumn, key: keyInColumn, entries: indexed } = row;
  let entries: Entries | undefined;
  // Named one by one: an object that is spread and then given a getter costs ten times as much.
  return {
    collection,
    key,
    version: versionIn(row, row),
    claims: textsFrom(row, row.claims, "claims"),
    get entries() {
      entries ??= entriesFrom(indexed, { collection: inColumn, key: keyInColumn });
      return entries;
    },
    feeds: textsFrom(row, row.feeds, "feeds"),
    body: parsed(row, row.body, "body") as Document["body"],
  };
}

/**
 * Reads what a document declared.
 *
 * @param at The document's key, written for columns.
 * @throws StoreError `corrupt` when the row is damaged.
 */
export function declaredFrom(row: DeclaredRow, at: DocumentKey): Declared {
  return {
    version: versionIn(row, at),
    claims: textsFrom(at, row.claims, "claims"),
    entries: entriesFrom(row.entries, at),
    feeds: textsFrom(at, row.feeds, "feeds"),
  };
}

function versionIn({ version }: DeclaredRow, at: DocumentKey): number {
  if (Number.isSafeInteger(version) && version > 0) return version;
  throw new DamagedDocument(at, "its version is no positive integer");
}

function textsFrom(at: DocumentKey, json: string, column: string): readonly string[] {
  if (json === "[]") return [];
  const texts = parsed(at, json, column);
  if (isTexts(texts)) return texts;
  throw new DamagedDocument(at, `the column ${column} is no list of texts`);
}

function entriesFrom(entries: string, at: DocumentKey): Entries {
  const read = parsed(at, fromColumn(textIn(at, entries, "indexed")), "indexed");
  if (isEntries(read)) return read;
  throw new DamagedDocument(at, "the column indexed has no lists of texts by name");
}

/** A damaged column may hold bytes, or nothing. */
function textIn(at: DocumentKey, value: unknown, column: string): string {
  if (typeof value === "string") return value;
  throw new DamagedDocument(at, `the column ${column} is no text`);
}

function wholeKey(at: DocumentKey): DocumentKey {
  textIn(at, at.collection, "collection");
  textIn(at, at.key, "key");
  return keyFrom(at);
}

/** The cause would quote the text. */
function parsed(at: DocumentKey, json: string, column: string): unknown {
  const text = textIn(at, json, column);
  try {
    return JSON.parse(text);
  } catch {
    throw new DamagedDocument(at, `the column ${column} is no JSON`);
  }
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isEntries(value: unknown): value is Entries {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(isTexts)
  );
}

/** Writes a document's key for columns. */
export function columnsOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection: toColumn(collection), key: toColumn(key) };
}

/** Reads a document's key from columns. */
export function keyFrom({ collection, key }: DocumentKey): DocumentKey {
  return { collection: fromColumn(collection), key: fromColumn(key) };
}
