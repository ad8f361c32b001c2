import type { DocumentKey } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { codesOf } from "./codes.ts";
import { DamagedDocument, keyAsText } from "./damaged.ts";
import { entriesDifference, valuesIn } from "./declared.ts";
import { pendingFeeds } from "./pending-feeds.ts";
import { placeOf } from "./places.ts";
import { isRowNumber } from "./rebuild-numbers.ts";
import { type Declared, type DocumentRow, declaredFrom, documentColumns, fromRow } from "./rows.ts";
import type { Scan, Scanned } from "./scan.ts";
import { hasTable } from "./schema-tables.ts";
import { firstOf, type SubstringIndex, textOf } from "./substrings.ts";
import type { Tell } from "./verify.ts";

interface PlacedRow extends DocumentRow, Scanned {
  readonly id: number;
  /** The same in digits: a number holds not every one. */
  readonly digits: string;
  readonly position: number;
}

/** A document under examination. */
interface Examined {
  readonly connection: Connection;
  readonly tell: Tell;
  readonly id: number;
  readonly position: number;
  readonly at: DocumentKey;
  readonly declared: Declared;
}

/** Every document can be read, and what it declares is kept, as far as the tables for that are there. */
export function documentScan(indexes: readonly SubstringIndex[]): Scan<PlacedRow> {
  const known = new Map<string, boolean>();
  const areThere = (connection: Connection, ...tables: readonly string[]) =>
    tables.every((table) => {
      const isThere = known.get(table) ?? hasTable(connection, table);
      known.set(table, isThere);
      return isThere;
    });
  return {
    table: "documents",
    start: [Number.NEGATIVE_INFINITY],
    read: (connection, after, most = 200) =>
      connection.rows<PlacedRow>(
        `SELECT d.id, CAST(d.id AS TEXT) AS digits, d.position, ${documentColumns} FROM documents d
         WHERE d.id > ? ORDER BY d.id LIMIT ? + 0`,
        ...[...after, most],
      ),
    placeOf: ({ digits }) => [digits],
    check(row, connection, tell) {
      const at = keyAsText(row);
      checkCharacters(row, connection, tell);
      const declared = readable(row, tell);
      if (!declared) return;
      if (!isRowNumber(row.id)) {
        const message = `table documents: its row is numbered ${row.id}, and nothing can be counted on from there`;
        tell({ about: "medium", at, message });
        return;
      }
      const examined = { connection, tell, id: row.id, position: row.position, at, declared };
      if (areThere(connection, "claims")) checkClaims(examined);
      if (areThere(connection, "indexes", "entries")) checkEntries(examined);
      if (areThere(connection, "feed_names", "feeds", pendingFeeds)) checkFeeds(examined);
      for (const index of indexes) checkSubstrings(examined, index);
    },
  };
}

/** What a document's row declares; `undefined` when it can't be read, or its body can't, which is told. */
export function readable(row: DocumentRow, tell: Tell): Declared | undefined {
  try {
    fromRow(row);
    return declaredFrom(row, row);
  } catch (error) {
    if (!(error instanceof DamagedDocument)) throw error;
    tell({
      about: "document",
      at: keyAsText(row),
      message: `the row is no readable document: ${error.fault}`,
    });
    return undefined;
  }
}

/** The columns of a document's row that hold text, by what {@link documentColumns} calls them. */
const textColumns = {
  collection: "collection",
  key: "key",
  claims: "claims",
  entries: "indexed",
  feeds: "feeds",
  body: "body",
} as const;

/**
 * Bytes that are no UTF-8 are read as U+FFFD, as if that had been written; SQLite compares the bytes themselves. A text that has
 * U+FFFD of its own is equal to what is bound for it.
 */
function checkCharacters(row: PlacedRow, connection: Connection, tell: Tell): void {
  for (const [name, column] of Object.entries(textColumns)) {
    const text: unknown = row[name as keyof typeof textColumns];
    if (typeof text !== "string" || !text.includes("\uFFFD")) continue;
    const sql = `SELECT ${column} = ? AS same FROM documents WHERE id = ?`;
    if (connection.row<{ same: number }>(sql, text, row.id)?.same === 1) continue;
    const message = `the row is no readable document: the column ${column} has bytes that are no UTF-8`;
    tell({ about: "document", at: keyAsText(row), message });
  }
}

function checkClaims({ connection, tell, at, declared }: Examined): void {
  const columns = { collection: toColumn(at.collection), key: toColumn(at.key) };
  for (const claim of new Set(declared.claims)) {
    const sql = "SELECT collection, key FROM claims WHERE claim = ?";
    const holder = connection.row<DocumentKey>(sql, toColumn(claim));
    if (!holder)
      tell({ about: "claim", at, message: `the claim ${claim} is declared, but kept for no document` });
    else if (holder.collection !== columns.collection || holder.key !== columns.key) {
      tell({ about: "claim", at, message: `the claim ${claim} is declared, but kept for another document` });
    }
  }
}

interface EntryRow {
  readonly first: number;
  readonly document: number;
}

function checkEntries({ connection, tell, at, id, declared }: Examined): void {
  const [collection, key] = [toColumn(at.collection), toColumn(at.key)];
  for (const { idx, value, first } of entriesDifference({}, declared.entries).write) {
    const row = connection.row<EntryRow & { several: number }>(
      `SELECT e.first, e.document, i.several FROM indexes i CROSS JOIN entries e ON e.idx = i.id AND e.value = ? AND e.key = ?
       WHERE i.collection = ? AND i.idx = ?`,
      ...[value, key, collection, idx],
    );
    const fault = faultOfEntry(row, id, first);
    if (fault) tell({ about: "entry", at, message: `the index ${idx}: ${fault}` });
  }
}

function faultOfEntry(
  row: (EntryRow & { several: number }) | undefined,
  id: number,
  first: boolean,
): string | undefined {
  if (!row) return "a value is declared, but has no entry";
  if (row.document !== id) return "the entry of a value names another document's row";
  if ((row.first === 1) !== first) return "an entry is wrong about being the one for sorting";
  if (!first && row.several === 0)
    return "a document has several values, and the index is said to have one of each";
  return undefined;
}

function checkFeeds({ connection, tell, at, id, position, declared }: Examined): void {
  for (const feed of new Set(declared.feeds)) {
    const tells = (table: string) => {
      const sql = `SELECT f.told FROM feed_names n CROSS JOIN ${table} f ON f.feed = n.id AND f.position = ? WHERE n.feed = ?`;
      return connection.row<{ told: number | null }>(sql, position, toColumn(feed))?.told === id;
    };
    if (tells("feeds") || tells(pendingFeeds)) continue;
    tell({
      about: "feed",
      at,
      message: `the feed ${feed} is declared, but does not tell the document at position ${position}`,
    });
  }
}

function checkSubstrings(examined: Examined, index: SubstringIndex): void {
  const { tell, at, declared } = examined;
  const text = textOf(valuesIn(declared.entries, index.name));
  const fault = text === "" ? undefined : faultOfText(examined, index.number, text);
  if (fault) tell({ about: "substrings", at, message: `the index ${index.name}: ${fault}` });
}

function faultOfText({ connection, id, at }: Examined, number: number, text: string): string | undefined {
  const sql = `SELECT text, codes, CAST(place AS TEXT) AS place FROM substrings_${number} WHERE id = ?`;
  const kept = connection.row<{ text: string; codes: string; place: string }>(sql, id);
  if (!kept) return "its values are not kept for finding substrings";
  if (kept.text !== text) return "other values are kept for finding substrings than it has";
  if (kept.codes !== codesOf(text)) return "what finds substrings in its values is not theirs";
  if (kept.place === placeOf(toColumn(at.collection), firstOf(text), id)) return undefined;
  return "its values are kept in a place that is not in their order";
}
