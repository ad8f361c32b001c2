import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";

/**
 * The numbers of a collection's indexes by their names, each given out at its first entry.
 *
 * @param collection Written for columns, as are the names.
 */
export function indexNumbers(connection: Connection, collection: string): (idx: string) => number {
  return connection.numbers(`index ${collection}`, (idx) => {
    const known = connection.row<Numbered>(
      "SELECT id FROM indexes WHERE collection = ? AND idx = ?",
      collection,
      idx,
    );
    const sql = "INSERT INTO indexes (collection, idx, several) VALUES (?, ?, 0) RETURNING id";
    return (known ?? connection.row<Numbered>(sql, collection, idx))?.id ?? 0;
  });
}

/** The numbers of feeds by their names, as the port has them, each given out when the feed tells its first change. */
export function feedNumbers(connection: Connection): (feed: string) => number {
  return connection.numbers("feed", (name) => {
    const feed = toColumn(name);
    const known = connection.row<Numbered>("SELECT id FROM feed_names WHERE feed = ?", feed);
    const sql = "INSERT INTO feed_names (feed) VALUES (?) RETURNING id";
    return (known ?? connection.row<Numbered>(sql, feed))?.id ?? 0;
  });
}

/** An index in which some document has several values stays so marked: a walk of it then tests each document by itself. */
export function severalNoted(connection: Connection): (index: number) => void {
  const noted = connection.numbers("several", (index) => {
    connection.run("UPDATE indexes SET several = 1 WHERE id = ? AND several = 0", Number(index));
    return 1;
  });
  return (index) => noted(String(index));
}

/**
 * A rebuild by another process gives names that were lost other numbers, and always gives the store another identity. Must run in
 * each transaction that writes, before it asks for a number.
 */
export function forgetFormerNumbers(connection: Connection): void {
  connection.keepNumbersOf(connection.row<{ id: string }>("SELECT id FROM store")?.id);
}

interface Numbered {
  readonly id: number;
}
