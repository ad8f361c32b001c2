import type { Condition } from "@fieldroll/core";
import { fromColumn, pastAll, toColumn } from "../text.ts";
import type { Sql } from "./client.ts";

/** The number of an index. Its parameters: collection, index. */
export const indexNumber = "(SELECT id FROM indexes WHERE collection = ? AND idx = ?)";

/**
 * How a statement names a document that it has at hand: the SQL of its row's number and of its key. A condition looks into rows that
 * it names `t`, `e`, `x`, `v` and `n` itself, so the statement's own have other names.
 */
export interface DocumentNames {
  readonly id: string;
  readonly key: string;
}

/** The table that has the texts of an index by the numbers of documents' rows; `undefined` where there is none. */
export type TextsOf = (index: string) => string | undefined;

/** Whether the condition asks for one value: then the key of `entries` finds its documents in order of key. */
export function isEquality(condition: Condition): boolean {
  return "anyOf" in condition && new Set(condition.anyOf).size === 1;
}

/** The rows of `entries`, by the name that they have in the statement, in one collection that meet a condition. */
function entriesMeeting(row: string, collection: string, condition: Condition): Sql {
  const test = valueMeets(`${row}.value`, condition);
  return {
    text: `${row}.idx = ${indexNumber} AND ${test.text}`,
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
    const meeting = entriesMeeting("w", collection, condition);
    return { text: `FROM entries w WHERE ${meeting.text}`, values: meeting.values };
  }
  return {
    text: `FROM json_each(?) j CROSS JOIN entries w WHERE w.idx = ${indexNumber} AND w.value = j.value`,
    values: [JSON.stringify(values), collection, toColumn(condition.index)],
  };
}

/**
 * That a document has an entry that meets the condition. A substring is looked for in the document's text where there is one: that
 * row is a tenth of the document's.
 */
export function documentMeets(
  names: DocumentNames,
  { collection, textsOf }: { readonly collection: string; readonly textsOf: TextsOf },
  condition: Condition,
): Sql {
  const texts = "contains" in condition ? textsOf(condition.index) : undefined;
  if (texts !== undefined) {
    const test = valueMeets("t.text", condition);
    return {
      text: `EXISTS (SELECT 1 FROM ${texts} t WHERE t.id = ${names.id} AND ${test.text})`,
      values: test.values,
    };
  }
  if (isEquality(condition)) {
    // A look-up by the whole key.
    const meeting = entriesMeeting("e", collection, condition);
    return {
      text: `EXISTS (SELECT 1 FROM entries e WHERE ${meeting.text} AND e.key = ${names.key})`,
      values: meeting.values,
    };
  }
  const values = valuesOf("x.indexed", condition.index);
  const glimpse = glimpsed(condition);
  const test = valueMeets("v.value", condition);
  return {
    text: `EXISTS (SELECT 1 FROM documents x CROSS JOIN ${values.text} v
      WHERE x.id = ${names.id} AND ${glimpse.text} AND ${test.text})`,
    values: [...values.values, ...glimpse.values, ...test.values],
  };
}

/** The value that sorting by an index uses, of a row of `documents` whose column of entries is named; null where there is none. */
export function sortValue(column: string, idx: string): Sql {
  const { text, values } = valuesOf(column, fromColumn(idx));
  return { text: `(SELECT f.value FROM ${text} f LIMIT 1)`, values };
}

/** What a document has in an index, as rows with a `value` and its place as `key`, from its column of entries. */
export function valuesOf(column: string, index: string): Sql {
  const name = toColumn(index);
  const path = `$."${name}"`;
  if (JSON.stringify(name) === `"${name}"`) return { text: `json_each(${column}, ?)`, values: [path] };
  // Builds of SQLite read a path with quotes and backslashes each in its own way.
  const list = `SELECT n.value FROM json_each(${column}) n WHERE n.key = ?`;
  return { text: `json_each(coalesce((${list}), '[]'))`, values: [name] };
}

/**
 * That the JSON text of all entries has what the condition looks for, as it is written there: most documents that do not meet
 * the condition are told apart so, at a tenth of the price of reading the JSON.
 */
function glimpsed(condition: Condition): Sql {
  if ("contains" in condition)
    return { text: "instr(x.indexed, ?) > 0", values: [inJson(condition.contains)] };
  if ("prefix" in condition)
    return { text: "instr(x.indexed, ?) > 0", values: [`"${inJson(condition.prefix)}`] };
  return { text: "1", values: [] };
}

function inJson(text: string): string {
  return JSON.stringify(toColumn(text)).slice(1, -1);
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
