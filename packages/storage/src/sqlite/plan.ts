import type { Condition, Query } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { entriesMeeting, isEquality } from "./conditions.ts";
import { toColumn } from "./text.ts";

/**
 * How a query is read: by walking its order and testing each document, or by gathering what meets one condition
 * and putting that in order. Walking is quick when many documents meet the conditions, gathering when few do.
 */
export type Plan =
  | { readonly kind: "walk" }
  | { readonly kind: "gather"; readonly by: Condition; readonly others: readonly Condition[] };

/** Gathering more entries than this takes longer than walking past the documents between two of them. */
const gatherable = 4000;

/** Chooses by counting the entries that meet each condition, no further than matters. */
export function planQuery(connection: Connection, query: Query): Plan {
  const { where = [], sort } = query;
  const counted = where.map((condition) => ({ condition, count: countUpTo(connection, query, condition) }));
  counted.sort((a, b) => a.count - b.count);
  const rarest = counted[0];
  if (!rarest) return { kind: "walk" };
  if (rarest.count < gatherable) return gathering(where, rarest.condition);
  // Without a sort the entries of one value are in the right order already: nothing is gathered first.
  const inOrder = sort ? undefined : where.find(isEquality);
  return inOrder ? gathering(where, inOrder) : { kind: "walk" };
}

function gathering(where: readonly Condition[], by: Condition): Plan {
  return { kind: "gather", by, others: where.filter((condition) => condition !== by) };
}

function countUpTo(connection: Connection, query: Query, condition: Condition): number {
  // A single unsorted equality needs no count: it is read in order, as far as the page goes.
  if (!query.sort && query.where?.length === 1 && isEquality(condition)) return 0;
  const meeting = entriesMeeting(toColumn(query.collection), condition);
  const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM entries w NOT INDEXED WHERE ${meeting.text} LIMIT ?)`;
  return connection.row<{ count: number }>(sql, ...meeting.values, gatherable)?.count ?? 0;
}
