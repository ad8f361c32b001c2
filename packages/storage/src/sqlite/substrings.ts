import type { Condition, DocumentKey } from "@fieldroll/core";
import { pastAll, toColumn } from "../text.ts";
import type { Connection, Sql, SqliteValue } from "./client.ts";
import { codesOf, trigramsAsked } from "./codes.ts";
import { textFrom } from "./damaged.ts";
import { pendingTable, trigramsTable } from "./pending-trigrams.ts";
import { placeOf, rowAt } from "./places.ts";
import { rarestTrigrams } from "./rarest.ts";

/**
 * Indexes of trigrams, by which `contains` finds its documents without reading every value. There is one for each
 * index name that the file lists in `substring_indexes`:
 *
 * - `substrings_<number>` has a row for each document with values in the index: its values, the one for sorting first,
 *   each followed by a character that no column has elsewhere. So a substring of the text is one of a value. Its number
 *   is the document's. Beside the text stand its codes (see `codes.ts`).
 * - `codes_<number>` tells which rows have three codes in a row, by their places (see `places.ts`), which are about in the
 *   order of the values for sorting.
 * - `pending_<number>` has the documents whose trigrams are still to be written (see `pending-trigrams.ts`). Triggers on the texts keep it.
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
  /** What FTS5 is asked for, each of them. */
  readonly trigrams: readonly string[];
  /** The places of the rows that have the trigrams, as JSON, once they were looked for. */
  readonly places?: string;
}

/** More trigrams than this are not looked at, to find the rarest. */
const mostTrigrams = 12;

/** More than these few of the rarest leave hardly fewer texts to be tested, and each has a list to be read; of short terms 32. */
const mostAsked = 4;

/** The indexes this file has. Read anew in each transaction: another process may have added one. */
export function substringIndexes(connection: Connection): readonly SubstringIndex[] {
  const rows = connection.rows<{ number: number; idx: unknown }>("SELECT number, idx FROM substring_indexes");
  return rows.map(({ number, idx }) => ({ number, name: textFrom(idx) }));
}

/**
 * How the trigrams find what meets the `contains` conditions on one index; `undefined` where the file has no such
 * index, or no term has three characters.
 */
export function matchingOf(
  connection: Connection,
  indexes: readonly SubstringIndex[],
  where: readonly Condition[],
  { index: name }: Condition,
): Matching | undefined {
  const index = indexes.find((each) => each.name === name);
  const terms = where.flatMap((each) => ("contains" in each && each.index === name ? [each.contains] : []));
  const trigrams = [...new Set(terms.flatMap((term) => trigramsAsked(toColumn(term))))];
  if (!index || trigrams.length === 0) return undefined;
  const among = {
    table: trigramsTable(index.number),
    most: Math.min(terms.length + 1, mostAsked),
    of: textsAtMost(connection, index),
  };
  return { index, trigrams: rarestTrigrams(connection, spread(trigrams), among) };
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
 * Finds the documents of any collection that have the trigrams, by the places of their texts, and counts them, no further than
 * `most`: where it says so many, there may be more. Those whose trigrams wait do not count.
 */
export function findMatching(
  connection: Connection,
  { index, trigrams }: Matching,
  most: number,
): { readonly count: number; readonly through: Matching } {
  const table = trigramsTable(index.number);
  const sql = `SELECT count(*) AS count, json_group_array(place) AS places
    FROM (SELECT rowid AS place FROM ${table} WHERE ${table} MATCH ? LIMIT ? + 0)`;
  const { count = 0, places = "[]" } =
    connection.row<{ count: number; places: string }>(sql, allOf(trigrams), most) ?? {};
  return { count, through: { index, trigrams, ...(count < most && { places }) } };
}

/** Selects `id` and `key` of the documents that have the term. */
export function documentsMatching(
  collection: string,
  { index, trigrams, places }: Matching,
  term: string,
): Sql {
  const table = trigramsTable(index.number);
  const column = toColumn(term);
  const has = "w.collection = ? AND instr(w.text, ?) > 0";
  const [from, test] =
    places === undefined
      ? [
          `${table} CROSS JOIN substrings_${index.number} w ON w.id = ${rowAt(`${table}.rowid`)}`,
          `${table} MATCH ?`,
        ]
      : [`json_each(?) j CROSS JOIN substrings_${index.number} w ON w.id = ${rowAt("j.value")}`, "1"];
  return {
    text: `SELECT w.id AS id, w.key AS key FROM ${from} WHERE ${test} AND ${has} AND ${isWritten(index)}
      UNION ALL SELECT w.id, w.key FROM ${textsWaiting(index)} WHERE ${has}`,
    values: [places ?? allOf(trigrams), collection, column, collection, column],
  };
}

/** SQL for that what FTS5 has of the document of a text `w` is what the text has. */
export function isWritten({ number }: SubstringIndex): string {
  return `NOT EXISTS (SELECT 1 FROM ${pendingTable(number)} late WHERE late.id = w.id)`;
}

/** SQL for the texts `w` whose trigrams wait. */
export function textsWaiting({ number }: SubstringIndex): string {
  return `${pendingTable(number)} late CROSS JOIN substrings_${number} w ON w.id = late.id`;
}

/** What follows each value: `toColumn` never writes it. */
export const end = `char(${pastAll.codePointAt(0)})`;

/** How the values of a document stand in a row of `substrings_<number>`. */
export function textOf(values: readonly string[] = []): string {
  return [...new Set(values)].map((value) => toColumn(value) + pastAll).join("");
}

/** What {@link placed} has. */
export const placedColumns = "(id, place, collection, key, text, codes)";

/** A row of `substrings_<number>`. The key is written for columns. */
export function placed(id: number, { collection, key }: DocumentKey, text: string): readonly SqliteValue[] {
  return [id, placeOf(collection, firstOf(text), id), collection, key, text, codesOf(text)];
}

/** The value for sorting, as a row's text has it, written for columns. */
export function firstOf(text: string): string {
  return text.slice(0, text.indexOf(pastAll));
}

function spread(trigrams: readonly string[]): readonly string[] {
  const step = Math.max(1, trigrams.length / mostTrigrams);
  return trigrams.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step));
}

/** What FTS5 is asked for rows that have them all. */
export function allOf(trigrams: readonly string[]): string {
  return trigrams.join(" AND ");
}
