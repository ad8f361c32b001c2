import type { Connection, SqliteValue } from "./client.ts";
import { feedNumbers } from "./names.ts";
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
  const before = connection.row<{ position: number }>("SELECT position FROM store")?.position ?? 0;
  const last = before + told.length;
  connection.run("UPDATE store SET position = ?", last);
  const added: SqliteValue[] = [];
  for (const [nth, change] of told.entries()) {
    const position = before + 1 + nth;
    if (change.after.feeds.length > 0) positions.set(change.id, position);
    for (const feed of move(connection, change, position)) added.push(feed, position, change.id);
  }
  connection.insert("INSERT INTO feeds (feed, position, document)", added);
  return positions;
}

/** Moves what is in the feeds already; answers the feeds that it comes to. */
function move(connection: Connection, change: DocumentChange, position: number): readonly number[] {
  const { before, after } = change;
  const numberOf = feedNumbers(connection);
  const [left, current] = [new Set(before.feeds.map(numberOf)), new Set(after.feeds.map(numberOf))];
  const entered: number[] = [];
  for (const feed of current) {
    if (!left.delete(feed)) entered.push(feed);
    else {
      connection.run(
        "UPDATE feeds SET position = ? WHERE feed = ? AND position = ?",
        ...[position, feed, before.position],
      );
    }
  }
  for (const feed of left) depart(connection, { change, feed, position });
  if (entered.length > 0) forgetDepartures(connection, entered, change);
  return entered;
}

function depart(
  connection: Connection,
  {
    change: { at, before },
    feed,
    position,
  }: { readonly change: DocumentChange; readonly feed: number; readonly position: number },
): void {
  connection.run(
    "UPDATE feeds SET position = ?, document = NULL, collection = ?, key = ? WHERE feed = ? AND position = ?",
    ...[position, at.collection, at.key, feed, before.position],
  );
  connection.run(
    "INSERT INTO departures (collection, key, feed, position) VALUES (?, ?, ?, ?)",
    ...[at.collection, at.key, feed, position],
  );
}

/** A feed tells each document once: its departure is forgotten when it comes back. */
function forgetDepartures(
  connection: Connection,
  entered: readonly number[],
  { at: { collection, key } }: DocumentChange,
): void {
  const sql = "SELECT feed, position FROM departures WHERE collection = ? AND key = ?";
  for (const { feed, position } of connection.rows<{ feed: number; position: number }>(
    sql,
    collection,
    key,
  )) {
    if (!entered.includes(feed)) continue;
    connection.run("DELETE FROM feeds WHERE feed = ? AND position = ?", feed, position);
    connection.run(
      "DELETE FROM departures WHERE collection = ? AND key = ? AND feed = ?",
      ...[collection, key, feed],
    );
  }
}
