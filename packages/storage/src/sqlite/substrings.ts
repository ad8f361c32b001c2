import { type Condition, type DocumentKey, type Entries, StoreError } from "@fieldroll/core";
import { fromColumn, pastAll, toColumn } from "../text.ts";
import type { Connection, Sql, SqliteValue } from "./client.ts";
import { valuesOf } from "./conditions.ts";
import { isSame } from "./declared.ts";

/**
 * Indexes of trigrams, by which `contains` finds its documents without reading every value. There is one for each
 * index name that the file lists in `substring_indexes`:
 *
 * - `substrings_<number>` has a row for each document with values in the index: its values, the one for sorting first,
 *   each followed by a character that no column has elsewhere. So a substring of the text is one of a value.
 * - `trigrams_<number>` tells which rows have three characters in a row. Triggers keep it in step with that table.
 *
 * The trigrams only narrow down; what they find is tested by the text.
 */
export interface SubstringIndex {
  readonly number: number;
  /** The index's name, as the port has it. */
  readonly name: string;
}

/** The terms that are looked for in one such index, all of them. */
export interface Matching {
  readonly index: SubstringIndex;
  /** What FTS5 is asked. */
  readonly match: string;
  /** The numbers of the rows that have the trigrams, as JSON, once they were looked for. */
  readonly ids?: string;
}

/** More trigrams than this narrow down no further, and each is one more list to read. */
const mostTrigrams = 12;

/** The indexes this file has. Read anew in each transaction: another process may have added one. */
export function substringIndexes(connection: Connection): readonly SubstringIndex[] {
  const rows = connection.rows<{ number: number; idx: string }>("SELECT number, idx FROM substring_indexes");
  return rows.map(({ number, idx }) => ({ number, name: fromColumn(idx) }));
}

/**
 * Adds the indexes that the file does not have yet, filled from what is there, in one transaction; and makes sure that this
 * SQLite can keep those it has.
 *
 * @throws StoreError `unavailable` when this SQLite was built without FTS5, or is older than its trigrams.
 */
export function addSubstringIndexes(connection: Connection, names: readonly string[], where: string): void {
  const missing = () => {
    const present = new Set(substringIndexes(connection).map(({ name }) => name));
    return [...new Set(names)].filter((name) => !present.has(name));
  };
  try {
    for (const { number } of substringIndexes(connection)) {
      connection.row(`SELECT 1 FROM trigrams_${number} LIMIT 1`);
    }
    if (missing().length === 0) return;
    connection.immediate(() => {
      for (const name of missing()) addIndex(connection, name);
    });
  } catch (error) {
    throw withoutTrigrams(error, where) ?? error;
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
export function renewSubstringIndexes(connection: Connection, damaged: readonly number[]): void {
  for (const number of tablesOfSubstrings(connection)) dropTables(connection, number);
  for (const { number, name } of substringIndexes(connection)) {
    connection.run("DELETE FROM substring_indexes WHERE number = ?", number);
    addIndex(connection, name);
  }
  for (const { number } of substringIndexes(connection)) {
    for (const id of damaged) connection.run(`DELETE FROM substrings_${number} WHERE id = ?`, id);
  }
}

/** The numbers in the names of tables, also of those that no index has any more. */
function tablesOfSubstrings(connection: Connection): ReadonlySet<string> {
  const rows = connection.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return new Set(rows.flatMap(({ name }) => /^(?:substrings|trigrams)_(\d+)$/.exec(name)?.[1] ?? []));
}

function dropTables(connection: Connection, number: string | number): void {
  connection.script(`DROP TABLE IF EXISTS trigrams_${number}; DROP TABLE IF EXISTS substrings_${number}`);
}

/** SQLite has no code of its own for it: sqlite.org/vtab.html and fts5_tokenize.c have these words. */
function withoutTrigrams(error: unknown, where: string): StoreError | undefined {
  const reason = error instanceof Error ? error.message : "";
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

/** A document's change, as the trigrams see it. */
export interface SubstringChange {
  /** The number of the document's row. */
  readonly id: number;
  /** Written for columns. */
  readonly at: DocumentKey;
  readonly before: Entries;
  readonly after: Entries;
}

/** Makes the indexes tell what documents that were put now declare. Unchanged values cost nothing. */
export function writeSubstrings(
  connection: Connection,
  indexes: readonly SubstringIndex[],
  changes: readonly SubstringChange[],
): void {
  for (const { number, name } of indexes) {
    const written: SqliteValue[] = [];
    for (const { id, at, before, after } of changes) {
      if (isSame(before[name], after[name])) continue;
      const text = textOf(after[name]);
      if (text === "") connection.run(`DELETE FROM substrings_${number} WHERE id = ?`, id);
      else written.push(id, at.collection, at.key, text);
    }
    connection.insert(
      `INSERT INTO substrings_${number} (id, collection, key, text)`,
      written,
      "ON CONFLICT (id) DO UPDATE SET text = excluded.text",
    );
  }
}

/**
 * How the trigrams find what meets the `contains` conditions on one index; `undefined` where the file has no such
 * index, or no term has three characters.
 */
export function matchingOf(
  indexes: readonly SubstringIndex[],
  where: readonly Condition[],
  { index: name }: Condition,
): Matching | undefined {
  const index = indexes.find((each) => each.name === name);
  const terms = where.flatMap((each) => ("contains" in each && each.index === name ? [each.contains] : []));
  const trigrams = [...new Set(terms.flatMap((term) => trigramsOf(toColumn(term))))];
  if (!index || trigrams.length === 0) return undefined;
  return { index, match: spread(trigrams).map(quoted).join(" AND ") };
}

/** The table with an index's texts. */
export function textsTable(indexes: readonly SubstringIndex[], name: string): string | undefined {
  const index = indexes.find((each) => each.name === name);
  return index && `substrings_${index.number}`;
}

/** About how many documents have values in the index: no fewer. */
export function textsAtMost(connection: Connection, { number }: SubstringIndex): number {
  return connection.row<{ id: number | null }>(`SELECT max(id) AS id FROM substrings_${number}`)?.id ?? 0;
}

/**
 * Finds the documents of any collection that have the trigrams, by the numbers of their rows, and counts them, no further than
 * `most`: where it says so many, there may be more.
 */
export function findMatching(
  connection: Connection,
  { index, match }: Matching,
  most: number,
): { readonly count: number; readonly through: Matching; readonly last: number } {
  const table = `trigrams_${index.number}`;
  const sql = `SELECT count(*) AS count, json_group_array(id) AS ids, max(id) AS last
    FROM (SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? LIMIT ? + 0)`;
  const row = connection.row<{ count: number; ids: string; last: number | null }>(sql, match, most);
  const { count = 0, ids = "[]", last } = row ?? {};
  return { count, through: { index, match, ...(count < most && { ids }) }, last: last ?? 0 };
}

/** Selects `key`, and as `value` what sorting by the index uses, of the documents that have the term. */
export function documentsMatching(collection: string, { index, match, ids }: Matching, term: string): Sql {
  const trigrams = `trigrams_${index.number}`;
  const [from, test] =
    ids === undefined
      ? [
          `${trigrams} CROSS JOIN substrings_${index.number} w ON w.id = ${trigrams}.rowid`,
          `${trigrams} MATCH ?`,
        ]
      : [`json_each(?) j CROSS JOIN substrings_${index.number} w ON w.id = j.value`, "1"];
  return {
    text: `SELECT w.id AS id, w.key AS key, substr(w.text, 1, instr(w.text, ${end}) - 1) AS value
      FROM ${from} WHERE ${test} AND w.collection = ? AND instr(w.text, ?) > 0`,
    values: [ids ?? match, collection, toColumn(term)],
  };
}

/** What follows each value: `toColumn` never writes it. */
const end = `char(${pastAll.codePointAt(0)})`;

/** How the values of a document stand in a row of `substrings_<number>`. */
export function textOf(values: readonly string[] = []): string {
  return [...new Set(values)].map((value) => toColumn(value) + pastAll).join("");
}

/** Runs of three code points. FTS5 takes U+0000 for the end of what it is asked; the test by the text finds it nowhere. */
function trigramsOf(column: string): readonly string[] {
  const characters = [...column];
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  return trigrams.filter((trigram) => !trigram.includes("\u0000"));
}

function spread(trigrams: readonly string[]): readonly string[] {
  const step = Math.max(1, trigrams.length / mostTrigrams);
  return trigrams.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

function quoted(trigram: string): string {
  return `"${trigram.replaceAll('"', '""')}"`;
}

function addIndex(connection: Connection, name: string): void {
  const index = makeTables(connection, name);
  const values = valuesOf("iif(json_valid(d.indexed), d.indexed, '{}')", name);
  connection.run(
    `INSERT INTO substrings_${index.number} (id, collection, key, text)
     SELECT d.id, d.collection, d.key, (
       SELECT group_concat(value || ${end}, '') FROM (SELECT value FROM ${values.text} GROUP BY value ORDER BY min(key))
     ) FROM documents d WHERE EXISTS (SELECT 1 FROM ${values.text}) ORDER BY d.id`,
    ...[...values.values, ...values.values],
  );
  gatherTrigrams(connection, index);
}

function makeTables(connection: Connection, name: string): SubstringIndex {
  const sql = "INSERT INTO substring_indexes (idx) VALUES (?) RETURNING number";
  const number = connection.row<{ number: number }>(sql, toColumn(name))?.number ?? 0;
  const [substrings, trigrams] = [`substrings_${number}`, `trigrams_${number}`];
  // Left from an index that the file lists no longer.
  dropTables(connection, number);
  connection.script(`CREATE TABLE ${substrings} (
      id INTEGER PRIMARY KEY,
      collection TEXT NOT NULL,
      key TEXT NOT NULL,
      text TEXT NOT NULL
    );
    CREATE VIRTUAL TABLE ${trigrams} USING fts5 (
      text, content = '${substrings}', content_rowid = 'id', detail = none, columnsize = 0,
      tokenize = 'trigram case_sensitive 1'
    );`);
  return { number, name };
}

/** Bytes of trigrams that FTS5 gathers before it writes them: they need no merging then. Its own 1 MB suits single commits. */
const gathered = { many: 32 * 1024 * 1024, few: 1024 * 1024 };

/** Fills an index's trigrams from the texts that are there; from then on they follow each change. */
export function gatherTrigrams(connection: Connection, { number }: SubstringIndex): void {
  const [substrings, trigrams] = [`substrings_${number}`, `trigrams_${number}`];
  const remember = `INSERT INTO ${trigrams} (rowid, text) VALUES (new.id, new.text);`;
  const forget = `INSERT INTO ${trigrams} (${trigrams}, rowid, text) VALUES ('delete', old.id, old.text);`;
  connection.script(`INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('hashsize', ${gathered.many});
    INSERT INTO ${trigrams} (${trigrams}) VALUES ('rebuild');
    INSERT INTO ${trigrams} (${trigrams}, rank) VALUES ('hashsize', ${gathered.few});
    CREATE TRIGGER ${substrings}_inserted AFTER INSERT ON ${substrings} BEGIN ${remember} END;
    CREATE TRIGGER ${substrings}_deleted AFTER DELETE ON ${substrings} BEGIN ${forget} END;
    CREATE TRIGGER ${substrings}_updated AFTER UPDATE OF text ON ${substrings} BEGIN ${forget} ${remember} END;`);
}
