import type { Condition, Position } from "@fieldroll/core";
import type { Sql, SqliteValue } from "./client.ts";
import { documentMeets, entriesMeeting, isEquality, valueMeets } from "./conditions.ts";
import type { Gathering } from "./plan.ts";
import { documentColumns } from "./rows.ts";
import { toColumn } from "./text.ts";

/** One page of a query, its texts written for columns; conditions still as the caller gave them. */
export interface Page {
  readonly collection: string;
  readonly where: readonly Condition[];
  readonly sort?: { readonly idx: string; readonly descending: boolean };
  readonly after?: Position;
  readonly limit: number;
}

/**
 * Every statement here first picks keys from narrow rows, in order and no more than the page holds, and only
 * then reads the documents.
 */
interface Picking {
  /** Selects `key` and `value`, with its conditions, up to and without ORDER BY. */
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
  const { collection, where, sort = { idx: "", descending: false }, after } = page;
  const down = sort.descending;
  const value = after?.value ?? null;
  const beyond: Sql[] =
    after && value !== null
      ? [{ text: `(s.value, s.key) ${down ? "<" : ">"} (?, ?)`, values: [value, after.key] }]
      : [];
  // The plus keeps the second index out: the walk must be along the table's own key, which has the order.
  const own: Sql = {
    text: "s.collection = ? AND s.idx = ? AND +s.first = 1",
    values: [collection, sort.idx],
  };
  const isOwn = (condition: Condition) => single && toColumn(condition.index) === sort.idx;
  const picked = joined("SELECT s.key AS key, s.value AS value FROM entries s NOT INDEXED WHERE", [
    own,
    ...beyond,
    ...where.filter(isOwn).map((condition) => valueMeets("s.value", condition)),
    ...meeting(
      "s.key",
      collection,
      where.filter((condition) => !isOwn(condition)),
    ),
  ]);
  const way = direction(down);
  return reading(page, { picked, order: `s.value${way}, s.key${way}`, outer: `p.value${way}, p.key${way}` });
}

/** The documents that have no value in the sort's index, by key. */
export function walkMissing(page: Page): Sql {
  const { collection, where, sort = { idx: "", descending: false }, after } = page;
  const without: Sql = {
    text: `NOT EXISTS (SELECT 1 FROM entries m INDEXED BY entries_of_document
      WHERE m.collection = ? AND m.key = k.key AND m.idx = ? AND m.first = 1)`,
    values: [collection, sort.idx],
  };
  const afterKey = after?.value === null ? after.key : undefined;
  return walkingKeys(page, { afterKey, conditions: [without, ...meeting("k.key", collection, where)] });
}

/** The documents of the collection, by key. */
export function walkKeys(page: Page): Sql {
  const conditions = meeting("k.key", page.collection, page.where);
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
    const picked = joined(`SELECT c.key AS key FROM (${found.text}) c WHERE`, [
      { text: `${key} > ?`, values: [...found.values, page.after?.key ?? ""] },
      ...meeting("c.key", collection, others),
    ]);
    return reading(page, { picked, order: "c.key", outer: "p.key" });
  }
  const picked = joined(
    `SELECT c.key AS key, s.value AS value FROM (${found.text}) c
    LEFT JOIN entries s INDEXED BY entries_of_document
    ON s.collection = ? AND s.key = c.key AND s.idx = ? AND s.first = 1 WHERE`,
    [
      { text: "1", values: [...found.values, collection, sort.idx] },
      ...beyondPosition(page.after, sort.descending),
      ...meeting("c.key", collection, others),
    ],
  );
  return reading(page, {
    picked,
    order: `s.value IS NULL, s.value${way}, c.key${way}`,
    outer: `p.value IS NULL, p.value${way}, p.key${way}`,
  });
}

function foundKeys(collection: string, { by, keys }: Gathering): Sql {
  if (keys) return { text: "SELECT value AS key FROM json_each(?)", values: [JSON.stringify(keys)] };
  const { text, values } = entriesMeeting(collection, by);
  // The key of `entries` has each document once for one value; other conditions may find it more often.
  const each = isEquality(by) ? "SELECT" : "SELECT DISTINCT";
  return { text: `${each} w.key AS key FROM entries w NOT INDEXED WHERE ${text}`, values };
}

function beyondPosition(after: Position | undefined, descending: boolean): readonly Sql[] {
  if (!after) return [];
  const beyond = descending ? "<" : ">";
  if (after.value === null) {
    return [{ text: `s.value IS NULL AND c.key ${beyond} ?`, values: [after.key] }];
  }
  const text = `(s.value IS NULL OR (s.value, c.key) ${beyond} (?, ?))`;
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
  const picked = joined("SELECT k.key AS key FROM documents k WHERE", [own, ...beyond, ...conditions]);
  const way = direction(down);
  return reading(page, { picked, order: `k.key${way}`, outer: `p.key${way}` });
}

function reading(page: Page, { picked, order, outer }: Picking): Sql {
  return {
    text: `SELECT ${documentColumns} FROM (${picked.text} ORDER BY ${order} LIMIT ?) p
      CROSS JOIN documents d ON d.collection = ? AND d.key = p.key ORDER BY ${outer}`,
    values: [...picked.values, page.limit, page.collection],
  };
}

function meeting(key: string, collection: string, where: readonly Condition[]): readonly Sql[] {
  return where.map((condition) => documentMeets(key, collection, condition));
}

function direction(descending: boolean): string {
  return descending ? " DESC" : "";
}

function joined(start: string, conditions: readonly Sql[]): Sql {
  const values: SqliteValue[] = conditions.flatMap((condition) => condition.values);
  return { text: `${start} ${conditions.map((condition) => condition.text).join(" AND ")}`, values };
}
