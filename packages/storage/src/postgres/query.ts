import { positionOf, type Query, type QueryPage } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Database } from "./client.ts";
import { columnName, Parameters, placeOf } from "./conditions.ts";
import { type Plan, planAtOnce, plansFor } from "./plan.ts";
import { type DocumentRow, fromRow } from "./rows.ts";
import { gather, type Page, parted, walk } from "./select.ts";

/** Reads a page of a query. One statement chooses how, and another one reads: a page is of one state of the database. */
export async function runQuery(database: Database, schema: string, query: Query): Promise<QueryPage> {
  const rows = await rowsBy(database, schema, query);
  // The two parts of a sorted walk come one after the other, but nothing promises it.
  const inOrder = [...rows.filter(({ missing }) => !missing), ...rows.filter(({ missing }) => missing)];
  const documents = inOrder.slice(0, query.limit).map(fromRow);
  const last = documents.at(-1);
  return last && foundIn(rows) > documents.length
    ? { documents, next: positionOf(last, query.sort) }
    : { documents };
}

async function rowsBy(database: Database, schema: string, query: Query): Promise<readonly WalkedRow[]> {
  for await (const plan of plansFor(database, schema, query)) {
    const rows = await rowsOf(database, { schema, query, plan });
    if (rows.some(({ several }) => several)) {
      return rowsOf(database, { schema, query, plan: { kind: "walk", single: false } });
    }
    const isGlance = plan.kind === "walk" && plan.steps !== undefined;
    if (!isGlance || foundIn(rows) > query.limit) return rows;
  }
  return [];
}

async function rowsOf(
  database: Database,
  { schema, query, plan }: { readonly schema: string; readonly query: Query; readonly plan: Reading },
): Promise<readonly WalkedRow[]> {
  const add = new Parameters();
  const statement = statementOf(plan, pageOf(query, schema), add);
  const text = query.bytes === undefined ? statement : fitted(statement, add.number(query.bytes));
  const rows = await database.rows<WalkedRow>(text, add.values);
  // Whether a walk was told the truth is told also where it found nothing.
  return rows.filter(({ key, several }) => several || key !== null);
}

/**
 * The first rows of a statement whose bodies fit into so many bytes, the first one in any case, each with how many there were. A window
 * without an order goes through the rows as they come, and the length of a body is told without reading it.
 */
function fitted(statement: string, bytes: string): string {
  return `SELECT * FROM (
      SELECT f.*, count(*) OVER () AS found, row_number() OVER w AS nth, sum(octet_length(f.body)) OVER w AS upto
      FROM (${statement}) f WINDOW w AS (ROWS UNBOUNDED PRECEDING)
    ) f WHERE nth = 1 OR upto <= ${bytes} ORDER BY nth`;
}

/** How many rows there were, those that did not fit included. */
function foundIn(rows: readonly WalkedRow[]): number {
  return Number(rows[0]?.found ?? rows.length);
}

type Reading = Exclude<Plan, { kind: "nothing" }>;

interface WalkedRow extends DocumentRow {
  /** Whether it has no value in the sort's index. */
  readonly missing: boolean;
  /** Whether documents have several values in the sort's index, although it was planned that they have not. */
  readonly several?: boolean;
  /** How many rows there were, where the page ends by bytes. */
  readonly found?: string;
}

/** How many documents a query finds; `undefined` where it was not wanted any more. */
export async function countAll(
  database: Database,
  schema: string,
  { collection, where = [] }: Pick<Query, "collection" | "where">,
  isWanted: () => boolean = () => true,
): Promise<number | undefined> {
  const query: Query = { collection, where, limit: 1 };
  const plan = await planAtOnce(database, schema, query, { counting: true });
  if (plan.kind === "nothing") return 0;
  const add = new Parameters();
  const page = { ...pageOf(query, schema), counted: true };
  const text = statementOf(plan, page, add);
  const [row] = await database.rows<{ count: string }>(text, add.values, { isWanted }).catch((error) => {
    if (isWanted()) throw error;
    return [undefined];
  });
  return isWanted() ? Number(row?.count ?? 0) : undefined;
}

function statementOf(plan: Reading, page: Page, add: Parameters): string {
  if (plan.kind === "parted") return parted(page, plan.by, add);
  return plan.kind === "gather" ? gather(page, plan.by, add) : walk(page, plan, add);
}

function pageOf({ collection, where = [], sort, after, limit, part }: Query, schema: string): Page {
  return {
    schema,
    collection: toColumn(collection),
    where,
    wanted: limit + 1,
    ...(part && { part }),
    ...(sort && { sort: { idx: columnName(sort.index), descending: sort.descending ?? false } }),
    ...(after && { after: placeOf(after, sort?.descending ?? false) }),
  };
}
