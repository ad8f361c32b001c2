import {
  comparePositions,
  entriesMeet,
  fitting,
  type Naming,
  type Position,
  type Query,
  type QueryPage,
  type StoredDocument,
  sortValue,
} from "@fieldroll/core";
import { valuedPlaces, valuelessPlaces } from "./block.ts";
import { documentAt, findPlaces, placesInOrder, sizeAt } from "./bundles.ts";
import type { Indexed } from "./column.ts";
import { collectionSpan, documentId } from "./names.ts";
import type { Work } from "./requests.ts";
import type { Shelf, Shelves } from "./shelves.ts";

/** Reads one page of a query inside one transaction. */
export async function runQuery(work: Work, query: Query, shelves: Shelves): Promise<QueryPage> {
  const { collection, where = [], sort, limit } = query;
  if (where.length === 0 && !sort) return walkKeys(work, query);
  const indexes = [...where.map(({ index }) => index), ...(sort ? [sort.index] : [])];
  const places = placesOf(await shelves.read(work, collection, indexes), query);
  const page = places.slice(0, limit);
  const ids = page.map(({ key }) => documentId({ collection, key }));
  const found = await findPlaces(work, "ids", ids);
  const count = Math.min(
    page.length,
    fitting(
      ids.map((id) => sizeAt(found.get(id))),
      query.bytes,
    ),
  );
  const documents = ids.slice(0, count).flatMap((id) => documentAt(found.get(id)) ?? []);
  const last = page[count - 1];
  return last && places.length > count ? { documents, next: last } : { documents };
}

/** The documents that name a key, by their own keys. */
export async function namingOne(
  work: Work,
  key: string,
  { naming: { collection, index }, shelves }: { readonly naming: Naming; readonly shelves: Shelves },
): Promise<readonly StoredDocument[]> {
  const query = { collection, where: [{ index, anyOf: [key] }], limit: Number.MAX_SAFE_INTEGER };
  return (await runQuery(work, query, shelves)).documents;
}

/** The first places of a query's order, one more than its page has where there are more. */
function placesOf({ blocks, recent }: Shelf, query: Query): Position[] {
  const { where = [], sort, after, limit } = query;
  const descending = sort?.descending ?? false;
  const wanted = limit + 1;
  const loose = recent
    .filter(({ entries }) => entriesMeet(entries, where))
    .map((each) => placeOf(each, query));
  const valued = blocks.flatMap((block) => valuedPlaces(block, query, wanted));
  const places = inOrder(valued.concat(loose.filter(({ value }) => value !== null)), {
    after,
    descending,
    wanted,
  });
  if (places.length === wanted || where.some(({ index }) => index === sort?.index)) return places;
  const others = blocks.flatMap((block) => valuelessPlaces(block, query, wanted));
  const last = others.concat(loose.filter(({ value }) => value === null));
  return [...places, ...inOrder(last, { after, descending, wanted: wanted - places.length })];
}

function placeOf({ key, entries }: Indexed, { sort }: Query): Position {
  return { value: sortValue(entries, sort?.index), key };
}

function inOrder(
  places: readonly Position[],
  { after, descending, wanted }: { after: Position | undefined; descending: boolean; wanted: number },
): Position[] {
  return places
    .filter((place) => !after || comparePositions(place, after, descending) > 0)
    .sort((a, b) => comparePositions(a, b, descending))
    .slice(0, wanted);
}

/** Reads a collection by key, from the query's position on. */
async function walkKeys(work: Work, { collection, after, limit, bytes }: Query): Promise<QueryPage> {
  const whole = collectionSpan(collection);
  const past = after?.value === null;
  const span = past ? { ...whole, from: documentId({ collection, key: after.key }) } : whole;
  const found = await placesInOrder(work, span, { openFrom: past, limit: limit + 1 });
  const first = found.slice(0, limit);
  const page = first.slice(0, fitting(first.map(sizeAt), bytes));
  const documents = page.flatMap((place) => documentAt(place) ?? []);
  const last = documents.at(-1);
  return last && found.length > documents.length
    ? { documents, next: { value: null, key: last.key } }
    : { documents };
}
