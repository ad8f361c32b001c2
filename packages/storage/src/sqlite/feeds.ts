import type { Connection, SqliteValue } from "./client.ts";
import { lacksStoreRow } from "./damaged.ts";
import { feedNumbers } from "./names.ts";
import { movePendingIfDue, pendingColumns, pendingFeeds } from "./pending-feeds.ts";
import type { DocumentChange } from "./rows.ts";

/**
 * Moves each changed document to the next position of its feeds, and of those it leaves. Positions are given out under the
 * write lock, so they commit in order.
 *
 * @returns The new positions, by the number of the document's row.
 */
export function writeFeeds(
  connection: Connection,
  changes: readonly DocumentChange[],
): ReadonlyMap<number, number> {
  const told = changes.filter(({ before, after }) => before.feeds.length + after.feeds.length > 0);
  const positions = new Map<number, number>();
  if (told.length === 0) return positions;
  // RETURNING would cost as much again.
  const before = connection.row<{ position: number }>("SELECT position FROM store")?.position;
  if (before === undefined) throw lacksStoreRow();
  const last = before + told.length;
  connection.run("UPDATE store SET position = ?", last);
  const places: SqliteValue[] = [];
  for (const [nth, change] of told.entries()) {
    const position = before + 1 + nth;
    if (change.after.feeds.length > 0) positions.set(change.id, position);
    addPlaces(connection, { change, position, places });
  }
  connection.insert(`INSERT INTO ${pendingFeeds} (${pendingColumns})`, places);
  movePendingIfDue(connection, before, last);
  return positions;
}

/** Adds where the feeds tell of a change, and where they told of the document before. */
function addPlaces(
  connection: Connection,
  {
    change,
    position,
    places,
  }: { readonly change: DocumentChange; readonly position: number; readonly places: SqliteValue[] },
): void {
  const { id, before, after, at } = change;
  const numberOf = feedNumbers(connection);
  const [left, current] = [new Set(before.feeds.map(numberOf)), new Set(after.feeds.map(numberOf))];
  const entered = [...current].filter((feed) => !left.has(feed));
  const departed = entered.length > 0 ? takeDepartures(connection, entered, change) : undefined;
  for (const feed of current) {
    const was = left.delete(feed) ? before.position : (departed?.get(feed) ?? 0);
    places.push(position, feed, id, null, null, was);
  }
  for (const feed of left) {
    places.push(position, feed, null, at.collection, at.key, before.position);
    connection.run(
      "INSERT INTO departures (collection, key, feed, position) VALUES (?, ?, ?, ?)",
      ...[at.collection, at.key, feed, position],
    );
  }
}

/** A feed tells each document once: its departure is forgotten when it comes back. Answers where it was told, by feed. */
function takeDepartures(
  connection: Connection,
  entered: readonly number[],
  { at: { collection, key } }: DocumentChange,
): ReadonlyMap<number, number> {
  const sql = "SELECT feed, position FROM departures WHERE collection = ? AND key = ?";
  const rows = connection.rows<{ feed: number; position: number }>(sql, collection, key);
  const back = rows.filter(({ feed }) => entered.includes(feed));
  for (const { feed } of back) {
    connection.run(
      "DELETE FROM departures WHERE collection = ? AND key = ? AND feed = ?",
      ...[collection, key, feed],
    );
  }
  return new Map(back.map(({ feed, position }) => [feed, position]));
}
