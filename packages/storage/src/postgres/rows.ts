import { type DocumentKey, type Entries, type Json, type StoredDocument, StoreError } from "@fieldroll/core";
import { fromColumn, toColumn } from "../sqlite/text.ts";
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

/** Reads a document from its row. */
export function fromRow(row: DocumentRow): StoredDocument {
  const at = keyFrom(row);
  try {
    return {
      ...at,
      version: Number(row.version),
      claims: listOf(JSON.parse(row.claims)),
      entries: entriesFrom(row.indexed),
      feeds: listOf(JSON.parse(row.feeds)),
      body: JSON.parse(row.body) as Json,
    };
  } catch {
    // What the parser says would quote the record.
    throw new StoreError(
      "corrupt",
      `The document ${at.collection} ${at.key} is damaged: a column of its row is not what this software wrote. Restore it from a backup.`,
    );
  }
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

/** Writes a document's key for columns. */
export function columnsOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection: toColumn(collection), key: toColumn(key) };
}

/** Reads a document's key from columns. */
export function keyFrom({ collection, key }: DocumentKey): DocumentKey {
  return { collection: fromColumn(collection), key: fromColumn(key) };
}
