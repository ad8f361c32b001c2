import type { Connection } from "./client.ts";

/**
 * Places in feeds that are yet to be written to `feeds`. There each feed has pages of its own, and a document that changes leaves one of
 * them and comes to another; here all places of a commit stand together. They are moved when there is enough of them.
 *
 * All positions here come after those in `feeds`. Each row names the position at which its feed told the same document before (`was`, 0 where
 * it did not): that place, here or there, does not count any more.
 */
export const pendingFeeds = "pending_feeds";

/** So many positions wait at most at the end of a transaction. Whoever reads a feed to its end goes through them. */
const most = 1024;

/** A feed's rows here; `undefined` of `document` and the key as in `feeds`. */
export interface PendingPlace {
  readonly position: number;
  readonly feed: number;
  /** The number of a document's row; `null` with the key of one that left the feed. */
  readonly document: number | null;
  readonly collection: string | null;
  readonly key: string | null;
  readonly was: number;
}

/** Has places wait. */
export function addPending(connection: Connection, places: readonly PendingPlace[]): void {
  connection.insert(
    `INSERT INTO ${pendingFeeds} (position, feed, document, collection, key, was)`,
    places.flatMap(({ position, feed, document, collection, key, was }) => [
      ...[position, feed, document, collection, key, was],
    ]),
  );
}

/** Moves what waits to `feeds` when there is enough of it. Must run at the end of a transaction that writes. */
export function movePendingIfDue(connection: Connection): void {
  const sql = `SELECT (SELECT position FROM store) - (SELECT min(position) FROM ${pendingFeeds}) AS span`;
  if ((connection.row<{ span: number | null }>(sql)?.span ?? 0) >= most) movePending(connection);
}

/** In the order of the table, so that each of its pages is written once. */
export function movePending(connection: Connection): void {
  const former = `SELECT feed, was FROM ${pendingFeeds} WHERE was > 0`;
  connection.run(`DELETE FROM feeds WHERE (feed, position) IN (${former})`);
  // Not those of the rows themselves by NOT IN: SQLite would go through all of them for each.
  connection.run(`DELETE FROM ${pendingFeeds} WHERE (feed, position) IN (${former})`);
  connection.run(`INSERT INTO feeds (feed, position, document, collection, key)
    SELECT feed, position, document, collection, key FROM ${pendingFeeds} ORDER BY feed, position`);
  connection.run(`DELETE FROM ${pendingFeeds}`);
}

/** The positions at which a feed told documents that it tells at one that waits by now. */
export function formerPositions(connection: Connection, feed: number): ReadonlySet<number> {
  const sql = `SELECT was FROM ${pendingFeeds} WHERE feed = ? AND was > 0`;
  return new Set(connection.rows<{ was: number }>(sql, feed).map(({ was }) => was));
}
