import type { Condition, Query } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { entriesMeeting, isEquality } from "./conditions.ts";
import { toColumn } from "./text.ts";

/**
 * How a query is read: by walking its order and testing each document, or by gathering what meets one condition
 * and putting that in order. Walking is quick when many documents meet the conditions, gathering when few do.
 */
export type Plan =
  | {
      readonly kind: "walk";
      /** Documents have one value each in the sort's index: a condition on it is a test of the walk's own rows. */
      readonly single: boolean;
    }
  | Gathering;

/** Gathers what meets one condition, and tests the others. */
export interface Gathering {
  readonly kind: "gather";
  readonly by: Condition;
  readonly others: readonly Condition[];
  /** Keys of the documents that meet `by`, as columns, where planning has found them already. */
  readonly keys?: readonly string[];
}

/** Gathering more entries than this takes longer than walking past the documents between two of them. */
const gatherable = 4000;

/** As many when the condition is on the sort's index: what meets it may lie together, far along the walk. */
const gatherableTogether = 50_000;

/** A condition that so few entries meet is taken as it comes: to know a rarer one would save nothing. */
const few = 64;

/**
 * Chooses by counting the entries that meet each condition, no further than matters. Looking for a substring reads
 * a whole index, so it comes last and is done once: what it finds is kept.
 */
export function planQuery(connection: Connection, query: Query): Plan {
  const { where = [], sort } = query;
  const rarest = rarestOf(connection, query);
  if (rarest && rarest.count < gatherable) return gathering(where, rarest.condition);
  for (const condition of where.filter((each) => "contains" in each)) {
    const keys = findKeys(connection, query.collection, condition);
    if (keys.length < gatherable) return { ...gathering(where, condition), keys };
  }
  return sort ? planSorted(connection, query, sort.index) : planByKey(where);
}

function rarestOf(
  connection: Connection,
  query: Query,
): { readonly condition: Condition; readonly count: number } | undefined {
  let rarest: { condition: Condition; count: number } | undefined;
  for (const condition of query.where ?? []) {
    if ("contains" in condition) continue;
    const count = countUpTo(connection, { query, condition, most: gatherable });
    if (!rarest || count < rarest.count) rarest = { condition, count };
    if (count <= few) break;
  }
  return rarest;
}

function findKeys(connection: Connection, collection: string, condition: Condition): readonly string[] {
  const { text, values } = entriesMeeting(toColumn(collection), condition);
  const sql = `SELECT DISTINCT w.key AS key FROM entries w NOT INDEXED WHERE ${text} LIMIT ?`;
  return connection.rows<{ key: string }>(sql, ...values, gatherable).map(({ key }) => key);
}

/** The entries of one value are in order of key already: nothing is gathered first. */
function planByKey(where: readonly Condition[]): Plan {
  const inOrder = where.find(isEquality);
  return inOrder ? gathering(where, inOrder) : { kind: "walk", single: false };
}

function planSorted(connection: Connection, query: Query, index: string): Plan {
  const { where = [] } = query;
  const together = where.find((condition) => condition.index === index);
  if (!together) return { kind: "walk", single: false };
  if (isSingle(connection, query.collection, index)) return { kind: "walk", single: true };
  const most = gatherableTogether;
  const count = countUpTo(connection, { query, condition: together, most });
  return count < most ? gathering(where, together) : { kind: "walk", single: false };
}

function isSingle(connection: Connection, collection: string, index: string): boolean {
  const sql = "SELECT 1 AS further FROM entries WHERE collection = ? AND idx = ? AND first = 0 LIMIT 1";
  return connection.row(sql, toColumn(collection), toColumn(index)) === undefined;
}

function gathering(where: readonly Condition[], by: Condition): Gathering {
  return { kind: "gather", by, others: where.filter((condition) => condition !== by) };
}

function countUpTo(
  connection: Connection,
  { query, condition, most }: { readonly query: Query; readonly condition: Condition; readonly most: number },
): number {
  // A single unsorted equality needs no count: it is read in order, as far as the page goes.
  if (!query.sort && query.where?.length === 1 && isEquality(condition)) return 0;
  const meeting = entriesMeeting(toColumn(query.collection), condition);
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM entries w NOT INDEXED WHERE ${meeting.text} LIMIT ?)`;
  return connection.row<{ count: number }>(sql, ...meeting.values, most)?.count ?? 0;
}
