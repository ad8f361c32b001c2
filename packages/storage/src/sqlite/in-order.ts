import type { Condition, Position } from "@fieldroll/core";
import { pastAll, toColumn } from "../text.ts";
import type { Connection, Sql } from "./client.ts";
import { documentMeets, indexNumber, valueMeets } from "./conditions.ts";
import { trigramsTable } from "./pending-trigrams.ts";
import {
  bucketOf,
  bucketsOf,
  firstAside,
  lastPlace,
  placeColumns,
  placeIn,
  placesOf,
  rowAt,
  rowsInOrder,
  startInBucket,
} from "./places.ts";
import { columnsFor } from "./rows.ts";
import { type Page, placeAhead } from "./select.ts";
import { allOf, end, isWritten, type Matching, textsWaiting } from "./substrings.ts";

/** Reads what has a substring in the index that sorts, about in its order, until the page is full. */
export interface InOrder {
  readonly kind: "in order";
  readonly through: Matching;
  /** Documents have one value each in the index: conditions on it bound the places. */
  readonly single: boolean;
}

interface Found {
  readonly id: number;
  readonly key: string;
  readonly value: string;
}

interface Placed extends Found {
  readonly bucket: number;
  /** Tells places of one bucket apart. */
  readonly nth: number;
}

interface Search {
  readonly connection: Connection;
  readonly page: Page & { readonly sort: { readonly idx: string; readonly descending: boolean } };
  readonly through: Matching;
}

/** Places, in digits, both included. */
type Range = readonly [string, string];

/** The rows of the page's documents, in order, with the page's columns. */
export function readInOrder<Row>(
  connection: Connection,
  { sort, ...rest }: Page,
  { through, single }: InOrder,
): readonly Row[] {
  if (!sort || rest.after?.value === null) return [];
  const page = { ...rest, sort };
  const search: Search = { connection, page, through };
  const found = new Map<number, Found>();
  for (const one of [...inBuckets(search, single), ...setAside(search), ...waiting(search)])
    found.set(one.id, one);
  const way = sort.descending ? -1 : 1;
  const ids = [...found.values()]
    .sort((a, b) => way * (compare(a.value, b.value) || compare(a.key, b.key)))
    .slice(0, rest.limit)
    .map(({ id }) => id);
  const columns = rest.columns ?? columnsFor(page);
  const sql = `SELECT ${columns} FROM json_each(?) j CROSS JOIN documents d ON d.id = j.value ORDER BY j.key`;
  return connection.rows<Row>(sql, JSON.stringify(ids));
}

/** Columns are compared as the texts that they stand for. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** More than fill the page are asked for: where they reach into another bucket, the last one of the page is whole. */
const further = 3;

/** The documents of whole buckets that fill the page; but of a bucket of very many, no more than fill it. */
function inBuckets(search: Search, single: boolean): readonly Found[] {
  const { limit, sort } = search.page;
  const found = matching(search, rangeOf(search, single), limit + further);
  const [at, last] = [found[limit - 1], found.at(-1)];
  if (!at || !last || found.length < limit + further || at.bucket !== last.bucket) return found;
  const rest: Range = sort.descending
    ? [placesOf(at.bucket)[0], placeIn(at.bucket, last.nth - 1)]
    : [placeIn(at.bucket, last.nth + 1), placesOf(at.bucket)[1]];
  return [...found, ...fullBucket(search, at, rest)];
}

const inRange = (table: string) =>
  `${table} MATCH ? AND ${table}.rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`;

/**
 * What else of a bucket may belong to the page. Where it has many matches they are dense among the entries, or lie together there: then
 * those fill the page sooner, or not at all, so both are tried in turn, further each time.
 */
function fullBucket(search: Search, { value }: Found, rest: Range): readonly Found[] {
  for (const most of [40, 400, 4000, 40_000]) {
    const glanced = entriesFrom(search, startInBucket(value), 2 * most);
    if (glanced.length >= search.page.limit) return glanced;
    const found = matching(search, rest, most);
    if (found.length < most) return found;
  }
  return sorted(search, rest);
}

/** Where the page may have documents, but for those set aside. */
function rangeOf({ page, through }: Search, single: boolean): Range {
  const { collection, where, after, sort } = page;
  let [first, last] = bucketsOf(collection);
  const own = where.filter(({ index }) => single && index === through.index.name).map(extentOf);
  const start = after?.value ?? undefined;
  for (const [from, to] of [...own, sort.descending ? [undefined, start] : [start]]) {
    if (from !== undefined) first = Math.max(first, bucketOf(collection, from));
    if (to !== undefined) last = Math.min(last, bucketOf(collection, to));
  }
  return [placesOf(first)[0], placesOf(last)[1]];
}

/** Between which values all lie that meet a condition, as far as it tells. */
function extentOf(condition: Condition): readonly (string | undefined)[] {
  if ("anyOf" in condition || "contains" in condition) return [];
  if ("prefix" in condition) {
    const prefix = toColumn(condition.prefix);
    return [prefix, prefix + pastAll];
  }
  const { from = "", below } = condition;
  return [toColumn(from), below === undefined ? undefined : toColumn(below)];
}

/** Those of a range of places that meet all conditions and lie beyond the page's start, in order of place. */
function matching(search: Search, range: Range, most: number): readonly Placed[] {
  const { connection, page } = search;
  const { text, values } = matchingIn(search, range);
  const way = page.sort.descending ? " DESC" : "";
  const sql = `${text} ORDER BY ${trigramsTable(search.through.index.number)}.rowid${way} LIMIT ? + 0`;
  return connection.rows<Placed>(sql, ...values, most);
}

/** The first of them in the page's order, once all are found. */
function sorted(search: Search, range: Range): readonly Found[] {
  return inOrder(search, matchingIn(search, range));
}

function inOrder({ connection, page }: Search, { text, values }: Sql): readonly Found[] {
  const way = page.sort.descending ? " DESC" : "";
  const sql = `SELECT f.id, f.key, f.value FROM (${text}) f ORDER BY f.value${way}, f.key${way} LIMIT ? + 0`;
  return connection.rows<Found>(sql, ...values, page.limit);
}

/** Those whose rows have numbers too high for places: there is no order among them. */
function setAside(search: Search): readonly Found[] {
  const table = `substrings_${search.through.index.number}`;
  if (!search.connection.row(`SELECT 1 FROM ${table} WHERE id >= ${rowsInOrder} LIMIT 1`)) return [];
  return sorted(search, [firstAside, lastPlace]);
}

/** Those whose trigrams are not written yet: they are few. */
function waiting(search: Search): readonly Found[] {
  const { index } = search.through;
  const conditions = conditionsOf(search);
  return inOrder(search, {
    text: `SELECT w.id AS id, w.key AS key, ${firstValue} AS value FROM ${textsWaiting(index)}
      WHERE ${conditions.map(({ text }) => text).join(" AND ")}`,
    values: conditions.flatMap(({ values }) => values),
  });
}

const firstValue = `substr(w.text, 1, instr(w.text, ${end}) - 1)`;

/** What texts `w` must meet. */
function conditionsOf({ page, through }: Search): readonly Sql[] {
  const { name } = through.index;
  const own = (condition: Condition) => condition.index === name && "contains" in condition;
  return [
    { text: "w.collection = ?", values: [page.collection] },
    ...page.where.filter(own).map((condition) => valueMeets("w.text", condition)),
    ...beyond(page, firstValue, "w.key"),
    ...page.where
      .filter((condition) => !own(condition))
      .map((condition) => documentMeets({ id: "w.id", key: "w.key" }, page, condition)),
  ];
}

function matchingIn(search: Search, [from, to]: Range): Sql {
  const { index, trigrams: wanted } = search.through;
  const trigrams = trigramsTable(index.number);
  const conditions: readonly Sql[] = [
    { text: inRange(trigrams), values: [allOf(wanted), from, to] },
    ...conditionsOf(search),
    { text: isWritten(index), values: [] },
  ];
  return {
    text: `SELECT w.id AS id, w.key AS key, ${firstValue} AS value, ${placeColumns("w.place")}
      FROM ${trigrams} CROSS JOIN substrings_${index.number} w ON w.id = ${rowAt(`${trigrams}.rowid`)}
      WHERE ${conditions.map((condition) => condition.text).join(" AND ")}`,
    values: conditions.flatMap((condition) => condition.values),
  };
}

function beyond({ after, sort }: Search["page"], value: string, key: string): readonly Sql[] {
  if (!after) return [];
  return [
    { text: `(${value}, ${key}) ${sort.descending ? "<" : ">"} (?, ?)`, values: [after.value, after.key] },
  ];
}

/** What fills the page among the next so many entries whose values begin so, in the page's order. */
function entriesFrom({ connection, page }: Search, start: string, steps: number): readonly Found[] {
  const { collection, sort, where } = page;
  const down = sort.descending;
  const edge = down ? start + pastAll : start;
  const after = page.after?.value ?? edge;
  const isWithin = down ? after < edge : after >= start;
  const begun = { ...page, after: isWithin && page.after ? page.after : { value: edge, key: "" } };
  const ahead = placeAhead(begun, steps);
  const until = connection.row<Position>(ahead.text, ...ahead.values);
  const conditions: readonly Sql[] = [
    { text: `s.idx = ${indexNumber} AND s.first = 1`, values: [collection, sort.idx] },
    ...beyond(begun, "s.value", "s.key"),
    ...(until
      ? [{ text: `(s.value, s.key) ${down ? ">=" : "<="} (?, ?)`, values: [until.value, until.key] }]
      : []),
    ...where.map((condition) => documentMeets({ id: "s.document", key: "s.key" }, page, condition)),
  ];
  const way = down ? " DESC" : "";
  return connection.rows<Found>(
    `SELECT s.document AS id, s.key AS key, s.value AS value FROM entries s
     WHERE ${conditions.map(({ text }) => text).join(" AND ")} ORDER BY s.value${way}, s.key${way} LIMIT ? + 0`,
    ...conditions.flatMap(({ values }) => values),
    page.limit,
  );
}
