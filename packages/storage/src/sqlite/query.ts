import {
  type Condition,
  fitting,
  type Position,
  positionOf,
  type Query,
  type QueryPage,
} from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Connection, Sql } from "./client.ts";
import { type InOrder, readInOrder } from "./in-order.ts";
import { isGlance, type Plan, plansFor } from "./plan.ts";
import { type DocumentRow, documentColumns, documentsFrom } from "./rows.ts";
import { gather, pageOf, walkKeys, walkMissing, walkSorted } from "./select.ts";
import { type SubstringIndex, substringIndexes } from "./substrings.ts";

/** Reads a page of a query. Must run in a snapshot. */
export function runQuery(connection: Connection, query: Query): QueryPage {
  const sizes = rowsOf(connection, query);
  const first = sizes.slice(0, query.limit);
  const rows = first.slice(0, fitting(sizesOf(first), query.bytes)).map((row) => wholeRow(connection, row));
  const documents = documentsFrom(rows, query);
  const last = documents.at(-1);
  return last && sizes.length > rows.length
    ? { documents, next: positionOf(last, query.sort) }
    : { documents };
}

/** A row that a statement picked: the document's, or where the page ends by bytes, its number and the length of its body. */
type PickedRow = DocumentRow | { readonly id: number; readonly size: number };

/** To tell the length of a text, SQLite does not read it. */
const sizeColumns = "d.id, octet_length(d.body) AS size";

function sizesOf(rows: readonly PickedRow[]): readonly number[] {
  return rows.map((row) => ("size" in row ? row.size : 0));
}

function wholeRow(connection: Connection, row: PickedRow): DocumentRow {
  if (!("size" in row)) return row;
  const sql = `SELECT ${documentColumns} FROM documents d WHERE d.id = ?`;
  const found = connection.row<DocumentRow>(sql, row.id);
  if (!found) throw new Error(`a document's row ${row.id} is gone within a snapshot`);
  return found;
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
  const asked = plan.kind === "walk" && isGlance(plan) ? substringsFirst(query) : query;
  const page = { ...pageOf(asked, indexes), ...columnsFor(query) };
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

/** Where the page ends by bytes, only lengths are read at first. A part of documents has no bodies. */
function columnsFor({ bytes, part }: Query): { readonly columns?: string } {
  return bytes === undefined || part !== undefined ? {} : { columns: sizeColumns };
}

function rowsOf(connection: Connection, query: Query): readonly PickedRow[] {
  const wanted = query.limit + 1;
  const indexes = indexesFor(connection, query);
  const plans = plansFor(connection, query, indexes);
  for (let next = plans.next(0); !next.done; ) {
    const plan = next.value;
    if (plan.kind === "in order") {
      const page = { ...pageOf(query, indexes), ...columnsFor(query), limit: wanted };
      return readInOrder<PickedRow>(connection, page, plan);
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
): readonly PickedRow[] {
  const rows: PickedRow[] = [];
  for (const statement of statements) {
    if (rows.length >= wanted) break;
    const { text, values } = statement(wanted - rows.length);
    for (const row of connection.rows<PickedRow>(text, ...values)) rows.push(row);
  }
  return rows;
}

/** A glance passes by most documents for want of the substring: testing that first spares them the other tests. */
function substringsFirst({ where = [], ...query }: Query): Query {
  const place = (condition: Condition) => ("contains" in condition ? 0 : 1);
  return { ...query, where: where.toSorted((a, b) => place(a) - place(b)) };
}
