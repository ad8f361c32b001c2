import { type Condition, type Position, positionOf, type Query, type QueryPage } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Connection, Sql } from "./client.ts";
import { type InOrder, readInOrder } from "./in-order.ts";
import { isGlance, type Plan, plansFor } from "./plan.ts";
import { type DocumentRow, documentsFrom } from "./rows.ts";
import { gather, pageOf, walkKeys, walkMissing, walkSorted } from "./select.ts";
import { type SubstringIndex, substringIndexes } from "./substrings.ts";

/** Reads a page of a query. Must run in a snapshot. */
export function runQuery(connection: Connection, query: Query): QueryPage {
  const rows = rowsOf(connection, query);
  const documents = documentsFrom(rows.slice(0, query.limit), query);
  const last = documents.at(-1);
  return last && rows.length > query.limit
    ? { documents, next: positionOf(last, query.sort) }
    : { documents };
}

/** Some of the documents that a query finds, by key, counted. */
interface CountedPage {
  readonly count: number;
  /** Given when there may be more. */
  readonly next?: Position;
}

/** Counts a page of a query without a sort. Must run in a snapshot. */
export function countPage(connection: Connection, query: Omit<Query, "sort">): CountedPage {
  // Of so many documents there are no glances.
  const indexes = indexesFor(connection, query);
  const plan = plansFor(connection, query, indexes).next(0).value;
  if (!plan || (plan.kind === "gather" && plan.keys?.length === 0)) return { count: 0 };
  const page = { ...pageOf(query, indexes), limit: query.limit, counted: true };
  const { text, values } = plan.kind === "gather" ? gather(page, plan) : walkKeys(page);
  const { count = 0, key } = connection.row<{ count: number; key: string | null }>(text, ...values) ?? {};
  if (count < query.limit || key === null || key === undefined) return { count };
  return { count, next: { value: null, key: fromColumn(key) } };
}

/**
 * The statements that answer a query, in the order in which they fill the page.
 *
 * @param indexes Those that have texts.
 */
export function statementsOf(
  query: Query,
  plan: Exclude<Plan, InOrder>,
  indexes: readonly SubstringIndex[],
): readonly ((limit: number) => Sql)[] {
  const page = pageOf(plan.kind === "walk" && isGlance(plan) ? substringsFirst(query) : query, indexes);
  if (plan.kind === "gather") return [(limit) => gather({ ...page, limit }, plan)];
  const until = plan.until && { until: plan.until };
  if (!page.sort) return [(limit) => walkKeys({ ...page, limit, ...until })];
  const sorted = (limit: number) => walkSorted({ ...page, limit, ...until }, plan.single);
  const missing = (limit: number) => walkMissing({ ...page, limit });
  if (plan.until) return [sorted];
  if (page.after?.value === null) return [missing];
  // A condition on the sort's index leaves out whatever has no value in it.
  const onSort = query.where?.some((condition) => condition.index === query.sort?.index) ?? false;
  return onSort ? [sorted] : [sorted, missing];
}

function rowsOf(connection: Connection, query: Query): readonly DocumentRow[] {
  const wanted = query.limit + 1;
  const indexes = indexesFor(connection, query);
  const plans = plansFor(connection, query, indexes);
  for (let next = plans.next(0); !next.done; ) {
    const plan = next.value;
    if (plan.kind === "in order") {
      return readInOrder(connection, { ...pageOf(query, indexes), limit: wanted }, plan);
    }
    const rows = rowsBy(connection, statementsOf(query, plan, indexes), wanted);
    if (!isGlance(plan) || rows.length >= wanted) return rows;
    next = plans.next(rows.length);
  }
  return [];
}

function indexesFor(connection: Connection, { where = [] }: Pick<Query, "where">): readonly SubstringIndex[] {
  return where.some((condition) => "contains" in condition) ? substringIndexes(connection) : [];
}

function rowsBy(
  connection: Connection,
  statements: readonly ((limit: number) => Sql)[],
  wanted: number,
): readonly DocumentRow[] {
  const rows: DocumentRow[] = [];
  for (const statement of statements) {
    if (rows.length >= wanted) break;
    const { text, values } = statement(wanted - rows.length);
    for (const row of connection.rows<DocumentRow>(text, ...values)) rows.push(row);
  }
  return rows;
}

/** A glance passes by most documents for want of the substring: testing that first spares them the other tests. */
function substringsFirst({ where = [], ...query }: Query): Query {
  const place = (condition: Condition) => ("contains" in condition ? 0 : 1);
  return { ...query, where: where.toSorted((a, b) => place(a) - place(b)) };
}
