import type { Json } from "../json.ts";
import type { KeyedShape } from "./shape.ts";

/** The items of an array by identity, in the array's order. */
export type Index = ReadonlyMap<string, Json>;

/**
 * An array as a set; an absent one is empty. `undefined` when the value is no array, or an item has no identity, or
 * two items share one: then its items can't be told apart.
 */
export function indexItems(value: Json | undefined, { identity }: KeyedShape): Index | undefined {
  if (value === undefined) return new Map();
  if (!Array.isArray(value)) return undefined;
  const items = new Map<string, Json>();
  for (const item of value as readonly Json[]) {
    const key = identity(item);
    if (key === undefined || items.has(key)) return undefined;
    items.set(key, item);
  }
  return items;
}

/** The two items that both sides chose for what only one may be: see {@link KeyedShape.only}. */
export function rivals(
  { only }: KeyedShape,
  { base, ours, theirs }: { readonly base: Index; readonly ours: Index; readonly theirs: Index },
): ReadonlySet<string> {
  if (!only) return new Set();
  const chosen = (index: Index) => [...index].filter(([, item]) => only(item)).map(([name]) => name);
  const known = chosen(base);
  const [mine, other] = [chosen(ours), chosen(theirs)];
  if (mine.length !== 1 || other.length !== 1 || mine[0] === other[0]) return new Set();
  const both = [...mine, ...other];
  return new Set(both.some((name) => known.includes(name)) ? [] : both);
}
