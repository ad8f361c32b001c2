import { StoreError, type StoreFault } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { refusal } from "./refusal.ts";
import { substringIndexes } from "./substrings.ts";
import { documentScan } from "./verify-documents.ts";

/** A file of up to so many bytes is checked page by page, in a second or two; of a larger one, what was written last. */
const smallFile = 256 * 1024 * 1024;

/** Documents that were put last, and places at the end of a feed, that are compared with what is kept of them. */
const newestDocuments = 2000;

/** Feeds whose last places are looked at. */
const sampledFeeds = 16;

/**
 * Examines a file whose last process did not close it, and marks it when it is damaged: it stays refused until a verification
 * finds no fault in it any more. A mark from before counts as well.
 *
 * @throws StoreError `corrupt`, which says what to do.
 */
export function checkSoundness(connection: Connection, where: string, crashed: boolean): void {
  const known = markOf(connection);
  const found = known ?? (crashed ? faultAfterCrash(connection, where) : undefined);
  if (found === undefined) return;
  if (known === undefined) mark(connection, found);
  throw new StoreError(
    "corrupt",
    `${where}: the last process to use the database did not close it, and it is damaged (${found}). Find out how far with ` +
      "`fieldroll verify`. Restore the newest backup; or, if no document and no page is damaged, `fieldroll reindex` mends it.",
  );
}

/** Lets the file be opened again. */
export function forgetDamage(connection: Connection): void {
  if (markOf(connection) !== undefined) connection.immediate(() => connection.script("DROP TABLE damage"));
}

function markOf(connection: Connection): string | undefined {
  if (!connection.row("SELECT 1 FROM sqlite_schema WHERE name = 'damage'")) return undefined;
  return connection.row<{ found: string }>("SELECT found FROM damage")?.found ?? "of an unknown kind";
}

/** A file so damaged that it can't be marked will be found damaged again. */
function mark(connection: Connection, found: string): void {
  try {
    connection.immediate(() => {
      connection.script("CREATE TABLE damage (found TEXT NOT NULL)");
      connection.run("INSERT INTO damage (found) VALUES (?)", found);
    });
  } catch {
    // The refusal that follows is what counts.
  }
}

function faultAfterCrash(connection: Connection, where: string): string | undefined {
  try {
    return (
      (databaseBytes(connection) <= smallFile ? faultOfPages(connection) : undefined) ??
      faultOfNewest(connection)
    );
  } catch (error) {
    const refused = refusal(error, where);
    if (refused.code !== "corrupt") throw refused;
    return "pages can't be read";
  }
}

/** The size of the database, what its log has of it included. */
export function databaseBytes(connection: Connection): number {
  const pages = connection.row<{ page_count: number }>("PRAGMA page_count")?.page_count ?? 0;
  return pages * (connection.row<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0);
}

/**
 * The check of a full-text index may stumble over what another process writes meanwhile: what it finds counts where it finds it
 * again while nobody writes.
 */
function faultOfPages(connection: Connection): string | undefined {
  return checkPages(connection) === undefined
    ? undefined
    : connection.immediate(() => checkPages(connection));
}

function checkPages(connection: Connection): string | undefined {
  const found = connection.row<{ quick_check: string }>("PRAGMA quick_check(1)")?.quick_check;
  return found === "ok" ? undefined : (found ?? "pages can't be read");
}

function faultOfNewest(connection: Connection): string | undefined {
  const faults: StoreFault[] = [];
  connection.snapshot(() => {
    const scan = documentScan(substringIndexes(connection));
    for (const id of newest(connection)) {
      for (const row of scan.read(connection, id - 1, 1)) {
        scan.check(row, connection, (fault) => faults.push(fault));
      }
    }
  });
  return faults[0] && `${faults.length} faults, the first: ${faults[0].message}`;
}

/** Rows that were added last, and of the first feeds those that changed last. */
function newest(connection: Connection): ReadonlySet<number> {
  const added = `SELECT id FROM documents ORDER BY id DESC LIMIT ${newestDocuments}`;
  const told = `SELECT document AS id FROM feeds WHERE feed = ? AND document IS NOT NULL ORDER BY position DESC
    LIMIT ${newestDocuments / sampledFeeds}`;
  const feeds = connection.rows<{ id: number }>(
    `SELECT id FROM feed_names ORDER BY id LIMIT ${sampledFeeds}`,
  );
  const rows = [
    ...connection.rows<{ id: number }>(added),
    ...feeds.flatMap((feed) => connection.rows<{ id: number }>(told, feed.id)),
  ];
  return new Set(rows.map(({ id }) => id));
}
