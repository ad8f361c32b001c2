import type { Connection } from "./client.ts";
import { entriesDifference } from "./declared.ts";
import { indexNumberOf } from "./names.ts";
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
  for (const { id, at, before, after } of changes) {
    const { erase, write } = entriesDifference(before.entries, after.entries);
    const { collection, key } = at;
    for (const { idx, value } of erase) {
      connection.run(
        "DELETE FROM entries WHERE idx = ? AND value = ? AND key = ?",
        ...[indexNumberOf(connection, { collection, idx }), value, key],
      );
    }
    for (const { idx, value, first } of write) {
      const number = indexNumberOf(connection, { collection, idx });
      if (!first) noteSeveral(connection, number);
      written.push({ number, value, key, first, id });
    }
  }
  if (changes.length > 1) written.sort(byPlace);
  connection.insert(
    "INSERT INTO entries (idx, value, key, first, document)",
    written.flatMap(({ number, value, key, first, id }) => [number, value, key, first ? 1 : 0, id]),
    "ON CONFLICT (idx, value, key) DO UPDATE SET first = excluded.first",
  );
}

function byPlace(a: EntryRow, b: EntryRow): number {
  if (a.number !== b.number) return a.number - b.number;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}

/** An index in which some document has several values stays so marked: a walk of it then tests each document by itself. */
function noteSeveral(connection: Connection, number: number): void {
  connection.numbered(`several ${number}`, () => {
    connection.run("UPDATE indexes SET several = 1 WHERE id = ? AND several = 0", number);
    return 1;
  });
}
