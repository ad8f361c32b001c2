import { counted, StoreError, type StoreFault } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { pendingFeeds } from "./pending-feeds.ts";
import { refusal } from "./refusal.ts";
import { checkSchema, hasRowsForMarks, isOfSchema } from "./schema.ts";
import { addMark, hasTable, type Mark } from "./schema-tables.ts";
import { substringIndexes } from "./substrings.ts";
import { damagedTrigrams } from "./trigram-damage.ts";
import { documentScan } from "./verify-documents.ts";

/** A file of up to so many bytes is checked page by page, in a second or two; of a larger one, what was written last. */
const smallFile = 256 * 1024 * 1024;

/** Documents that were put last, and places at the end of a feed, that are compared with what is kept of them. */
const newestDocuments = 2000;

/** Feeds whose last places are looked at. */
const sampledFeeds = 16;

/**
 * Examines a file whose last process did not close it, or that was opened unexamined since, and marks it when it is damaged: it
 * stays refused until a verification finds no fault in it any more. A mark from before counts as well.
 *
 * @throws StoreError `corrupt`, which says what to do.
 */
export function checkSoundness(connection: Connection, where: string, crashed: boolean): void {
  refuseUnsound(connection, where, crashed);
  // Where that fails now, the next opening examines the file again.
  if (isMarked(connection, where, "unexamined"))
    attempt(() => connection.immediate(() => unmark(connection, where, "unexamined")));
}

/** The same for a file that is to be upgraded, of which only the pages can be examined: it stays to be examined. */
export function refuseUnsound(connection: Connection, where: string, crashed: boolean): void {
  const isAsked = crashed || isMarked(connection, where, "unexamined");
  const found = markOf(connection, where) ?? (isAsked ? faultAfterCrash(connection, where) : undefined);
  if (found === undefined) return;
  attempt(() => markDamage(connection, where, found));
  throw new StoreError(
    "corrupt",
    `${where}: the database is damaged, as was found after a crash or by a verification (${found}). Find out how far with ` +
      "`fieldroll verify`. Restore the newest backup; or, if no document and no page is damaged, `fieldroll reindex` mends it.",
  );
}

/**
 * Notes that a file which a crash may have damaged is opened without being examined: the log, which tells of the crash, goes when
 * this process closes it.
 */
export function noteUnexamined(connection: Connection): void {
  attempt(() => {
    // What it is called is for messages only, and of this nothing is told.
    const where = "the database";
    if (markOf(connection, where) !== undefined || isMarked(connection, where, "unexamined")) return;
    connection.immediate(() => {
      isOfSchema(connection, where);
      addMark(connection, "unexamined");
      connection.run("INSERT INTO unexamined (note) VALUES (NULL)");
    });
  });
}

/** So many characters fit into the table's one page. */
const longestFound = 300;

/**
 * Keeps a file from being opened, but to be looked after. What was found first stays told.
 *
 * @throws StoreError `newer-schema` when later software has upgraded the file: it has marks of its own.
 */
export function markDamage(connection: Connection, where: string, found: string): void {
  if (markOf(connection, where) !== undefined) return;
  connection.immediate(() => {
    isOfSchema(connection, where);
    addMark(connection, "damage");
    connection.run("INSERT INTO damage (found) VALUES (?)", found.slice(0, longestFound));
  });
}

/**
 * Lets a file of the present schema be opened again.
 *
 * @throws StoreError as {@link checkSchema} does.
 */
export function forgetDamage(connection: Connection, where: string): void {
  if (!isMarked(connection, where, "damage") && !isMarked(connection, where, "unexamined")) return;
  connection.immediate(() => {
    checkSchema(connection, where);
    unmark(connection, where, "damage");
    unmark(connection, where, "unexamined");
  });
}

function unmark(connection: Connection, where: string, mark: Mark): void {
  if (isMarked(connection, where, mark)) {
    connection.script(`${hasRowsForMarks(connection, where) ? "DELETE FROM" : "DROP TABLE"} ${mark}`);
  }
}

/** In a file of a schema before 6 the table itself is the mark. */
function isMarked(connection: Connection, where: string, mark: Mark): boolean {
  if (!hasTable(connection, mark)) return false;
  return !hasRowsForMarks(connection, where) || connection.row(`SELECT 1 FROM ${mark}`) !== undefined;
}

function markOf(connection: Connection, where: string): string | undefined {
  if (!isMarked(connection, where, "damage")) return undefined;
  return connection.row<{ found: string }>("SELECT found FROM damage")?.found ?? "of an unknown kind";
}

/** A file so damaged, or so full, that nothing can be noted in it will be found so again; what is told of it is what counts. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // As said above.
  }
}

function faultAfterCrash(connection: Connection, where: string): string | undefined {
  try {
    return (
      (databaseBytes(connection) <= smallFile ? faultOfFile(connection) : undefined) ??
      // A backup may be made of a file of an earlier schema, whose rows lie otherwise.
      (isOfSchema(connection, where) ? faultOfNewest(connection) : undefined)
    );
  } catch (error) {
    const refused = damagedTrigrams(connection, error, where) ?? refusal(error, where);
    if (refused.code !== "corrupt") {
      noteUnexamined(connection);
      throw refused;
    }
    return "pages can't be read";
  }
}

/** The size of the database, what its log has of it included. */
export function databaseBytes(connection: Connection): number {
  const pages = connection.row<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  return pages * (connection.row<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0);
}

function faultOfFile(connection: Connection): string | undefined {
  return connection.snapshot(() => faultsOfPages(connection, "quick_check(1)"))[0];
}

/**
 * What SQLite finds when it checks the pages of a table, or of the whole file. FTS5 checks its tables by what this connection
 * remembers of them, also when others have written since; a search makes it look anew. Must run in a transaction, where nothing
 * changes between the two.
 *
 * @param check One of SQLite's checks, such as `quick_check(1)`.
 * @param table What it is asked to check, where that is not all.
 */
export function faultsOfPages(connection: Connection, check: string, table = "*"): readonly string[] {
  const trigrams = "sql LIKE 'CREATE VIRTUAL TABLE %' AND name GLOB 'codes_[0-9]*' AND name GLOB ?";
  const sql = `SELECT name FROM sqlite_schema WHERE ${trigrams}`;
  for (const { name } of connection.rows<{ name: string }>(sql, table)) {
    connection.row(`SELECT 1 FROM ${name} WHERE ${name} MATCH 'aaa' LIMIT 1`);
  }
  const rows = connection.rows<Readonly<Record<string, string>>>(`PRAGMA ${check}`);
  return rows.flatMap((row) => Object.values(row)).filter((found) => found !== "ok");
}

function faultOfNewest(connection: Connection): string | undefined {
  const faults: StoreFault[] = [];
  connection.snapshot(() => {
    const scan = documentScan(substringIndexes(connection));
    for (const id of newest(connection)) {
      for (const row of scan.read(connection, [id - 1], 1)) {
        scan.check(row, connection, (fault) => faults.push(fault));
      }
    }
  });
  return faults[0] && `${counted(faults.length, "fault")}, the first: ${faults[0].message}`;
}

/** Rows that were added last, and those that changed last: whose places in feeds wait, and the last of the first feeds. */
function newest(connection: Connection): ReadonlySet<number> {
  const added = `SELECT id FROM documents ORDER BY id DESC LIMIT ${newestDocuments}`;
  const told = `SELECT told AS id FROM feeds WHERE feed = ? AND told IS NOT NULL ORDER BY position DESC
    LIMIT ${newestDocuments / sampledFeeds}`;
  const waiting = `SELECT DISTINCT told AS id FROM ${pendingFeeds} WHERE told IS NOT NULL`;
  const feeds = connection.rows<{ id: number }>(
    `SELECT id FROM feed_names ORDER BY id LIMIT ${sampledFeeds}`,
  );
  const rows = [
    ...connection.rows<{ id: number }>(added),
    ...connection.rows<{ id: number }>(waiting),
    ...feeds.flatMap((feed) => connection.rows<{ id: number }>(told, feed.id)),
  ];
  return new Set(rows.map(({ id }) => id));
}
