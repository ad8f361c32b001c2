import type { Connection, SqliteValue } from "./client.ts";
import type { Tell } from "./verify.ts";

/** How to go through a table, a slice at a time. */
export interface Scan<Row extends Scanned> {
  readonly table: string;
  /** Before all rows. What is a number here stands in digits in every later place. */
  readonly start: Place;
  /** The next rows beyond a place, in order. */
  read(connection: Connection, after: Place, most?: number): readonly Row[];
  placeOf(row: Row): Place;
  check(row: Row, connection: Connection, tell: Tell): void;
  /** Whether a row is one that the census counts; every one where this is missing. */
  counts?(row: Row): boolean;
}

/** A row of a table that is gone through. */
export interface Scanned {
  /** The first column whose value is of another type than the schema's, where {@link wrongType} looked for one. */
  readonly wrong?: string | null;
}

/** Numbers stand in digits, as a number of JavaScript holds not every one of SQLite's: a scan would not get past those. */
export type Place = readonly SqliteValue[];

/**
 * Whether a place comes after another one. In a damaged tree, and with values of other types than the columns', the last row of a
 * slice may come before its first one: whoever goes on from there reads the same rows for ever.
 *
 * @param start As {@link Scan} has it.
 */
export function isBeyond(
  connection: Connection,
  start: Place,
  [place, former]: readonly [Place, Place],
): boolean {
  const row = start.map((value) => (typeof value === "number" ? "CAST(? AS NUMERIC)" : "?")).join(", ");
  const sql = `SELECT (${row}) > (${row}) AS beyond`;
  return connection.row<{ beyond: number | null }>(sql, ...place, ...former)?.beyond === 1;
}

/** Tables are not STRICT: what a statement from elsewhere, or damage, puts into a column stays as it is. */
type ColumnType = "integer" | "text" | "integer or null" | "text or null";

/** Selects the first column whose value is of another type, as `wrong`. */
export function wrongType(table: string, columns: Readonly<Record<string, ColumnType>>): string {
  const cases = Object.entries(columns).map(([name, type]) => {
    const types = type.split(" or ").map((one) => `'${one}'`);
    return `WHEN typeof(${table}.${name}) NOT IN (${types.join(", ")}) THEN '${name}'`;
  });
  return `CASE ${cases.join(" ")} END AS wrong`;
}
