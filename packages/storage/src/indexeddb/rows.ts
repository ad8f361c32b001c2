import { bodyText, type Document, type Entries, type Json, type StoredDocument } from "@fieldroll/core";
import { documentId, documentKey } from "./names.ts";

/** Number of the database's layout. One more at each change of {@link layout}, with an upgrade. */
export const schemaVersion = 2;

/** The first layout, from which `upgrade.ts` leads here. As Dexie writes it: primary key, then indexes. */
export const firstLayout = {
  documents: "id, &*claims, *entries",
  feeds: "id, &place",
  state: "name",
};

/**
 * The object stores, as Dexie writes them: primary key, then indexes (`&` unique, `*` one per item, `++` counted).
 * Documents lie in `bundles`; what queries look at is in `recent` at first, and then packed in `columns`: see decision 23.
 */
export const layout = {
  bundles: "++n, &*ids, &*claims",
  feeds: "id, &place",
  state: "name",
  recent: "++n",
  columns: "id",
};

/** A row of `documents` in the first layout. */
export interface FirstDocumentRow {
  readonly id: string;
  readonly version: number;
  readonly claims: readonly string[];
  readonly feeds: readonly string[];
  /** `[body, entries]` as JSON. */
  readonly text: string;
}

/** A row of `bundles`: one document, or several that came together; a row costs much more than what is in it. */
export interface BundleRow {
  /** Given by the object store. */
  readonly n?: number;
  readonly ids: readonly string[];
  readonly claims: readonly string[];
  /** Per claim, the place of its document. */
  readonly holders: readonly number[];
  /** Per document, {@link DocumentParts} as JSON: one string is cheaper to write and read than a clone of its structure. */
  readonly texts: readonly string[];
}

/** A document as its text has it. */
export type DocumentParts = readonly [
  version: number,
  claims: readonly string[],
  feeds: readonly string[],
  body: Json,
  entries: Entries,
];

/** A document on its way into a bundle. */
export interface DocumentRow {
  readonly id: string;
  readonly claims: readonly string[];
  readonly feeds: readonly string[];
  readonly text: string;
  /** Its entries, as JSON. */
  readonly entries: string;
}

/** A row of `feeds`: where a document stands in one feed. */
export interface FeedRow {
  /** Joined feed and document. */
  readonly id: string;
  readonly document: string;
  readonly place: string;
  readonly gone: boolean;
}

/** A row of `state`: `position` is the newest position given to a change, `block` the newest number of a block. */
export interface StateRow {
  readonly name: "position" | "block";
  readonly value: number;
}

/** A row of `state`: which database this is, among all that ever had its name. */
export interface IdentityRow {
  readonly name: "identity";
  readonly value: string;
}

/** A row of `state`: which blocks a collection has. */
export interface ShelfRow {
  /** See {@link shelfName}. */
  readonly name: string;
  readonly blocks: readonly BlockNote[];
}

/**
 * A block: its number, how many documents it was packed with, how many of them are dead, replaced by newer ones, and `1`
 * when it takes no more although it may look small, because of long values.
 */
export type BlockNote = readonly [number: number, size: number, dead: number, full: 0 | 1];

/** The name of a collection's row in `state`. */
export function shelfName(collection: string): string {
  return `blocks\u0000${collection}`;
}

/** A row of `recent`: what one commit changed for the queries of one collection. */
export interface RecentRow {
  readonly n: number;
  readonly collection: string;
  /** A list of {@link RecentEntry} as JSON. */
  readonly text: string;
}

/** What queries see of a document: `null` for one that was removed. `1` when the document was there before. */
export type RecentEntry = readonly [key: string, entries: Entries | null, replaces: 0 | 1];

/**
 * A row of `columns`: what the documents of one block have in one index. Documents are counted in the order of their keys.
 * A block's keys are a column too, of which each value belongs to the document in its place.
 */
export interface ColumnRow {
  readonly id: string;
  /** Distinct values in order, joined by U+0000. */
  readonly text: string;
  /** Per value, where its part of `owners` ends. */
  readonly ends: Uint32Array;
  /** Twice the number of a document, and one more where the value is not its first. */
  readonly owners: Uint16Array;
  /** With a block's keys: the indexes in which its documents have values. */
  readonly indexes?: readonly string[];
}

/** Writes a document as text; takes a copy. */
export function toRow(document: Document): DocumentRow {
  const { version, claims = [], feeds = [] } = document;
  const entries = JSON.stringify(document.entries ?? {});
  const parts = [version, claims, feeds].map((part) => JSON.stringify(part));
  const text = `[${parts.join()},${bodyText(document)},${entries}]`;
  return { id: documentId(document), claims: [...claims], feeds: [...feeds], text, entries };
}

/** Reads a document from its text. */
export function toDocument(id: string, text: string): StoredDocument {
  const [version, claims, feeds, body, entries] = JSON.parse(text) as DocumentParts;
  return { ...documentKey(id), version, body, claims, entries, feeds };
}

/** Puts documents into one row. */
export function toBundle(rows: readonly Pick<DocumentRow, "id" | "claims" | "text">[]): BundleRow {
  return {
    ids: rows.map(({ id }) => id),
    claims: rows.flatMap(({ claims }) => claims),
    holders: rows.flatMap(({ claims }, at) => claims.map(() => at)),
    texts: rows.map(({ text }) => text),
  };
}
