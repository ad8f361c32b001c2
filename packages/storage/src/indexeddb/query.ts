import {
  answerQuery,
  type Condition,
  comparePositions,
  entriesMeet,
  type Position,
  positionOf,
  type Query,
  type QueryPage,
  type StoredDocument,
  valueMeets,
} from "@fieldroll/core";
import {
  collectionSpan,
  conditionSpans,
  documentId,
  documentKey,
  entryValue,
  type Family,
  families,
  familyPrefix,
  placeOf,
  type Span,
  startingWith,
} from "./names.ts";
import { answered, documentsOf, readRows, type Work, walk } from "./requests.ts";
import { type DocumentRow, toDocument } from "./rows.ts";

/**
 * How many documents a condition may find for all of them to be read and sorted. Of a condition that finds more,
 * at least this many of the collection's documents match, so a walk in the query's order soon fills a page.
 */
const few = 400;

/** Reads one page of a query inside one transaction. */
export async function runQuery(work: Work, query: Query): Promise<QueryPage> {
  for (const condition of bySelectivity(query.where ?? [])) {
    const ids = await fewMatches(work, query.collection, condition);
    if (ids) return answerQuery(await readDocuments(work, [...ids]), query);
  }
  return answerQuery(await walkInOrder(work, query), query);
}

function bySelectivity(where: readonly Condition[]): Condition[] {
  const rank = (condition: Condition) => ("anyOf" in condition ? 0 : "contains" in condition ? 2 : 1);
  return [...where].sort((a, b) => rank(a) - rank(b));
}

/** The documents that meet one condition, by primary key; `undefined` when there are more than a few. */
async function fewMatches(
  work: Work,
  collection: string,
  condition: Condition,
): Promise<Set<string> | undefined> {
  const ids = new Set<string>();
  for (const family of families) {
    const prefix = familyPrefix(collection, condition.index, family);
    for (const span of conditionSpans(prefix, condition)) {
      if ("contains" in condition) await scanValues(work, { span, prefix, condition, ids });
      else for (const id of await readIds(work, span, few + 1)) ids.add(id);
      if (ids.size > few) return undefined;
    }
  }
  return ids;
}

/** Looks through an index's keys, without the documents, for values that meet a condition. */
function scanValues(
  work: Work,
  { span, prefix, condition, ids }: { span: Span; prefix: string; condition: Condition; ids: Set<string> },
): Promise<void> {
  const cursor = documentsOf(work).index("entries").openKeyCursor(work.range(span));
  return walk(cursor, ({ key, primaryKey }) => {
    if (valueMeets(entryValue(String(key), prefix), condition)) ids.add(String(primaryKey));
    return ids.size <= few;
  });
}

function readIds(work: Work, span: Span, limit?: number): Promise<string[]> {
  const index = documentsOf(work).index("entries");
  return answered(index.getAllKeys(work.range(span), limit) as IDBRequest<string[]>);
}

async function readDocuments(work: Work, ids: readonly string[]): Promise<StoredDocument[]> {
  const rows = await readRows(work, ids);
  return rows.filter((row) => row !== undefined).map(toDocument);
}

/** Candidates for the page: the first `limit + 1` matches in order, and perhaps others. */
async function walkInOrder(work: Work, query: Query): Promise<StoredDocument[]> {
  if (!query.sort) return walkKeys(work, query);
  const { index } = query.sort;
  const narrowed = await narrow(work, query, index);
  const found = query.after?.value === null ? [] : await walkValues(work, query, narrowed.span);
  const missing = found.length > query.limit || query.where?.some((each) => each.index === index);
  const valueless = missing ? [] : await walkValueless(work, query, query.limit + 1 - found.length);
  const all = [...found, ...narrowed.others, ...valueless];
  return [...new Map(all.map((document) => [document.key, document])).values()];
}

/**
 * The part of the sort's index that has to be walked. A condition on that same index bounds it, if the few
 * documents that meet the condition by a further value only are added.
 */
async function narrow(
  work: Work,
  query: Query,
  index: string,
): Promise<{ span: Span; others: StoredDocument[] }> {
  const whole = startingWith(familyPrefix(query.collection, index, "first"));
  const condition = query.where?.find((each) => each.index === index && !("contains" in each));
  if (!condition) return { span: whole, others: [] };
  const within = (family: Family) => conditionSpans(familyPrefix(query.collection, index, family), condition);
  const ids = new Set<string>();
  for (const span of within("further")) {
    for (const id of await readIds(work, span, few + 1)) ids.add(id);
    if (ids.size > few) return { span: whole, others: [] };
  }
  return { span: hull(within("first"), whole), others: await readDocuments(work, [...ids]) };
}

function hull(spans: readonly Span[], whole: Span): Span {
  const ordered = [...spans].sort((a, b) => (a.from < b.from ? -1 : 1));
  return { from: ordered[0]?.from ?? whole.from, below: ordered.at(-1)?.below ?? whole.below };
}

/** Walks the sort's index through the documents that have a value, from the query's position on. */
function walkValues(work: Work, query: Query, span: Span): Promise<StoredDocument[]> {
  const prefix = familyPrefix(query.collection, query.sort?.index ?? "", "first");
  const after = query.after && placeOf(prefix, query.after);
  const placed = (document: StoredDocument) => placeOf(prefix, positionOf(document, query.sort));
  const index = documentsOf(work).index("entries");
  if (query.sort?.descending) {
    const below = after !== undefined && after < span.below ? after : span.below;
    return below <= span.from
      ? Promise.resolve([])
      : walkBackwards(query, index.openCursor(work.range({ from: span.from, below }), "prev"));
  }
  return walkForwards(query, async (last, count) => {
    const place = last ? placed(last) : after;
    const openFrom = place !== undefined && place >= span.from;
    const from = openFrom ? place : span.from;
    if (from >= span.below) return [];
    return answered<DocumentRow[]>(
      index.getAll(work.range({ from, below: span.below }, { openFrom }), count),
    );
  });
}

/** Walks the collection by key, from the query's position on. */
function walkKeys(work: Work, query: Query): Promise<StoredDocument[]> {
  const span = collectionSpan(query.collection);
  return walkForwards(query, (last, count) => {
    const place = last ?? (query.after && { collection: query.collection, key: query.after.key });
    const from = place ? documentId(place) : span.from;
    const range = work.range({ from, below: span.below }, { openFrom: place !== undefined });
    return answered<DocumentRow[]>(documentsOf(work).getAll(range, count));
  });
}

/** Reads rows page by page, larger ones as it goes, until enough documents meet the conditions. */
async function walkForwards(
  query: Query,
  next: (last: StoredDocument | undefined, count: number) => Promise<DocumentRow[]>,
): Promise<StoredDocument[]> {
  const found: StoredDocument[] = [];
  let last: StoredDocument | undefined;
  for (let count = query.limit + 1; ; count = Math.min(count * 2, 1000)) {
    const documents = (await next(last, count)).map(toDocument);
    for (const document of documents) if (isWanted(document, query)) found.push(document);
    last = documents.at(-1);
    if (found.length > query.limit || documents.length < count) return found;
  }
}

async function walkBackwards(
  query: Query,
  cursor: IDBRequest<IDBCursorWithValue | null>,
): Promise<StoredDocument[]> {
  const found: StoredDocument[] = [];
  await walk(cursor, ({ value }) => {
    const document = toDocument(value as DocumentRow);
    if (isWanted(document, query)) found.push(document);
    return found.length <= query.limit;
  });
  return found;
}

function isWanted(document: StoredDocument, query: Query): boolean {
  return entriesMeet(document.entries, query.where ?? []);
}

/** The documents without a value in the sort's index, which come last: by key, or by key turned around. */
async function walkValueless(work: Work, query: Query, wanted: number): Promise<StoredDocument[]> {
  const prefix = familyPrefix(query.collection, query.sort?.index ?? "", "first");
  if (!(await hasValueless(work, query.collection, prefix))) return [];
  const keys = answered(
    documentsOf(work).getAllKeys(work.range(collectionSpan(query.collection))) as IDBRequest<string[]>,
  );
  const [all, having] = await Promise.all([keys, readIds(work, startingWith(prefix))]);
  const withValue = new Set(having);
  const descending = query.sort?.descending ?? false;
  const ids = all.filter((id) => !withValue.has(id) && isAfter(id, query.after, descending));
  if (descending) ids.reverse();
  const found: StoredDocument[] = [];
  for (let at = 0; at < ids.length && found.length < wanted; at += few) {
    const documents = await readDocuments(work, ids.slice(at, at + few));
    for (const document of documents) if (isWanted(document, query)) found.push(document);
  }
  return found;
}

async function hasValueless(work: Work, collection: string, prefix: string): Promise<boolean> {
  const documents = documentsOf(work);
  const [all, having] = await Promise.all([
    answered(documents.count(work.range(collectionSpan(collection)))),
    answered(documents.index("entries").count(work.range(startingWith(prefix)))),
  ]);
  return all > having;
}

function isAfter(id: string, after: Position | undefined, descending: boolean): boolean {
  return !after || comparePositions({ value: null, key: documentKey(id).key }, after, descending) > 0;
}
