import { type DocumentKey, StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { valuesOf } from "./conditions.ts";
import { deferTrigrams, pendingTable, trigramsTable } from "./pending-trigrams.ts";
import { withinMemory } from "./refusal.ts";
import { end, placed, placedColumns, type SubstringIndex, substringIndexes } from "./substrings.ts";
import { damagedTrigrams, dropTrigrams } from "./trigram-damage.ts";

/**
 * Adds the indexes that the file does not have yet, filled from what is there, in one transaction; and makes sure that this
 * SQLite can keep those it has.
 *
 * @throws StoreError `unavailable` when this SQLite was built without FTS5, or is older than its trigrams; `corrupt` when a table of
 * trigrams is damaged.
 */
export function addSubstringIndexes(connection: Connection, names: readonly string[], where: string): void {
  const missing = () => {
    const present = new Set(substringIndexes(connection).map(({ name }) => name));
    return [...new Set(names)].filter((name) => !present.has(name));
  };
  try {
    for (const { number } of substringIndexes(connection)) {
      // Without a term FTS5 would put all texts in order of place first.
      const trigrams = trigramsTable(number);
      const sql = `SELECT 1 FROM ${trigrams} WHERE ${trigrams} MATCH 'aaa' LIMIT 1`;
      lookAt(connection, sql, where);
    }
    if (missing().length === 0) return;
    connection.immediate(() => {
      for (const name of missing()) addIndex(connection, name);
    });
  } catch (error) {
    throw withoutTrigrams(error, where) ?? error;
  }
}

function lookAt(connection: Connection, sql: string, where: string): void {
  try {
    withinMemory(() => connection.row(sql), where);
  } catch (error) {
    throw damagedTrigrams(connection, error, where) ?? error;
  }
}

/**
 * Makes indexes in a file that has no document yet: their texts are written next, and then {@link gatherTrigrams} is called.
 *
 * @throws StoreError `unavailable` when this SQLite can't keep them.
 */
export function beginSubstringIndexes(
  connection: Connection,
  names: readonly string[],
  where: string,
): readonly SubstringIndex[] {
  try {
    return [...new Set(names)].map((name) => makeTables(connection, name));
  } catch (error) {
    throw withoutTrigrams(error, where) ?? error;
  }
}

/**
 * Makes all indexes of the file anew, filled from what is there. Must run in a transaction.
 *
 * @param damaged The numbers of documents' rows that are left out.
 */
export function renewSubstringIndexes(connection: Connection, damaged: readonly number[] = []): void {
  for (const number of tablesOfSubstrings(connection)) dropTables(connection, number);
  const names = new Set(substringIndexes(connection).map(({ name }) => name));
  connection.run("DELETE FROM substring_indexes");
  for (const name of names) addIndex(connection, name);
  for (const { number } of substringIndexes(connection)) {
    for (const id of damaged) connection.run(`DELETE FROM substrings_${number} WHERE id = ?`, id);
  }
}

/** What the tables of indexes are called, those of earlier software too. */
export const tableOfSubstrings = /^(?:substrings|codes|trigrams|pending)_(\d+)$/;

/** The numbers in the names of tables, also of those that no index has any more. */
function tablesOfSubstrings(connection: Connection): ReadonlySet<number> {
  const rows = connection.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  const numbers = rows.map(({ name }) => tableOfSubstrings.exec(name)?.[1]);
  return new Set(numbers.flatMap((number) => (number === undefined ? [] : Number(number))));
}

function dropTables(connection: Connection, number: number): void {
  // The second is earlier software's.
  for (const table of [trigramsTable(number), `trigrams_${number}`]) dropTrigrams(connection, table);
  for (const table of [`substrings_${number}`, pendingTable(number)]) {
    connection.script(`DROP TABLE IF EXISTS ${table}`);
  }
}

/** SQLite has no code of its own for it: sqlite.org/vtab.html and fts5_tokenize.c have these words. */
export function withoutTrigrams(error: unknown, where: string): StoreError | undefined {
  // What is a StoreError tells already what hinders.
  const reason = error instanceof Error && !(error instanceof StoreError) ? error.message : "";
  if (!/no such module: fts5|no such tokenizer|error in tokenizer constructor/i.test(reason))
    return undefined;
  return new StoreError(
    "unavailable",
    `${where}: this build of SQLite can't keep indexes of trigrams (${reason}); they need FTS5, and SQLite 3.34 or later. ` +
      "Nothing was written. Use another client or build, or make a new file with `substringIndexes: []`, which reads all " +
      "values of an index to find a term.",
    { cause: error },
  );
}

const atOnce = 500;

function addIndex(connection: Connection, name: string): void {
  const index = makeTables(connection, name);
  const values = valuesOf("iif(json_valid(d.indexed), d.indexed, '{}')", name);
  const sql = `SELECT d.id, d.collection, d.key, (
      SELECT group_concat(value || ${end}, '') FROM (SELECT value FROM ${values.text} GROUP BY value ORDER BY min(key))
    ) AS text FROM documents d WHERE d.id > ? AND typeof(d.collection) = 'text' AND typeof(d.key) = 'text' ORDER BY d.id LIMIT ${atOnce}`;
  for (let after = 0; ; ) {
    const rows = connection.rows<DocumentKey & { readonly id: number; readonly text: string | null }>(
      sql,
      ...values.values,
      after,
    );
    const written = rows.flatMap((row) => (row.text === null ? [] : placed(row.id, row, row.text)));
    connection.insert(`INSERT INTO substrings_${index.number} ${placedColumns}`, written);
    const last = rows.at(-1)?.id ?? 0;
    if (rows.length < atOnce) break;
    // In a damaged tree: the same rows would come for ever.
    if (last <= after)
      throw new StoreError(
        "corrupt",
        "The documents do not stand in the order of their rows, so no index was filled. Restore a backup.",
      );
    after = last;
  }
  gatherTrigrams(connection, index);
}

function makeTables(connection: Connection, name: string): SubstringIndex {
  const sql = "INSERT INTO substring_indexes (idx) VALUES (?) ON CONFLICT (idx) DO NOTHING RETURNING number";
  const number = connection.row<{ number: number }>(sql, toColumn(name))?.number;
  if (number === undefined) throw unlisted(name);
  const [substrings, trigrams] = [`substrings_${number}`, trigramsTable(number)];
  // Left from an index that the file lists no longer.
  dropTables(connection, number);
  connection.script(`CREATE TABLE ${substrings} (
      id INTEGER PRIMARY KEY,
      place INTEGER NOT NULL,
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      text TEXT NOT NULL,
      codes TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE ${trigrams} USING fts5 (
      codes, content = '${substrings}', content_rowid = 'place', detail = none, columnsize = 0,
      tokenize = 'trigram case_sensitive 1'
    );`);
  return { number, name };
}

/** The name was looked for in the table, and is in the table's index only. */
function unlisted(name: string): StoreError {
  return new StoreError(
    "corrupt",
    `The table substring_indexes does not agree with its index about the index ${name}, so nothing was written. Examine the database ` +
      "with `fieldroll verify`; `fieldroll reindex` mends it.",
  );
}

/** Bytes of trigrams that FTS5 gathers before it writes them: they need no merging then. Its own 1 MB suits single commits. */
const gathered = { many: 32 * 1024 * 1024, few: 1024 * 1024 };

/**
 * Fills an index's trigrams from the texts that are there; from then on they follow the changes. FTS5's own `rebuild` takes texts in
 * the order of documents, and then writes out what it has gathered whenever a place is not beyond the last one.
 */
export function gatherTrigrams(connection: Connection, { number }: SubstringIndex): void {
  const [substrings, trigrams] = [`substrings_${number}`, trigramsTable(number)];
  connection.script(`INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('hashsize', ${gathered.many});
    INSERT INTO ${trigrams} (rowid, codes) SELECT place, codes FROM ${substrings} ORDER BY place;
    INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('hashsize', ${gathered.few});`);
  deferTrigrams(connection, number);
}
