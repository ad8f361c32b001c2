import {
  bodyText,
  type Document,
  type DocumentKey,
  type Entries,
  type StoredDocument,
} from "@fieldroll/core";
import { fromColumn, toColumn } from "./text.ts";

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

/** Writes a document's row. */
export function toRow(document: Document): DocumentRow {
  const { claims = [], entries = {}, feeds = [] } = document;
  return {
    ...columnsOf(document),
    version: document.version,
    claims: JSON.stringify(claims),
    entries: toColumn(JSON.stringify(entries)),
    feeds: JSON.stringify(feeds),
    body: bodyText(document),
  };
}

/** Reads a document from its row. What it declares for the indexes is long, and seldom looked at. */
export function fromRow(row: DocumentRow): StoredDocument {
  let entries: Entries | undefined;
  return {
    ...keyFrom(row),
    version: row.version,
    claims: textsFrom(row.claims),
    get entries() {
      entries ??= JSON.parse(fromColumn(row.entries)) as Entries;
      return entries;
    },
    feeds: textsFrom(row.feeds),
    body: JSON.parse(row.body) as Document["body"],
  };
}

/** Reads what a document declared. */
export function declaredFrom(row: DeclaredRow): Declared {
  return {
    version: row.version,
    claims: textsFrom(row.claims),
    entries: JSON.parse(fromColumn(row.entries)) as Entries,
    feeds: textsFrom(row.feeds),
  };
}

function textsFrom(json: string): readonly string[] {
  return json === "[]" ? [] : (JSON.parse(json) as string[]);
}

/** Writes a document's key for columns. */
export function columnsOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection: toColumn(collection), key: toColumn(key) };
}

/** Reads a document's key from columns. */
export function keyFrom({ collection, key }: DocumentKey): DocumentKey {
  return { collection: fromColumn(collection), key: fromColumn(key) };
}
