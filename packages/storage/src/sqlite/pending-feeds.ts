import type { Connection } from "./client.ts";

/**
 * Places in feeds that are yet to be written to `feeds`. There each feed has pages of its own, and a document that changes leaves one of
 * them and comes to another; here all places of a commit stand together. They are moved when there is enough of them.
 *
 * All positions here come after those in `feeds`. Each row names the position at which its feed told the same document before (`was`, 0 where
 * it did not): that place, here or there, does not count any more.
 */
export const pendingFeeds = "pending_feeds";

/** Positions that wait until all are moved, or some more. Whoever reads a feed to its end goes through them. */
const most = 1024;

/** The columns of a place that waits; those of `feeds`, and `was`. */
export const pendingColumns = "position, feed, told, collection, key, was";

/** Whether there is enough is asked where positions pass a multiple of this. */
const asked = 64;

/**
 * Moves what waits to `feeds` when there is enough of it.
 *
 * @param before the newest position until now, and `last` the newest one by now
 */
export function movePendingIfDue(connection: Connection, before: number, last: number): void {
  if (Math.floor(before / asked) === Math.floor(last / asked)) return;
  const first = connection.row<{ first: number | null }>(
    `SELECT min(position) AS first FROM ${pendingFeeds}`,
  )?.first;
  if (last - (first ?? last) >= most) movePending(connection);
}

/** In the order of the table, so that each of its pages is written once. */
export function movePending(connection: Connection): void {
  const former = `SELECT feed, was FROM ${pendingFeeds} WHERE was > 0`;
  connection.run(`DELETE FROM feeds WHERE (feed, position) IN (${former})`);
  // Not those of the rows themselves by NOT IN: SQLite would go through all of them for each.
  connection.run(`DELETE FROM ${pendingFeeds} WHERE (feed, position) IN (${former})`);
  // What a damaged file has of them there already must not keep every later commit from being made.
  connection.run(`INSERT OR REPLACE INTO feeds (feed, position, told, collection, key)
    SELECT feed, position, told, collection, key FROM ${pendingFeeds} ORDER BY feed, position`);
  connection.run(`DELETE FROM ${pendingFeeds}`);
}

/** The positions at which a feed told documents that it tells at one that waits by now. */
export function formerPositions(connection: Connection, feed: number): ReadonlySet<number> {
  const sql = `SELECT was FROM ${pendingFeeds} WHERE feed = ? AND was > 0`;
  return new Set(connection.rows<{ was: number }>(sql, feed).map(({ was }) => was));
}
