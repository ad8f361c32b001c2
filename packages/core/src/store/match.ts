import { type Json, jsonBytes } from "../json.ts";
import type { Condition, Entries, Expectation, Position, Query, QueryPage, StoredDocument } from "./port.ts";

/**
 * The meaning of a query, as pure functions: what every adapter's index walk has to agree with.
 * An adapter may use them directly for the part of a query that its medium cannot answer.
 */

/** Orders two strings by UTF-16 code unit: negative, zero or positive. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Whether one value meets a condition. */
export function valueMeets(value: string, condition: Condition): boolean {
  if ("anyOf" in condition) return condition.anyOf.includes(value);
  if ("prefix" in condition) return value.startsWith(condition.prefix);
  if ("contains" in condition) return value.includes(condition.contains);
  if (condition.from !== undefined && value < condition.from) return false;
  return condition.below === undefined || value < condition.below;
}

/** Whether a document's entries meet every condition; of each index one value is enough. */
export function entriesMeet(entries: Entries, where: readonly Condition[]): boolean {
  return where.every((condition) =>
    valuesOf(entries, condition.index).some((value) => valueMeets(value, condition)),
  );
}

/** The value that sorting by an index uses: the first one, or `null` without any. */
export function sortValue(entries: Entries, index: string | undefined): string | null {
  return index === undefined ? null : (valuesOf(entries, index)[0] ?? null);
}

/** A document's place in the order that a query asks for. */
export function positionOf(document: StoredDocument, sort: Query["sort"]): Position {
  return { value: sortValue(document.entries, sort?.index), key: document.key };
}

/**
 * Orders two positions. Descending turns values and keys around alike; a position without a value is last
 * in either direction.
 */
export function comparePositions(a: Position, b: Position, descending = false): number {
  if (a.value === null && b.value !== null) return 1;
  if (a.value !== null && b.value === null) return -1;
  const byValue = a.value === null || b.value === null ? 0 : compareCodeUnits(a.value, b.value);
  const order = byValue === 0 ? compareCodeUnits(a.key, b.key) : byValue;
  return descending ? -order : order;
}

/**
 * How many items of a page fit into so many bytes: one at least, where there is any. Without bytes any number does.
 *
 * @param sizes of the items in bytes, in order; no further is read than matters
 */
export function fitting(sizes: Iterable<number>, bytes?: number): number {
  if (bytes === undefined) return Number.POSITIVE_INFINITY;
  let count = 0;
  let sum = 0;
  for (const size of sizes) {
    sum += size;
    if (count > 0 && sum > bytes) break;
    count += 1;
  }
  return count;
}

/** The sizes of documents' bodies in bytes, one by one as they are asked for. */
export function* bodySizes(documents: Iterable<{ readonly body: Json } | undefined>): Generator<number> {
  for (const document of documents) yield document ? jsonBytes(document.body) : 0;
}

/** Answers a query from candidates: a collection's documents, or any part of them that holds all matches. */
export function answerQuery(candidates: Iterable<StoredDocument>, query: Query): QueryPage {
  const { sort, after, limit, bytes, where = [] } = query;
  const descending = sort?.descending ?? false;
  const found: { place: Position; document: StoredDocument }[] = [];
  for (const document of candidates) {
    if (!entriesMeet(document.entries, where)) continue;
    const place = positionOf(document, sort);
    if (after === undefined || comparePositions(place, after, descending) > 0)
      found.push({ place, document });
  }
  found.sort((a, b) => comparePositions(a.place, b.place, descending));
  const first = found.slice(0, limit).map((each) => partOf(each.document, query.part));
  const documents = first.slice(0, fitting(bodySizes(first), bytes));
  const last = found[documents.length - 1];
  return last && found.length > documents.length ? { documents, next: last.place } : { documents };
}

/** A document reduced to the part that a query wants. */
function partOf(document: StoredDocument, part: Query["part"]): StoredDocument {
  if (part === undefined) return document;
  const { collection, key, version } = document;
  const { claims, entries, feeds } = part === "declared" ? document : { claims: [], entries: {}, feeds: [] };
  return { collection, key, version, claims, entries, feeds, body: null };
}

/** Whether an expectation about a document holds, by the version found, `undefined` where there is none. */
export function holds(
  expectation: Exclude<Expectation, { kind: "free" }>,
  found: number | undefined,
): boolean {
  if (expectation.kind === "exists") return found !== undefined;
  if (expectation.kind === "absent") return found === undefined;
  return found === expectation.version;
}

function valuesOf(entries: Entries, index: string): readonly string[] {
  return Object.hasOwn(entries, index) ? (entries[index] ?? []) : [];
}
