import type { Condition, Position, Query } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { entriesFound, isEquality } from "./conditions.ts";
import type { InOrder } from "./in-order.ts";
import { pageOf, placeAhead } from "./select.ts";
import { findMatching, type Matching, matchingOf, type SubstringIndex, textsAtMost } from "./substrings.ts";

/**
 * How a query is read: by walking its order and testing each document, or by gathering what meets one condition
 * and putting that in order. Walking is quick when many documents meet the conditions, gathering when few do.
 */
export type Plan =
  | {
      readonly kind: "walk";
      /** Documents have one value each in the sort's index: a condition on it is a test of the walk's own rows. */
      readonly single: boolean;
      /** Where to stop, as columns: the walk is a glance, which answers only if it fills the page. */
      readonly until?: Position;
    }
  | InOrder
  | Gathering;

/** Gathers what meets one condition, and tests the others. */
export interface Gathering {
  readonly kind: "gather";
  readonly by: Condition;
  readonly others: readonly Condition[];
  /** Keys of the documents that meet `by`, as columns, where planning has found them already. */
  readonly keys?: readonly string[];
  /** The trigrams that find what meets `by`, a `contains`. */
  readonly through?: Matching;
}

/** Gathering more entries than this takes longer than walking past the documents between two of them. */
const gatherable = 4000;

/** As many when the condition is on the sort's index: what meets it may lie together, far along the walk. */
const gatherableTogether = 50_000;

/** A condition that so few entries meet is taken as it comes: to know a rarer one would save nothing. */
const few = 64;

/** A glance sees so many documents: what is common is met among them, and otherwise little time was lost. */
const glanced = 600;

/** A page of more documents than this is seldom filled by a glance. */
const glancedPage = 200;

/** Whether the plan answers only if it fills the page. */
export function isGlance(plan: Plan): boolean {
  return plan.kind === "walk" && plan.until !== undefined;
}

/** The ways to try, in turn: glances, and then one that answers. It is told how many documents each glance found. */
export type Plans = Generator<Plan, void, number>;

/**
 * Chosen by counting what meets each condition, no further than matters. Looking for a substring without trigrams reads a whole
 * index, so it comes last and is done once: what it finds is kept.
 */
export function* plansFor(connection: Connection, query: Query, indexes: readonly SubstringIndex[]): Plans {
  const { where = [], sort } = query;
  const choice: Choice = { query, indexes };
  const through = matchingOfSort(connection, choice);
  if (through) {
    yield planInOrder(connection, choice, through);
    return;
  }
  const sample = sampleOf(connection, choice);
  if (sample) yield* glancesOf(connection, query, sample);
  const rarest = sample ?? rarestOf(connection, choice, where);
  if (rarest && rarest.count < gatherable) {
    yield gathering(where, rarest);
    return;
  }
  const containing = where.filter((condition) => "contains" in condition);
  if (containing.length > 0 && !sample) yield* glance(connection, query, glanced);
  for (const by of containing) {
    const found = gatherSubstring(connection, choice, by);
    if (found) {
      yield gathering(where, found);
      return;
    }
  }
  if (sort) yield* plansSorted(connection, query, sort.index);
  else yield planByKey(where);
}

/** What finds a substring in the very index that sorts. */
function matchingOfSort(connection: Connection, { query, indexes }: Choice): Matching | undefined {
  const { where = [], sort } = query;
  const by = where.find((condition) => "contains" in condition && condition.index === sort?.index);
  return by && matchingOf(connection, indexes, where, by);
}

/** What has the substring is met in the page's order, so few others are rare enough to be gathered instead. */
function planInOrder(connection: Connection, choice: Choice, through: Matching): Plan {
  const { where = [], collection } = choice.query;
  const { name } = through.index;
  const others = where.filter((condition) => !("contains" in condition && condition.index === name));
  const rarest = rarestOf(connection, choice, others);
  if (rarest && rarest.count < gatherable) {
    const { count } =
      rarest.count > few ? findMatching(connection, through, rarest.count + 1) : { count: few + 1 };
    if (count > rarest.count) return gathering(where, rarest);
  }
  const bounding = others.some(({ index }) => index === name);
  return { kind: "in order", through, single: bounding && isSingle(connection, collection, name) };
}

/** What has the trigrams of a substring that is asked for alone. */
function sampleOf(connection: Connection, { query, indexes }: Choice): Counted | undefined {
  const { where = [] } = query;
  const [by] = where;
  if (!by || where.length > 1 || !("contains" in by) || !mayGlance(query)) return undefined;
  const through = matchingOf(connection, indexes, where, by);
  return through && { by, ...findMatching(connection, through, gatherable) };
}

/** Glances along the order where a page is met sooner than all is gathered; if not all were counted, a first one tells how many there are. */
function* glancesOf(connection: Connection, query: Query, { count, through }: Counted): Plans {
  if (!through || count === 0) return;
  const rows = textsAtMost(connection, through.index);
  let all = count;
  if (count === gatherable) all = (rows * (yield* glance(connection, query, glanced))) / glanced;
  yield* glance(connection, query, stepsFor(query, rows, all));
}

/**
 * How far to walk for a page where it is met sooner than all is gathered, else 0. A walk meets a page of p after p · n / m steps where
 * m of n documents have the substring and lie as the order has it; and a step takes about as long as gathering one.
 */
function stepsFor({ limit }: Query, rows: number, all: number): number {
  const steps = ((limit + 1) * rows) / all;
  return steps < all ? Math.ceil(3 * steps) : 0;
}

interface Choice {
  readonly query: Query;
  readonly indexes: readonly SubstringIndex[];
}

/** One condition, how it is found, and how many entries meet it, counted no further than matters. */
interface Counted {
  readonly by: Condition;
  readonly count: number;
  readonly keys?: readonly string[];
  readonly through?: Matching;
}

function rarestOf(connection: Connection, choice: Choice, among: readonly Condition[]): Counted | undefined {
  let rarest: Counted | undefined;
  for (const by of among) {
    const counted = countedBy(connection, choice, by);
    if (!counted) continue;
    if (!rarest || counted.count < rarest.count) rarest = counted;
    if (counted.count <= few) break;
  }
  return rarest;
}

/** `undefined` for a substring that nothing but reading a whole index finds. */
function countedBy(connection: Connection, { query, indexes }: Choice, by: Condition): Counted | undefined {
  if ("contains" in by) {
    const through = matchingOf(connection, indexes, query.where ?? [], by);
    return through && { by, ...findMatching(connection, through, gatherable) };
  }
  const keys = fewKeys(connection, query.collection, by);
  if (keys) return { by, count: keys.length, keys };
  return { by, count: countUpTo(connection, { query, condition: by, most: gatherable }) };
}

function mayGlance({ limit, sort, after }: Query): boolean {
  return limit <= glancedPage && !(sort && after?.value === null);
}

/** The walk as far as a glance goes; the whole walk where that is no further. Answers how many it found. */
function* glance(connection: Connection, query: Query, steps: number): Generator<Plan, number, number> {
  if (steps === 0 || !mayGlance(query)) return 0;
  const { text, values } = placeAhead(pageOf(query, []), steps);
  const until = connection.row<Position>(text, ...values);
  return yield { kind: "walk", single: false, ...(until && { until }) };
}

function gatherSubstring(
  connection: Connection,
  { query, indexes }: Choice,
  by: Condition & { readonly contains: string },
): Counted | undefined {
  const { where = [], collection } = query;
  const through = matchingOf(connection, indexes, where, by);
  if (through) {
    const found = findMatching(connection, through, gatherableTogether);
    return found.count < gatherableTogether ? { by, ...found } : undefined;
  }
  const keys = findKeys(connection, collection, by);
  return keys.length < gatherable ? { by, count: keys.length, keys } : undefined;
}

function findKeys(connection: Connection, collection: string, condition: Condition): readonly string[] {
  const { text, values } = entriesFound(toColumn(collection), condition);
  const sql = `SELECT DISTINCT w.key AS key ${text} LIMIT ? + 0`;
  return connection.rows<{ key: string }>(sql, ...values, gatherable).map(({ key }) => key);
}

/** What one of several values finds, where that is little: then there is no need to count, nor to look for it again. */
function fewKeys(
  connection: Connection,
  collection: string,
  condition: Condition,
): readonly string[] | undefined {
  if (!("anyOf" in condition) || isEquality(condition)) return undefined;
  const { text, values } = entriesFound(toColumn(collection), condition);
  const sql = `SELECT w.key AS key ${text} LIMIT ? + 0`;
  const rows = connection.rows<{ key: string }>(sql, ...values, few + 1);
  return rows.length > few ? undefined : [...new Set(rows.map(({ key }) => key))];
}

/** The entries of one value are in order of key already: nothing is gathered first. */
function planByKey(where: readonly Condition[]): Plan {
  const inOrder = where.find(isEquality);
  return inOrder ? gathering(where, { by: inOrder }) : { kind: "walk", single: false };
}

/** Most of what is common is met soon; to put all of it in order takes as long as there is much of it. */
function* plansSorted(connection: Connection, query: Query, index: string): Plans {
  const { where = [] } = query;
  const together = where.find((condition) => condition.index === index);
  const single = together !== undefined && isSingle(connection, query.collection, index);
  if (together && !single) {
    yield* glance(connection, query, gatherable);
    const most = gatherableTogether;
    const count = countUpTo(connection, { query, condition: together, most });
    if (count < most) {
      yield gathering(where, { by: together });
      return;
    }
  }
  yield { kind: "walk", single };
}

function isSingle(connection: Connection, collection: string, index: string): boolean {
  const sql = "SELECT 1 AS further FROM indexes WHERE collection = ? AND idx = ? AND several = 1";
  return connection.row(sql, toColumn(collection), toColumn(index)) === undefined;
}

function gathering(
  where: readonly Condition[],
  { by, keys, through }: Pick<Gathering, "by" | "keys" | "through">,
): Gathering {
  const others = where.filter((condition) => condition !== by);
  return { kind: "gather", by, others, ...(keys && { keys }), ...(through && { through }) };
}

function countUpTo(
  connection: Connection,
  { query, condition, most }: { readonly query: Query; readonly condition: Condition; readonly most: number },
): number {
  // A single unsorted equality needs no count: it is read in order, as far as the page goes.
  if (!query.sort && query.where?.length === 1 && isEquality(condition)) return 0;
  const { text, values } = entriesFound(toColumn(query.collection), condition);
  const sql = `SELECT count(*) AS count FROM (SELECT 1 ${text} LIMIT ? + 0)`;
  return connection.row<{ count: number }>(sql, ...values, most)?.count ?? 0;
}
