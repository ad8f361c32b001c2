import type { Condition, Query } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Database } from "./client.ts";
import { columnName, isEquality, Parameters } from "./conditions.ts";
import { foundEntries, literal } from "./select.ts";

/**
 * How a query is read: by walking its order and testing each document, which is quick when many meet the conditions, or by
 * gathering what meets one condition and putting that in order, quick when few do. The planner of the database would choose
 * by statistics of single columns, which know nothing of which values an index has; so the adapter counts first.
 */
export type Plan = { readonly kind: "nothing" } | Gathering | Walk;

/** Gathers what meets one condition. */
export interface Gathering {
  readonly kind: "gather";
  readonly by: Condition;
}

/** Walks the order that was asked for. */
export interface Walk {
  readonly kind: "walk";
  /** Documents have one value each in the sort's index: conditions on it bound the walk. */
  readonly single: boolean;
}

/** Gathering more entries than this takes longer than walking past the documents between two of them. */
const gatherable = 4000;

/** As many when the condition is on the sort's index: what meets it may lie together, far along the walk. */
const gatherableTogether = 50_000;

/** Chooses how to read. Costs one statement, and none where there is nothing to choose. */
export async function planFor(
  database: Database,
  schema: string,
  query: Query,
  { counting = false }: { readonly counting?: boolean } = {},
): Promise<Plan> {
  const { where = [], sort } = query;
  const [only] = where;
  if (!only) return { kind: "walk", single: false };
  if (where.some((condition) => "anyOf" in condition && condition.anyOf.length === 0))
    return { kind: "nothing" };
  if (where.length === 1 && !sort && isEquality(only)) return { kind: "gather", by: only };
  const { counts, single } = await countEach(database, schema, query);
  const rarest = counts.reduce((a, b) => (b.count < a.count ? b : a));
  if (rarest.count === 0) return { kind: "nothing" };
  if (counting || rarest.count < gatherable) return { kind: "gather", by: rarest.by };
  const together = counts.find(({ by }) => by.index === sort?.index);
  if (together && !single && together.count < gatherableTogether) return { kind: "gather", by: together.by };
  return { kind: "walk", single };
}

interface Counts {
  readonly counts: readonly { readonly by: Condition; readonly count: number }[];
  readonly single: boolean;
}

/** How many entries meet each condition, no further than matters, and whether the sort's index has one value for each document. */
async function countEach(database: Database, schema: string, query: Query): Promise<Counts> {
  const { where = [], sort } = query;
  const add = new Parameters();
  const collection = toColumn(query.collection);
  const counted = where.map((by, place) => {
    const most = by.index === sort?.index ? gatherableTogether : gatherable;
    const found = foundEntries({ schema, collection }, by, add);
    return `(SELECT count(*) FROM (SELECT 1 ${found} LIMIT ${most}) x) AS c${place}`;
  });
  const idx = literal(columnName(sort?.index ?? ""));
  const several = sort
    ? `, EXISTS (SELECT 1 FROM ${schema}.entries WHERE collection = ${add.text(collection)} AND idx = ${idx} AND NOT first) AS several`
    : "";
  const [row] = await database.rows<Record<string, string | boolean>>(
    `SELECT ${counted.join(", ")}${several}`,
    add.values,
  );
  return {
    counts: where.map((by, place) => ({ by, count: Number(row?.[`c${place}`] ?? 0) })),
    single: row?.several === false,
  };
}
