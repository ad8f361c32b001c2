import type { Connection } from "./client.ts";

/**
 * Documents whose texts have other trigrams by now than FTS5 has. To write those of one document takes FTS5 as many pages as to write those
 * of thirty, so they wait in `pending_<number>`, and are written together: each with the place and the codes that FTS5 has of the
 * document, `NULL` where it has none. What FTS5 finds of them does not count; a search reads their texts.
 */
export function pendingTable(number: number): string {
  return `pending_${number}`;
}

/** The table in which FTS5 has an index's trigrams. Those of three characters, which earlier software kept, were in `trigrams_<number>`. */
export function trigramsTable(number: number): string {
  return `codes_${number}`;
}

/** So many wait at most at the end of a transaction. */
const most = 32;

/** A longer text, in characters, does not wait: each search would read it. */
const longest = 2000;

/** From now on, a change of the texts makes their documents wait. */
export function deferTrigrams(connection: Connection, number: number): void {
  const [substrings, pending] = [`substrings_${number}`, pendingTable(number)];
  const triggers = [
    { name: "inserted", when: "INSERT", had: "new.id, NULL, NULL" },
    { name: "deleted", when: "DELETE", had: "old.id, old.place, old.codes" },
    { name: "updated", when: "UPDATE OF place, codes", had: "old.id, old.place, old.codes" },
  ];
  connection.script(
    `CREATE TABLE IF NOT EXISTS ${pending} (id INTEGER PRIMARY KEY, place INTEGER, codes TEXT)`,
  );
  for (const { name, when, had } of triggers) {
    // What waits already says what FTS5 has; later changes do not alter that.
    connection.script(`DROP TRIGGER IF EXISTS ${substrings}_${name};
      CREATE TRIGGER ${substrings}_${name} AFTER ${when} ON ${substrings}
      BEGIN INSERT INTO ${pending} (id, place, codes) VALUES (${had}) ON CONFLICT (id) DO NOTHING; END`);
  }
}

/**
 * Writes the trigrams of what waits when there is enough of it; at once where a text is long, or one was erased: of that nothing waits.
 *
 * @param changed What a transaction has written: texts, and whether the one before each was erased, and not only changed.
 */
export function writePendingIfDue(
  connection: Connection,
  number: number,
  changed: readonly { readonly text: string; readonly erased: boolean }[],
): void {
  const isDue =
    changed.length >= most ||
    changed.some(({ text, erased }) => erased || text.length > longest) ||
    (connection.row<{ count: number }>(`SELECT count(*) AS count FROM ${pendingTable(number)}`)?.count ??
      0) >= most;
  if (isDue) writePending(connection, number);
}

/** In order of place: FTS5 writes out what it has gathered whenever a row comes before the last one. */
export function writePending(connection: Connection, number: number): void {
  const [pending, trigrams] = [pendingTable(number), trigramsTable(number)];
  connection.run(`INSERT INTO ${trigrams} (${trigrams}, rowid, codes) SELECT command, place, codes FROM (
      SELECT 'delete' AS command, place, codes FROM ${pending} WHERE typeof(place) = 'integer'
      UNION ALL SELECT NULL, s.place, s.codes FROM ${pending} late CROSS JOIN substrings_${number} s ON s.id = late.id
        WHERE typeof(s.place) = 'integer'
    ) ORDER BY place, command IS NULL`);
  connection.run(`DELETE FROM ${pending}`);
}
