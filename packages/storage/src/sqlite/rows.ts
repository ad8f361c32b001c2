import type { Document, DocumentKey, Entries, StoredDocument } from "@fieldroll/core";
import { fromColumn, toColumn } from "./text.ts";

/** What a document declared about itself, as its row has it: JSON texts. */
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

/** The columns of {@link DocumentRow}, of the table or subquery named `d`. */
export const documentColumns =
  "d.collection, d.key, d.version, d.claims, d.indexed AS entries, d.feeds, d.body";

/** Writes a document's row. */
export function toRow(document: Document): DocumentRow {
  const { claims = [], entries = {}, feeds = [], body } = document;
  return {
    ...columnsOf(document),
    version: document.version,
    claims: JSON.stringify(claims),
    entries: JSON.stringify(entries),
    feeds: JSON.stringify(feeds),
    body: JSON.stringify(body),
  };
}

/** Reads a document from its row. */
export function fromRow(row: DocumentRow): StoredDocument {
  return { ...keyFrom(row), ...declaredFrom(row), body: JSON.parse(row.body) as Document["body"] };
}

/** Reads what a document declared. */
export function declaredFrom(row: DeclaredRow): Declared {
  return {
    version: row.version,
    claims: JSON.parse(row.claims) as string[],
    entries: JSON.parse(row.entries) as Entries,
    feeds: JSON.parse(row.feeds) as string[],
  };
}

/** Writes a document's key for columns. */
export function columnsOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection: toColumn(collection), key: toColumn(key) };
}

/** Reads a document's key from columns. */
export function keyFrom({ collection, key }: DocumentKey): DocumentKey {
  return { collection: fromColumn(collection), key: fromColumn(key) };
}
