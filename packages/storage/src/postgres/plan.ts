import type { Condition, Query } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Database } from "./client.ts";
import { columnName, isCut, isEquality, Parameters } from "./conditions.ts";
import { foundEntries, foundFurther, hasEntry } from "./select.ts";

/**
 * How a query is read: by walking its order and testing each document, which is quick when many meet the conditions, or by
 * gathering what meets one condition and putting that in order, quick when few do. The planner of the database would choose
 * by statistics of single columns, which know nothing of which values an index has; so the adapter counts first.
 */
export type Plan = { readonly kind: "nothing" } | Gathering | Walk | Parted;

/** Gathers what meets one condition. */
export interface Gathering {
  readonly kind: "gather";
  readonly by: Condition;
  readonly met?: Met;
}

/** How much meets a condition. */
interface Met {
  readonly count: number;
  /** Of so many documents of all collections, as the database last estimated; 0 or less where it did not yet. */
  readonly documents: number;
}

/**
 * Reads the documents whose first value meets a condition on the sort's index, which lie together in its order, and puts those in between
 * that meet it by a further value only, of which there are few.
 */
export interface Parted {
  readonly kind: "parted";
  readonly by: Condition;
}

/** Walks the order that was asked for. */
export interface Walk {
  readonly kind: "walk";
  /** Documents have one value each in the sort's index: conditions on it bound the walk. */
  readonly single: boolean;
  /** How many documents to pass at most: the walk is a glance, which answers only if it fills the page. */
  readonly steps?: number;
}

/** Gathering more entries than this takes longer than walking past the documents between two of them. */
const gatherable = 4000;

/** As many when the condition is on the sort's index: what meets it may lie together, far along the walk. */
const gatherableTogether = 50_000;

/** A page of more documents than this is seldom filled by a glance. */
const glancedPage = 200;

/**
 * The ways to try, in turn: perhaps a glance, and then one that answers. Costs one statement, and none where there is nothing to
 * choose; a second one where what is common may lie together.
 */
export async function* plansFor(
  database: Database,
  schema: string,
  query: Query,
): AsyncGenerator<Exclude<Plan, { kind: "nothing" }>> {
  const plan = await planAtOnce(database, schema, query);
  if (plan.kind === "nothing") return;
  const glances = query.sort !== undefined && query.limit <= glancedPage && query.after?.value !== null;
  if (plan.kind === "gather" && glances && plan.met) yield* glanceFor(query, plan.met);
  const together = plan.kind === "walk" && !plan.single && conditionOnSort(query);
  if (!together) {
    yield plan;
    return;
  }
  // Most of what is common is met soon; to put all of it in order takes as long as there is much of it.
  if (glances) yield { ...plan, steps: gatherable };
  yield await planTogether(database, schema, query, { by: together, plan });
}

/** What meets a condition on the sort's index, where a glance did not fill the page. */
async function planTogether(
  database: Database,
  schema: string,
  query: Query,
  { by, plan }: { readonly by: Condition; readonly plan: Walk },
): Promise<Gathering | Walk | Parted> {
  if (!isCut(by) && (await countFurther(database, schema, query, by)) < gatherable) {
    return { kind: "parted", by };
  }
  const { counts } = await countEach(database, schema, { ...query, where: [by] }, gatherableTogether);
  return counts.every(({ count }) => count < gatherableTogether) ? { kind: "gather", by } : plan;
}

async function countFurther(
  database: Database,
  schema: string,
  query: Query,
  by: Condition,
): Promise<number> {
  const add = new Parameters();
  const further = foundFurther({ schema, collection: toColumn(query.collection) }, by, add);
  const sql = `SELECT count(*) AS count FROM (${further} LIMIT ${gatherable}) f`;
  const [row] = await database.rows<{ count: string }>(sql, add.values);
  return Number(row?.count ?? 0);
}

/**
 * A walk, where it is met sooner than all is gathered: for a page of p after p · n / m steps where m of n documents meet the condition and
 * lie as the order has it; and a step takes about as long as gathering one.
 */
function* glanceFor({ limit }: Query, { count, documents }: Met): Generator<Walk> {
  // A connection keeps each statement that is prepared: of a shape there are only a few.
  const steps = 2 ** Math.ceil(Math.log2((2 * (limit + 1) * documents) / count));
  if (documents > 0 && steps < count) yield { kind: "walk", single: false, steps };
}

function conditionOnSort({ where = [], sort }: Query): Condition | undefined {
  return where.find(({ index }) => index === sort?.index);
}

/** What one count of each condition tells. To count all that a query finds, what meets the rarest is gathered, however much it is. */
export async function planAtOnce(
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
  const { counts, single, documents } = await countEach(database, schema, query, gatherable);
  const rarest = counts.reduce((a, b) => (b.count < a.count ? b : a));
  if (rarest.count === 0) return { kind: "nothing" };
  return counting || rarest.count < gatherable
    ? { kind: "gather", by: rarest.by, met: { count: rarest.count, documents } }
    : { kind: "walk", single };
}

interface Counts {
  readonly counts: readonly { readonly by: Condition; readonly count: number }[];
  readonly single: boolean;
  readonly documents: number;
}

/** How many entries meet each condition, no further than matters, and whether the sort's index has one value for each document. */
async function countEach(database: Database, schema: string, query: Query, most: number): Promise<Counts> {
  const { where = [], sort } = query;
  const add = new Parameters();
  const collection = toColumn(query.collection);
  const counted = where.map((by, place) => {
    const found = foundEntries({ schema, collection }, by, add);
    return `(SELECT count(*) FROM (SELECT 1 ${found} LIMIT ${most}) x) AS c${place}`;
  });
  const place = { schema, collection, column: columnName(sort?.index ?? "") };
  const several = sort ? `, ${hasEntry(place, "NOT w.first", add)} AS several` : "";
  const [row] = await database.rows<Record<string, string | boolean>>(
    `SELECT ${counted.join(", ")}${several}, (SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass(${add.text(`${schema}.documents`)})) AS documents`,
    add.values,
  );
  return {
    counts: where.map((by, place) => ({ by, count: Number(row?.[`c${place}`] ?? 0) })),
    single: row?.several === false,
    documents: Number(row?.documents ?? 0),
  };
}
