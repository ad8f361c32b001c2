import type { Condition, Part, Position } from "@fieldroll/core";
import { columnName, documentMeets, entryMeets, isCut, isEquality, type Parameters } from "./conditions.ts";
import type { Walk } from "./plan.ts";
import { columnsFor, longestValue } from "./rows.ts";

/** One page of a query; names written for columns, conditions as the caller gave them. */
export interface Page {
  readonly schema: string;
  readonly collection: string;
  readonly where: readonly Condition[];
  readonly sort?: { readonly idx: string; readonly descending: boolean };
  /** Written for columns. */
  readonly after?: Position;
  /** So many documents at most. */
  readonly wanted: number;
  /** Whether the documents are only counted, all of them. */
  readonly counted?: boolean;
  readonly part?: Part;
}

/** Reads along the query's order and tests each document. */
export function walk(page: Page, plan: Walk, add: Parameters): string {
  if (!page.sort) return walkKeys(page, add);
  if (page.after?.value === null) return walkMissing(page, add);
  const onSort = page.where.some(({ index }) => columnName(index) === page.sort?.idx);
  // A condition on the sort's index leaves out whatever has no value in it.
  // And a glance sees nothing of what comes last.
  if (plan.steps !== undefined) return walkSorted(page, plan, add);
  if (onSort) return plan.single ? walkSingle(page, plan, add) : walkSorted(page, plan, add);
  const sorted = walkSorted(page, plan, add);
  const { after: _, ...fromStart } = page;
  return `WITH s AS MATERIALIZED (${sorted})
    SELECT * FROM s UNION ALL (
      SELECT * FROM (${walkMissing(fromStart, add)}) m WHERE (SELECT count(*) FROM s) < ${add.number(page.wanted)}
    )`;
}

/** Gathers what meets one condition, tests the others, and puts it in order. */
export function gather(page: Page, by: Condition, add: Parameters): string {
  const { schema, collection, where, sort, after, wanted } = page;
  // What stands in an index is found; what is too long for it, or was only found to be possible, is tested.
  const others = where.filter((condition) => condition !== by || isCut(condition));
  const tests = others.map((condition) => documentMeets(condition, add));
  // One value is in an index once for each document, in order of key.
  const each = isEquality(by) ? "SELECT" : "SELECT DISTINCT";
  const onwards = after && !sort ? ` AND w.key > ${add.text(after.key)}` : "";
  const inOrder = sort || page.counted ? "" : " ORDER BY w.key";
  const found = `${each} w.key ${foundEntries(page, by, add)}${onwards}${inOrder}`;
  const from = `FROM (${found}) c ${documentOf(schema, "c", add.text(collection))}`;
  if (page.counted) return `SELECT count(*) AS count ${from}${whereAll(tests)}`;
  const value = sort ? `left(d.indexed -> ${add.text(sort.idx)} ->> 0, ${longestValue})` : "";
  const beyond = after && sort ? [beyondPosition(value, { after, page }, add)] : [];
  const way = sort?.descending ? " DESC" : "";
  const order = sort ? `${value} COLLATE "C"${way} NULLS LAST, d.key COLLATE "C"${way}` : "c.key";
  return `SELECT ${columnsFor(page)}, ${value || "NULL"} IS NULL AND ${sort ? "true" : "false"} AS missing
    ${from}${whereAll([...beyond, ...tests])} ORDER BY ${order} LIMIT ${add.number(wanted)}`;
}

/**
 * Joins each row to its document, one by one: OFFSET keeps the planner from turning it around, which it does where a table has
 * grown since it was last analysed.
 */
function documentOf(schema: string, row: string, collection: string, name = "d"): string {
  return `CROSS JOIN LATERAL (
      SELECT * FROM ${schema}.documents x WHERE x.collection = ${collection} AND x.key = ${row}.key OFFSET 0
    ) ${name}`;
}

/** The entries that may meet a condition, `FROM` to the end of `WHERE`. */
export function foundEntries(
  { schema, collection }: Pick<Page, "schema" | "collection">,
  by: Condition,
  add: Parameters,
): string {
  const own = `w.collection = ${add.text(collection)} AND w.idx = ${literal(columnName(by.index))}`;
  const meets = entryMeets(by, add);
  if (!("contains" in by)) return `FROM ${schema}.entries w WHERE ${own} AND ${meets}`;
  // In two parts: asked for one or the other, the database would rather read all of them. What was cut is looked for only where there
  // is any: it takes a third of all values for long ones, and would read them all to find none.
  const cut = `length(w.value) >= ${longestValue}`;
  return `FROM (
      SELECT w.key FROM ${schema}.entries w WHERE ${own} AND ${meets}
      UNION ALL
      SELECT w.key FROM ${schema}.entries w WHERE ${own} AND ${cut} AND NOT (${meets}) AND ${hasEntry({ schema, collection, column: columnName(by.index) }, cut, add)}
    ) w WHERE true`;
}

/**
 * That there is an entry of a sort that has an index of its own (`entries_further`, `entries_cut`). The database takes such entries for
 * common, and would rather look through all others for the first one: a range in order, of which one is asked for, leaves it no
 * choice but an index, and the one that has only these costs less than the one that has all.
 */
export function hasEntry(
  {
    schema,
    collection,
    column,
  }: { readonly schema: string; readonly collection: string; readonly column: string },
  condition: string,
  add: Parameters,
): string {
  const place = `(${add.text(collection)}, ${add.text(column)})`;
  return `(SELECT true FROM ${schema}.entries w WHERE (w.collection, w.idx) >= ${place} AND (w.collection, w.idx) <= ${place}
      AND ${condition} ORDER BY w.collection, w.idx LIMIT 1) IS NOT NULL`;
}

/** The documents, perhaps more than once, that have a further value that meets a condition; not the first one, by which they are sorted. */
export function foundFurther(
  { schema, collection }: Pick<Page, "schema" | "collection">,
  by: Condition,
  add: Parameters,
): string {
  const own = `w.collection = ${add.text(collection)} AND w.idx = ${literal(columnName(by.index))}`;
  return `SELECT w.key FROM ${schema}.entries w WHERE ${own} AND NOT w.first AND ${entryMeets(by, add)}`;
}

/** Reads what meets a condition on the sort's index by the first value, in its order, and what does so by a further one only. */
export function parted(page: Page, by: Condition, add: Parameters): string {
  const { schema, collection, where, sort = { idx: "", descending: false }, wanted } = page;
  const way = sort.descending ? " DESC" : "";
  const onwards = beyondPlace(page, add);
  const others = where.filter((condition) => condition !== by).map((each) => documentMeets(each, add));
  const own = [`w.collection = ${add.text(collection)}`, `w.idx = ${literal(sort.idx)}`, "w.first"];
  const first = [...own, entryMeets(by, add), ...onwards, ...others];
  const document = documentOf(schema, "w", add.text(collection));
  // Whose first value meets it as well is among the others already.
  const further = [`NOT (${entryMeets(by, add)})`, ...onwards, ...others];
  return `SELECT ${columnsFor(page)}, false AS missing FROM (
      (SELECT w.key, w.value FROM ${schema}.entries w ${document}${whereAll(first)}
        ORDER BY w.value${way}, w.key${way} LIMIT ${add.number(wanted)})
      UNION ALL
      (SELECT w.key, w.value FROM (
          SELECT c.key, left(x.indexed -> ${add.text(sort.idx)} ->> 0, ${longestValue}) COLLATE "C" AS value
          FROM (SELECT DISTINCT f.key FROM (${foundFurther(page, by, add)}) f) c ${documentOf(schema, "c", add.text(collection), "x")}
          OFFSET 0
        ) w ${document}${whereAll(further)}
        ORDER BY w.value${way}, w.key${way} LIMIT ${add.number(wanted)})
    ) p ${documentOf(schema, "p", add.text(collection))}
    ORDER BY p.value COLLATE "C"${way}, p.key COLLATE "C"${way} LIMIT ${add.number(wanted)}`;
}

/** A text in a statement. Indexes are named in the statement, for a partial index to be recognised. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`;
  return text.includes("\\") ? ` E${quoted.replaceAll("\\", "\\\\")}` : quoted;
}

/**
 * Bounded by the conditions on the sort's index, as each document has one value there. That was so when it was planned: each row
 * says whether it still is, and there is one row at least.
 */
function walkSingle(page: Page, plan: Walk, add: Parameters): string {
  const { schema, collection, sort = { idx: "" } } = page;
  return `SELECT s.*, v.several FROM (
      SELECT ${hasEntry({ schema, collection, column: sort.idx }, "NOT w.first", add)} AS several
    ) v LEFT JOIN (${walkSorted(page, plan, add)}) s ON true`;
}

function walkSorted(page: Page, { single, steps }: Walk, add: Parameters): string {
  const { schema, collection, where, sort = { idx: "", descending: false }, wanted } = page;
  const way = sort.descending ? " DESC" : "";
  const isOwn = (condition: Condition) => single && columnName(condition.index) === sort.idx;
  const own = where.filter(isOwn).map((condition) => entryMayMeet(condition, add));
  const tests = where
    .filter((condition) => !isOwn(condition) || isCut(condition))
    .map((condition) => documentMeets(condition, add));
  const along = [
    `w.collection = ${add.text(collection)}`,
    `w.idx = ${literal(sort.idx)}`,
    "w.first",
    ...beyondPlace(page, add),
    ...own,
  ];
  const order = `ORDER BY w.value${way}, w.key${way}`;
  const entries = `${schema}.entries w`;
  const glanced = `(SELECT * FROM ${entries} WHERE ${along.join(" AND ")} ${order} LIMIT ${steps}) w`;
  const [from, conditions] = steps === undefined ? [entries, [...along, ...tests]] : [glanced, tests];
  return `SELECT ${columnsFor(page)}, false AS missing FROM ${from}
    ${documentOf(schema, "w", "w.collection")}${whereAll(conditions)} ${order} LIMIT ${add.number(wanted)}`;
}

/** Whether a value that was cut has a substring is told by the document alone. */
function entryMayMeet(condition: Condition, add: Parameters): string {
  const meets = entryMeets(condition, add);
  return "contains" in condition ? `(${meets} OR length(w.value) >= ${longestValue})` : meets;
}

/** The documents that have no value in the sort's index, by key. */
function walkMissing(page: Page, add: Parameters): string {
  const idx = page.sort?.idx ?? "";
  return walkingKeys(page, [`d.indexed -> ${add.text(idx)} ->> 0 IS NULL`], add);
}

function walkKeys(page: Page, add: Parameters): string {
  return walkingKeys(page, [], add);
}

function walkingKeys(page: Page, own: readonly string[], add: Parameters): string {
  const { schema, collection, where, after, wanted } = page;
  const descending = page.sort?.descending ?? false;
  const conditions = [
    `d.collection = ${add.text(collection)}`,
    ...(after ? [`d.key ${descending ? "<" : ">"} ${add.text(after.key)}`] : []),
    ...own,
    ...where.map((condition) => documentMeets(condition, add)),
  ];
  const from = `FROM ${schema}.documents d WHERE ${conditions.join(" AND ")}`;
  if (page.counted) return `SELECT count(*) AS count ${from}`;
  return `SELECT ${columnsFor(page)}, ${own.length > 0} AS missing ${from}
    ORDER BY d.key${descending ? " DESC" : ""} LIMIT ${add.number(wanted)}`;
}

/** That a row named `w`, of a value and a key, comes after the page's start. */
function beyondPlace({ sort, after }: Page, add: Parameters): readonly string[] {
  if (!after) return [];
  const way = sort?.descending ? "<" : ">";
  return [`(w.value, w.key) ${way} (${add.text(after.value ?? "")}, ${add.text(after.key)})`];
}

function beyondPosition(
  value: string,
  { after, page }: { readonly after: Position; readonly page: Page },
  add: Parameters,
): string {
  const beyond = page.sort?.descending ? "<" : ">";
  const key = `d.key ${beyond} ${add.text(after.key)}`;
  if (after.value === null) return `${value} IS NULL AND ${key}`;
  const place = `(${add.text(after.value)} COLLATE "C", ${add.text(after.key)})`;
  return `(${value} IS NULL OR (${value} COLLATE "C", d.key) ${beyond} ${place})`;
}

function whereAll(conditions: readonly string[]): string {
  return conditions.length > 0 ? ` WHERE ${conditions.join(" AND ")}` : "";
}
