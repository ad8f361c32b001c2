import type { Condition } from "@fieldroll/core";
import type { Sql } from "./client.ts";
import { pastAll, toColumn } from "./text.ts";

/** Whether the condition asks for one value: then the key of `entries` finds its documents in order of key. */
export function isEquality(condition: Condition): boolean {
  return "anyOf" in condition && new Set(condition.anyOf).size === 1;
}

/** The rows of `entries`, named `w`, in one collection that meet a condition. */
export function entriesMeeting(collection: string, condition: Condition): Sql {
  const test = valueMeets("w.value", condition);
  return {
    text: `w.collection = ? AND w.idx = ? AND ${test.text}`,
    values: [collection, toColumn(condition.index), ...test.values],
  };
}

/**
 * Where the rows of `entries`, named `w`, that meet a condition are read from, `FROM` to `WHERE` and its test. Several values
 * are looked up one after the other: left to itself, SQLite may rather read every entry of the collection, in order of key.
 */
export function entriesFound(collection: string, condition: Condition): Sql {
  const values = "anyOf" in condition ? [...new Set(condition.anyOf)].map(toColumn) : [];
  if (values.length < 2) {
    const meeting = entriesMeeting(collection, condition);
    return { text: `FROM entries w NOT INDEXED WHERE ${meeting.text}`, values: meeting.values };
  }
  return {
    text: `FROM json_each(?) j CROSS JOIN entries w NOT INDEXED
      WHERE w.collection = ? AND w.idx = ? AND w.value = j.value`,
    values: [JSON.stringify(values), collection, toColumn(condition.index)],
  };
}

/**
 * That a document has an entry that meets the condition.
 *
 * @param key The SQL that names the document's key.
 */
export function documentMeets(key: string, collection: string, condition: Condition): Sql {
  const meeting = entriesMeeting(collection, condition);
  // One value is a look-up by the whole key; anything else goes through the few values the document has.
  const by = isEquality(condition) ? "NOT INDEXED" : "INDEXED BY entries_of_document";
  return {
    text: `EXISTS (SELECT 1 FROM entries w ${by} WHERE ${meeting.text} AND w.key = ${key})`,
    values: meeting.values,
  };
}

/** That the value in a column meets the condition. */
export function valueMeets(column: string, condition: Condition): Sql {
  if ("anyOf" in condition) return meetsAnyOf(column, condition.anyOf);
  if ("prefix" in condition) {
    const prefix = toColumn(condition.prefix);
    return { text: `${column} >= ? AND ${column} < ?`, values: [prefix, prefix + pastAll] };
  }
  if ("contains" in condition) {
    return { text: `instr(${column}, ?) > 0`, values: [toColumn(condition.contains)] };
  }
  return {
    text: `${column} >= ? AND ${column} < ?`,
    values: [
      toColumn(condition.from ?? ""),
      condition.below === undefined ? pastAll : toColumn(condition.below),
    ],
  };
}

/** One parameter however many values, so that the statement stays the same. */
function meetsAnyOf(column: string, anyOf: readonly string[]): Sql {
  const values = [...new Set(anyOf)].map(toColumn);
  const [only] = values;
  if (only !== undefined && values.length === 1) return { text: `${column} = ?`, values: [only] };
  return { text: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(values)] };
}
