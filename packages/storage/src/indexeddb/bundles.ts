import { compareCodeUnits, type StoredDocument } from "@fieldroll/core";
import { documentKey, type Span } from "./names.ts";
import { answered, mostOf, rangeOf, storeOf, type Work } from "./requests.ts";
import { type BundleRow, type DocumentRow, toBundle, toDocument } from "./rows.ts";

/** A bundle as it was read. */
export type Bundle = BundleRow & { readonly n: number };

/** Where a document lies. */
export interface Place {
  readonly bundle: Bundle;
  readonly at: number;
}

/** The most documents of a bundle: reading one means reading all. */
const bundleSize = 8;

/** Characters of a bundle at most, if it has several documents: Chromium keeps values from 64 KiB on in files. */
const bundleLength = 40_000;

/** Up to so many documents are read each with its bundle, wherever they lie. */
const few = 64;

/** Divides things by a name that they have in common. */
export function grouped<T>(things: readonly T[], nameOf: (thing: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const thing of things) {
    const name = nameOf(thing);
    const known = groups.get(name);
    if (known) known.push(thing);
    else groups.set(name, [thing]);
  }
  return groups;
}

/** Finds documents by id or by claim; those that are not there are left out. */
export async function findPlaces(
  work: Work,
  by: "ids" | "claims",
  names: readonly string[],
): Promise<Map<string, Place>> {
  // What begins alike lies near each other.
  const groups = grouped(names, (name) => name.split(/[\0:]/, 1)[0] ?? "");
  const found = await Promise.all([...groups.values()].map((each) => bundlesWith(work, by, each)));
  const wanted = new Set(names);
  const places = new Map<string, Place>();
  for (const bundle of found.flat()) {
    for (const [i, name] of bundle[by].entries()) {
      const at = by === "ids" ? i : (bundle.holders[i] ?? 0);
      if (wanted.has(name)) places.set(name, { bundle, at });
    }
  }
  return places;
}

/** Bundles with documents that are asked for, and perhaps others. */
async function bundlesWith(
  work: Work,
  by: "ids" | "claims",
  names: readonly string[],
): Promise<readonly Bundle[]> {
  const index = storeOf(work, "bundles").index(by);
  if (names.length <= few) {
    return present(names.map((name) => answered<Bundle | undefined>(index.get(name))));
  }
  // What is asked for often lies next to each other, with little in between, or nothing at all yet: then one request tells of all.
  const sorted = [...names].sort();
  const range = work.ranges.bound(sorted[0], sorted.at(-1));
  const most = 2 * names.length;
  const near = await answered(index.getAllKeys(range, most) as IDBRequest<number[]>);
  if (near.length < most) return readNear(work, index, { range, near });
  if (lieAlone(near)) return present(names.map((name) => answered<Bundle | undefined>(index.get(name))));
  const each = names.map((name) => answered(index.getKey(name) as IDBRequest<number | undefined>));
  return readBundles(work, await present(each));
}

async function present<T>(answers: readonly Promise<T | undefined>[]): Promise<T[]> {
  return (await Promise.all(answers)).filter((answer) => answer !== undefined);
}

/** Whether most documents have a row for themselves. @param near the numbers of the rows of several, in their order */
function lieAlone(near: readonly number[]): boolean {
  return 2 * new Set(near).size >= near.length;
}

/**
 * Reads the bundles of a range, each once.
 *
 * @param near their numbers, one for each name
 */
async function readNear(
  work: Work,
  index: IDBIndex,
  { range, near }: { readonly range: IDBKeyRange; readonly near: readonly number[] },
): Promise<Bundle[]> {
  if (!lieAlone(near)) return readBundles(work, near);
  // One request is much quicker than one for each, though it brings a bundle once for each of its names.
  const rows = await answered<Bundle[]>(index.getAll(range, near.length));
  return [...new Map(rows.map((bundle) => [bundle.n, bundle])).values()];
}

async function readBundles(work: Work, numbers: readonly number[]): Promise<Bundle[]> {
  const bundles = storeOf(work, "bundles");
  return present([...new Set(numbers)].map((n) => answered<Bundle | undefined>(bundles.get(n))));
}

/** Reads documents by id, `undefined` where there is none. */
export async function readDocuments(
  work: Work,
  ids: readonly string[],
): Promise<(StoredDocument | undefined)[]> {
  const places = await findPlaces(work, "ids", ids);
  return ids.map((id) => documentAt(places.get(id)));
}

export function documentAt(place: Place | undefined): StoredDocument | undefined {
  return place && toDocument(idAt(place), place.bundle.texts[place.at] ?? "");
}

export function idAt({ bundle, at }: Place): string {
  return bundle.ids[at] ?? "";
}

/** About how many bytes a document has. */
export function sizeAt(place: Place | undefined): number {
  return place?.bundle.texts[place.at]?.length ?? 0;
}

/** Finds the first documents of a collection by key, from a place on or after it. */
export async function placesInOrder(
  work: Work,
  span: Span,
  { openFrom, limit }: { readonly openFrom: boolean; readonly limit: number },
): Promise<Place[]> {
  const range = rangeOf(work, span, openFrom);
  const bundles = await readRange(work, range, limit);
  const places = bundles.flatMap((bundle) => bundle.ids.map((_, at) => ({ bundle, at })));
  return places
    .filter((place) => range.includes(idAt(place)))
    .sort((a, b) => compareCodeUnits(idAt(a), idAt(b)))
    .slice(0, limit);
}

/** Reads the bundles that have the first ids in a range. */
async function readRange(work: Work, range: IDBKeyRange, limit: number): Promise<Bundle[]> {
  const index = storeOf(work, "bundles").index("ids");
  const near = await answered(index.getAllKeys(range, mostOf(limit)) as IDBRequest<number[]>);
  return readNear(work, index, { range, near });
}

/** Takes documents out of their bundles. */
export function takeOut(work: Work, places: readonly Place[]): void {
  const bundles = storeOf(work, "bundles");
  const leaving = new Map<Bundle, Set<number>>();
  for (const { bundle, at } of places) leaving.set(bundle, (leaving.get(bundle) ?? new Set()).add(at));
  for (const [{ n, ids, claims, holders, texts }, gone] of leaving) {
    const rest = ids.flatMap((id, at) => {
      const own = claims.filter((_, i) => holders[i] === at);
      return gone.has(at) ? [] : [{ id, claims: own, text: texts[at] ?? "" }];
    });
    if (rest.length > 0) bundles.put({ ...toBundle(rest), n });
    else bundles.delete(n);
  }
}

/** Writes documents: those of a collection that come in numbers together, others each in a row of its own. */
export function writeBundles(work: Work, rows: readonly DocumentRow[]): void {
  const bundles = storeOf(work, "bundles");
  for (const each of grouped(rows, ({ id }) => documentKey(id).collection).values()) {
    for (const part of partsOf(each, each.length < bundleSize ? 1 : bundleSize)) bundles.put(toBundle(part));
  }
}

function partsOf(rows: readonly DocumentRow[], size: number): DocumentRow[][] {
  const parts: DocumentRow[][] = [];
  let [part, length]: [DocumentRow[], number] = [[], 0];
  for (const row of rows) {
    if (part.length === size || (part.length > 0 && length + row.text.length > bundleLength)) {
      parts.push(part);
      [part, length] = [[], 0];
    }
    part.push(row);
    length += row.text.length;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
