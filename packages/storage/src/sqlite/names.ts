import type { Connection } from "./client.ts";

/**
 * The number of an index, given out at its first entry.
 *
 * @param name Collection and index, written for columns.
 */
export function indexNumberOf(
  connection: Connection,
  { collection, idx }: { readonly collection: string; readonly idx: string },
): number {
  return connection.numbered(`index ${collection}\u0000${idx}`, () => {
    const known = connection.row<Numbered>(
      "SELECT id FROM indexes WHERE collection = ? AND idx = ?",
      collection,
      idx,
    );
    const sql = "INSERT INTO indexes (collection, idx, several) VALUES (?, ?, 0) RETURNING id";
    return (known ?? connection.row<Numbered>(sql, collection, idx))?.id ?? 0;
  });
}

/**
 * The number of a feed, given out when it tells its first change.
 *
 * @param feed Written for columns.
 */
export function feedNumberOf(connection: Connection, feed: string): number {
  return connection.numbered(`feed ${feed}`, () => {
    const known = connection.row<Numbered>("SELECT id FROM feed_names WHERE feed = ?", feed);
    const sql = "INSERT INTO feed_names (feed) VALUES (?) RETURNING id";
    return (known ?? connection.row<Numbered>(sql, feed))?.id ?? 0;
  });
}

interface Numbered {
  readonly id: number;
}
