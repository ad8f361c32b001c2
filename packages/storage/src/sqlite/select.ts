import type { Condition, Part, Position, Query } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Sql, SqliteValue } from "./client.ts";
import {
  type DocumentNames,
  documentMeets,
  entriesFound,
  indexNumber,
  isEquality,
  sortValue,
  type TextsOf,
  valueMeets,
} from "./conditions.ts";
import type { Gathering } from "./plan.ts";
import { columnsFor } from "./rows.ts";
import { documentsMatching, type SubstringIndex, textsTable } from "./substrings.ts";

/** One page of a query, its texts written for columns; conditions still as the caller gave them. */
export interface Page {
  readonly collection: string;
  readonly textsOf: TextsOf;
  readonly where: readonly Condition[];
  readonly sort?: { readonly idx: string; readonly descending: boolean };
  readonly after?: Position;
  /** Where a walk stops, this place included. */
  readonly until?: Position;
  readonly limit: number;
  readonly part?: Part;
  /** What is selected of the documents' rows, named `d`. Default: what the part has. */
  readonly columns?: string;
  /** Whether the documents are only counted: the statement tells `count` and the last `key`. */
  readonly counted?: boolean;
}

/**
 * Writes a query for columns.
 *
 * @param indexes Those that have texts.
 */
export function pageOf(
  { collection, where = [], sort, after, part }: Query,
  indexes: readonly SubstringIndex[],
): Omit<Page, "limit"> {
  return {
    collection: toColumn(collection),
    textsOf: (index) => textsTable(indexes, index),
    where,
    ...(part && { part }),
    ...(sort && { sort: { idx: toColumn(sort.index), descending: sort.descending ?? false } }),
    ...(after && {
      after: { value: after.value === null ? null : toColumn(after.value), key: toColumn(after.key) },
    }),
  };
}

/**
 * Every statement here first picks keys from narrow rows, in order and no more than the page holds, and only
 * then reads the documents.
 */
interface Picking {
  /** Selects `id`, `key` and `value`, with its conditions, up to and without ORDER BY. */
  readonly picked: Sql;
  readonly order: string;
  /** The same order again, of the picked rows named `p`. */
  readonly outer: string;
}

/**
 * The documents that have a value in the sort's index, in its order.
 *
 * @param single Whether no document has several values in that index.
 */
export function walkSorted(page: Page, single: boolean): Sql {
  const { collection, where, sort = { idx: "", descending: false }, after, until } = page;
  const down = sort.descending;
  const value = after?.value ?? null;
  const beyond: Sql[] =
    after && value !== null
      ? [{ text: `(s.value, s.key) ${down ? "<" : ">"} (?, ?)`, values: [value, after.key] }]
      : [];
  if (until) {
    beyond.push({ text: `(s.value, s.key) ${down ? ">=" : "<="} (?, ?)`, values: [until.value, until.key] });
  }
  const own: Sql = {
    text: `s.idx = ${indexNumber} AND s.first = 1`,
    values: [collection, sort.idx],
  };
  const isOwn = (condition: Condition) => single && toColumn(condition.index) === sort.idx;
  const picked = joined("SELECT s.document AS id, s.key AS key, s.value AS value FROM entries s WHERE", [
    own,
    ...beyond,
    ...where.filter(isOwn).map((condition) => valueMeets("s.value", condition)),
    ...meeting(
      { id: "s.document", key: "s.key" },
      page,
      where.filter((condition) => !isOwn(condition)),
    ),
  ]);
  const way = direction(down);
  return reading(page, { picked, order: `s.value${way}, s.key${way}`, outer: `p.value${way}, p.key${way}` });
}

/** The last of the next so many places in a page's order, among the documents that have a value in the sort's index. */
export function placeAhead({ collection, sort, after }: Omit<Page, "limit">, steps: number): Sql {
  const way = direction(sort?.descending ?? false);
  const beyond = sort?.descending ? "<" : ">";
  if (!sort) {
    return {
      text: "SELECT k.key AS key, NULL AS value FROM documents k WHERE k.collection = ? AND k.key > ? ORDER BY k.key LIMIT 1 OFFSET ? + 0",
      values: [collection, after?.key ?? "", steps],
    };
  }
  const onwards = after ? ` AND (s.value, s.key) ${beyond} (?, ?)` : "";
  return {
    text: `SELECT s.key AS key, s.value AS value FROM entries s
      WHERE s.idx = ${indexNumber} AND s.first = 1${onwards}
      ORDER BY s.value${way}, s.key${way} LIMIT 1 OFFSET ? + 0`,
    values: [collection, sort.idx, ...(after ? [after.value, after.key] : []), steps],
  };
}

const ofDocuments: DocumentNames = { id: "k.id", key: "k.key" };
const ofFound: DocumentNames = { id: "c.id", key: "c.key" };

/** The documents that have no value in the sort's index, by key. */
export function walkMissing(page: Page): Sql {
  const { where, sort = { idx: "", descending: false }, after } = page;
  const value = sortValue("k.indexed", sort.idx);
  const without: Sql = { text: `${value.text} IS NULL`, values: value.values };
  const afterKey = after?.value === null ? after.key : undefined;
  return walkingKeys(page, { afterKey, conditions: [without, ...meeting(ofDocuments, page, where)] });
}

/** The documents of the collection, by key. */
export function walkKeys(page: Page): Sql {
  const conditions = meeting(ofDocuments, page, page.where);
  return walkingKeys(page, { afterKey: page.after?.key, conditions });
}

/** The documents that meet one condition, put in order. */
export function gather(page: Page, gathering: Gathering): Sql {
  const { collection, sort } = page;
  const { others } = gathering;
  const found = foundKeys(collection, gathering);
  const way = direction(sort?.descending ?? false);
  if (!sort) {
    // The plus keeps a range from being read along the keys of the whole collection instead of along its own values.
    const key = isEquality(gathering.by) && !gathering.keys ? "c.key" : "+c.key";
    const picked = joined(`SELECT c.id AS id, c.key AS key FROM (${found.text}) c WHERE`, [
      { text: `${key} > ?`, values: [...found.values, page.after?.key ?? ""] },
      ...meeting(ofFound, page, others),
    ]);
    return reading(page, { picked, order: "c.key", outer: "p.key" });
  }
  const value = sortValue("x.indexed", sort.idx);
  // A limit that none reaches keeps SQLite from reading the value anew wherever it is named.
  const valued: Sql = {
    text: `SELECT c.id AS id, c.key AS key, ${value.text} AS value FROM (${found.text}) c
      CROSS JOIN documents x ON x.id = c.id LIMIT -1`,
    values: [...value.values, ...found.values],
  };
  const picked = joined(`SELECT c.id AS id, c.key AS key, c.value AS value FROM (${valued.text}) c WHERE`, [
    { text: "1", values: valued.values },
    ...beyondPosition(page.after, sort.descending),
    ...meeting(ofFound, page, others),
  ]);
  return reading(page, {
    picked,
    order: `c.value IS NULL, c.value${way}, c.key${way}`,
    outer: `p.value IS NULL, p.value${way}, p.key${way}`,
  });
}

function foundKeys(collection: string, { by, keys, through }: Gathering): Sql {
  if (through && "contains" in by) return documentsMatching(collection, through, by.contains);
  if (keys) {
    return {
      text: "SELECT k.id AS id, k.key AS key FROM json_each(?) j CROSS JOIN documents k ON k.collection = ? AND k.key = j.value",
      values: [JSON.stringify(keys), collection],
    };
  }
  const { text, values } = entriesFound(collection, by);
  // The key of `entries` has each document once for one value; other conditions may find it more often.
  const each = isEquality(by) ? "SELECT" : "SELECT DISTINCT";
  return { text: `${each} w.document AS id, w.key AS key ${text}`, values };
}

function beyondPosition(after: Position | undefined, descending: boolean): readonly Sql[] {
  if (!after) return [];
  const beyond = descending ? "<" : ">";
  if (after.value === null) {
    return [{ text: `c.value IS NULL AND c.key ${beyond} ?`, values: [after.key] }];
  }
  const text = `(c.value IS NULL OR (c.value, c.key) ${beyond} (?, ?))`;
  return [{ text, values: [after.value, after.key] }];
}

function walkingKeys(
  page: Page,
  { afterKey, conditions }: { readonly afterKey: string | undefined; readonly conditions: readonly Sql[] },
): Sql {
  const down = page.sort?.descending ?? false;
  const beyond: Sql[] =
    afterKey === undefined ? [] : [{ text: `k.key ${down ? "<" : ">"} ?`, values: [afterKey] }];
  const own: Sql = { text: "k.collection = ?", values: [page.collection] };
  if (page.until) beyond.push({ text: "k.key <= ?", values: [page.until.key] });
  const picked = joined("SELECT k.id AS id, k.key AS key FROM documents k WHERE", [
    own,
    ...beyond,
    ...conditions,
  ]);
  const way = direction(down);
  return reading(page, { picked, order: `k.key${way}`, outer: `p.key${way}` });
}

function reading(page: Page, { picked, order, outer }: Picking): Sql {
  if (page.counted) {
    return {
      text: `SELECT count(*) AS count, max(p.key) AS key FROM (${picked.text} ORDER BY ${order} LIMIT ? + 0) p`,
      values: [...picked.values, page.limit],
    };
  }
  return {
    text: `SELECT ${page.columns ?? columnsFor(page)} FROM (${picked.text} ORDER BY ${order} LIMIT ? + 0) p
      CROSS JOIN documents d ON d.id = p.id ORDER BY ${outer}`,
    values: [...picked.values, page.limit],
  };
}

function meeting(
  names: DocumentNames,
  page: Pick<Page, "collection" | "textsOf">,
  where: readonly Condition[],
): readonly Sql[] {
  return where.map((condition) => documentMeets(names, page, condition));
}

function direction(descending: boolean): string {
  return descending ? " DESC" : "";
}

function joined(start: string, conditions: readonly Sql[]): Sql {
  const values: SqliteValue[] = conditions.flatMap((condition) => condition.values);
  return { text: `${start} ${all(conditions.map(({ text }) => text))}`, values };
}

/** Conditions that must all hold. SQLite takes an expression of a depth of 1,000 at most, and each AND of a chain is one deeper. */
function all(texts: readonly string[]): string {
  if (texts.length <= 100) return texts.join(" AND ");
  const middle = Math.floor(texts.length / 2);
  return `(${all(texts.slice(0, middle))}) AND (${all(texts.slice(middle))})`;
}
