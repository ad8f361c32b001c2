import type { Document, Entries, Json, StoredDocument } from "@fieldroll/core";
import { documentId, documentKey, entryKeys } from "./names.ts";

/** Number of the database's layout. One more at each change of {@link layout}, with an upgrade. */
export const schemaVersion = 1;

/** The object stores, as Dexie writes them: primary key, then indexes (`&` unique, `*` one per item). */
export const layout = {
  documents: "id, &*claims, *entries",
  feeds: "id, &place",
  state: "name",
};

/** A row of `documents`. */
export interface DocumentRow {
  readonly id: string;
  readonly version: number;
  readonly claims: readonly string[];
  /** Index keys, made of the declared entries. */
  readonly entries: readonly string[];
  readonly feeds: readonly string[];
  /** `[body, entries]` as JSON: one string is cheaper to write and read than a clone of its structure. */
  readonly text: string;
}

/** A row of `feeds`: where a document stands in one feed. */
export interface FeedRow {
  /** Joined feed and document. */
  readonly id: string;
  readonly document: string;
  readonly place: string;
  readonly gone: boolean;
}

/** A row of `state`: `position` is the newest position given to a change. */
export interface StateRow {
  readonly name: "position";
  readonly value: number;
}

/** Writes a document as a row; takes a copy. */
export function toRow(document: Document): DocumentRow {
  const { version, body, claims = [], entries = {}, feeds = [] } = document;
  return {
    id: documentId(document),
    version,
    claims: [...claims],
    entries: entryKeys(document, entries),
    feeds: [...feeds],
    text: JSON.stringify([body, entries]),
  };
}

/** Reads a document from its row. */
export function toDocument(row: DocumentRow): StoredDocument {
  const [body, entries] = JSON.parse(row.text) as [Json, Entries];
  const { version, claims, feeds } = row;
  return { ...documentKey(row.id), version, body, claims, entries, feeds };
}
