import { positionOf, type Query, type QueryPage } from "@fieldroll/core";
import type { Connection, Sql } from "./client.ts";
import { type Plan, planQuery } from "./plan.ts";
import { type DocumentRow, fromRow } from "./rows.ts";
import { gather, type Page, walkKeys, walkMissing, walkSorted } from "./select.ts";
import { toColumn } from "./text.ts";

/** Reads a page of a query. Must run in a snapshot. */
export function runQuery(connection: Connection, query: Query): QueryPage {
  const rows = rowsOf(connection, query);
  const documents = rows.slice(0, query.limit).map(fromRow);
  const last = documents.at(-1);
  return last && rows.length > query.limit
    ? { documents, next: positionOf(last, query.sort) }
    : { documents };
}

/** The statements that answer a query, in the order in which they fill the page. */
export function statementsOf(query: Query, plan: Plan): readonly ((limit: number) => Sql)[] {
  const page = pageOf(query);
  if (plan.kind === "gather") return [(limit) => gather({ ...page, limit }, plan)];
  if (!page.sort) return [(limit) => walkKeys({ ...page, limit })];
  const sorted = (limit: number) => walkSorted({ ...page, limit }, plan.single);
  const missing = (limit: number) => walkMissing({ ...page, limit });
  if (page.after?.value === null) return [missing];
  // A condition on the sort's index leaves out whatever has no value in it.
  const onSort = query.where?.some((condition) => condition.index === query.sort?.index) ?? false;
  return onSort ? [sorted] : [sorted, missing];
}

function rowsOf(connection: Connection, query: Query): readonly DocumentRow[] {
  const wanted = query.limit + 1;
  const rows: DocumentRow[] = [];
  for (const statement of statementsOf(query, planQuery(connection, query))) {
    if (rows.length >= wanted) break;
    const { text, values } = statement(wanted - rows.length);
    rows.push(...connection.rows<DocumentRow>(text, ...values));
  }
  return rows;
}

function pageOf({ collection, where = [], sort, after }: Query): Omit<Page, "limit"> {
  return {
    collection: toColumn(collection),
    where,
    ...(sort && { sort: { idx: toColumn(sort.index), descending: sort.descending ?? false } }),
    ...(after && {
      after: { value: after.value === null ? null : toColumn(after.value), key: toColumn(after.key) },
    }),
  };
}
