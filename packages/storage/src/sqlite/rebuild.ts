import { type DocumentKey, type StoreCensus, StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection, SqliteValue } from "./client.ts";
import { writeEntries } from "./entries.ts";
import { feedNumbers } from "./names.ts";
import { mendIndexes } from "./rebuild-indexes.ts";
import { mendNumbers } from "./rebuild-numbers.ts";
import { isCode } from "./result-codes.ts";
import { type Declared, type DocumentRow, documentColumns, keyFrom } from "./rows.ts";
import { checkSchema } from "./schema.ts";
import { renewTables, wrongTables } from "./schema-tables.ts";
import { faultsOfPages } from "./soundness.ts";
import { renewSubstringIndexes } from "./substring-tables.ts";
import type { Tell, Upkeep } from "./verify.ts";
import { readable } from "./verify-documents.ts";

interface PlacedRow extends DocumentRow {
  readonly id: number;
  readonly position: number;
}

/** What one rebuilding keeps in mind. */
interface Rebuilding {
  readonly connection: Connection;
  readonly tell: Tell;
  /** No document has a position beyond it, so the next one is free. */
  newest: number;
  /** The numbers of rows that are left aside. */
  readonly damaged: number[];
}

const atOnce = 500;

/**
 * Builds claims, entries, feeds and trigrams from the documents' rows, in one transaction: cut off, nothing was done. Others can't
 * write meanwhile, and this process does nothing else. Tables that are missing are made anew, as are the index of the documents' keys,
 * and numbers of names that do not agree with their index.
 *
 * The store gets another identity, by which other processes that have the file open know that indexes and feeds may be numbered anew.
 *
 * @throws StoreError `corrupt` when what is left of the schema is no ground to build on, `newer-schema` when later software has upgraded
 * the file since it was opened.
 */
export function rebuildStore({ connection, where, inTurn }: Upkeep, tell: Tell): Promise<StoreCensus> {
  return inTurn(() => {
    try {
      return connection.immediate(() => {
        checkSchema(connection, where);
        renewTables(connection, where);
        const built = build(connection, where, tell);
        refuseDamagedPages(connection, where);
        return built;
      });
    } catch (error) {
      const says = `${where}: the tables are not those of this schema, and can't be built anew. Nothing was written. Restore a backup`;
      throw wrongTables(error, says) ?? disagreeing(error, where) ?? error;
    }
  });
}

/** In a sound file nothing that is built breaks what its tables demand: they are declared otherwise, or rows have what no row can have. */
function disagreeing(error: unknown, where: string): StoreError | undefined {
  if (!isCode(error, { name: "SQLITE_CONSTRAINT", number: 19 })) return undefined;
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    "corrupt",
    `${where}: what is in the file does not fit its tables (${reason}), so nothing can be built from it. Nothing was written. Restore a backup.`,
    { cause: error },
  );
}

function build(connection: Connection, where: string, tell: Tell): StoreCensus {
  connection.forgetNumbers();
  mendIndexes({ connection, where, tell });
  const newest = mendNumbers(connection);
  const rebuilding = { connection, tell, newest, damaged: [] };
  for (const rows of slices(connection, where)) rebuild(rebuilding, rows);
  // Only now is it known which feeds there are: what had left them is forgotten.
  connection.run(
    "DELETE FROM feed_names WHERE NOT EXISTS (SELECT 1 FROM feeds f WHERE f.feed = feed_names.id)",
  );
  connection.run("INSERT INTO store (id, position) SELECT '', 0 WHERE NOT EXISTS (SELECT 1 FROM store)");
  connection.run("DELETE FROM store WHERE rowid > (SELECT min(rowid) FROM store)");
  connection.run("UPDATE store SET id = lower(hex(randomblob(8))), position = ?", rebuilding.newest);
  renewSubstringIndexes(connection, rebuilding.damaged);
  return census(connection);
}

/** What was built may lie on pages that documents are on, where the list of free pages names those. */
function refuseDamagedPages(connection: Connection, where: string): void {
  const found = faultOfPages(connection);
  if (found === undefined) return;
  throw new StoreError(
    "corrupt",
    `${where}: other pages are damaged than those that can be built anew (${found}). Nothing was written. Restore a backup.`,
  );
}

function faultOfPages(connection: Connection): string | undefined {
  try {
    const [found] = faultsOfPages(connection, "quick_check(1)");
    // Other faults are of rows, which were left aside.
    return found?.startsWith("*** in database ") ? found : undefined;
  } catch (error) {
    // What was built can't even be read again.
    if (error instanceof Error && isCode(error, { name: "SQLITE_CORRUPT", number: 11 })) return error.message;
    throw error;
  }
}

/** By the numbers of their rows: so also those are met whose keys are damaged. */
function* slices(connection: Connection, where: string): Generator<readonly PlacedRow[]> {
  for (let after = 0; ; ) {
    const rows = connection.rows<PlacedRow>(
      `SELECT d.id, d.position, ${documentColumns} FROM documents d NOT INDEXED WHERE d.id > ? ORDER BY d.id LIMIT ${atOnce}`,
      after,
    );
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < atOnce) return;
    if (last.id <= after) throw disordered(where);
    after = last.id;
  }
}

/** To build from a part of the documents would lose what the others declare. */
function disordered(where: string): StoreError {
  return new StoreError(
    "corrupt",
    `${where}: the documents do not stand in their order, so nothing can be built from them. Nothing was written. Restore a backup.`,
  );
}

function rebuild(rebuilding: Rebuilding, rows: readonly PlacedRow[]): void {
  const { connection, tell } = rebuilding;
  const all = rows.flatMap((row) => {
    const declared = readable(row, tell);
    if (declared) return { row, declared };
    rebuilding.damaged.push(row.id);
    return [];
  });
  for (const { row, declared } of all) keepClaims(rebuilding, row, declared);
  const changes = all.map(({ row, declared: after }) => {
    const before = { version: 0, claims: [], entries: {}, feeds: [], id: row.id, position: 0 };
    return { id: row.id, at: { collection: row.collection, key: row.key }, before, after };
  });
  writeEntries(connection, changes);
  const told = all.flatMap(({ row, declared }) => placesOf(rebuilding, row, declared));
  connection.insert("INSERT INTO feeds (feed, position, told)", told);
}

function keepClaims({ connection, tell }: Rebuilding, row: PlacedRow, { claims }: Declared): void {
  for (const claim of new Set(claims)) {
    const loser = keepClaim(connection, toColumn(claim), row);
    if (!loser) continue;
    tell({
      about: "claim",
      at: keyFrom(loser),
      message: `the claim ${claim} is declared, but another document keeps it`,
    });
  }
}

/** Of two documents the one with the smaller key keeps a claim; answers the other. */
function keepClaim(connection: Connection, claim: string, { collection, key }: DocumentKey) {
  const sql =
    "INSERT INTO claims (claim, collection, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING RETURNING 1";
  if (connection.row(sql, claim, collection, key)) return undefined;
  const former = connection.row<DocumentKey>(
    "SELECT collection, key FROM claims WHERE claim = ? AND (collection, key) > (?, ?)",
    ...[claim, collection, key],
  );
  if (former)
    connection.run("UPDATE claims SET collection = ?, key = ? WHERE claim = ?", collection, key, claim);
  return former ?? { collection, key };
}

function placesOf(rebuilding: Rebuilding, row: PlacedRow, { feeds }: Declared): readonly SqliteValue[] {
  if (feeds.length === 0) return [];
  const position = placeOf(rebuilding, row);
  const numbers = new Set(feeds.map(feedNumbers(rebuilding.connection)));
  return [...numbers].flatMap((feed) => [feed, position, row.id]);
}

/** A document keeps its position, where it has one; by now no other has the same. */
function placeOf(rebuilding: Rebuilding, { id, position }: PlacedRow): number {
  if (position > 0) return position;
  rebuilding.newest += 1;
  rebuilding.connection.run("UPDATE documents SET position = ? WHERE id = ?", rebuilding.newest, id);
  return rebuilding.newest;
}

function census(connection: Connection): StoreCensus {
  const count = (table: string) =>
    connection.row<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)?.count ?? 0;
  return {
    documents: count("documents"),
    claims: count("claims"),
    entries: count("entries"),
    feeds: count("feeds"),
  };
}
