import type { Connection, SqliteValue } from "./client.ts";
import { entriesDifference } from "./declared.ts";
import { indexNumbers, severalNoted } from "./names.ts";
import type { DocumentChange } from "./rows.ts";

interface EntryRow {
  readonly number: number;
  readonly value: string;
  readonly key: string;
  readonly first: boolean;
  readonly id: number;
}

/** In the order in which they lie in the table, so that those of many documents go to each page once. */
export function writeEntries(connection: Connection, changes: readonly DocumentChange[]): void {
  const written: EntryRow[] = [];
  const noteSeveral = severalNoted(connection);
  for (const { id, at, before, after } of changes) {
    const { erase, write } = entriesDifference(before.entries, after.entries);
    const { collection, key } = at;
    const numberOf = indexNumbers(connection, collection);
    for (const { idx, value } of erase) {
      const sql = "DELETE FROM entries WHERE idx = ? AND value = ? AND key = ?";
      connection.run(sql, numberOf(idx), value, key);
    }
    for (const { idx, value, first } of write) {
      const number = numberOf(idx);
      if (!first) noteSeveral(number);
      written.push({ number, value, key, first, id });
    }
  }
  if (changes.length > 1) written.sort(byPlace);
  const values: SqliteValue[] = [];
  for (const { number, value, key, first, id } of written) values.push(number, value, key, first ? 1 : 0, id);
  connection.insert(
    "INSERT INTO entries (idx, value, key, first, document)",
    values,
    "ON CONFLICT (idx, value, key) DO UPDATE SET first = excluded.first",
  );
}

function byPlace(a: EntryRow, b: EntryRow): number {
  if (a.number !== b.number) return a.number - b.number;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
