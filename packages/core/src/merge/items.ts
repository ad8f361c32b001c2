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

/** An array's three versions. */
interface Indexes {
  readonly base: Index;
  readonly ours: Index;
  readonly theirs: Index;
}

/**
 * Items that are in conflict though each side says nothing of the other's, by name, with those that each is decided together with: see
 * {@link KeyedShape.only} and {@link KeyedShape.oneOf}.
 */
export function rivals(shape: KeyedShape, indexes: Indexes): ReadonlyMap<string, readonly string[]> {
  const groups = [...chosenBoth(shape, indexes), ...replacedBoth(shape, indexes)];
  return new Map(groups.flatMap((names) => names.map((name) => [name, names] as const)));
}

/** The two items that both sides chose for what only one may be. */
function chosenBoth({ only }: KeyedShape, { base, ours, theirs }: Indexes): readonly (readonly string[])[] {
  if (!only) return [];
  const chosen = (index: Index) => [...index].filter(([, item]) => only(item)).map(([name]) => name);
  const known = chosen(base);
  const [mine, other] = [chosen(ours), chosen(theirs)];
  if (mine.length !== 1 || other.length !== 1 || mine[0] === other[0]) return [];
  const both = [...mine, ...other];
  return both.some((name) => known.includes(name)) ? [] : [both];
}

/** What each side put in the place of an item that both took out, or where an array had others only. */
function replacedBoth(
  { oneOf }: KeyedShape,
  { base, ours, theirs }: Indexes,
): readonly (readonly string[])[] {
  if (!oneOf || base.size === 0) return [];
  const kinds = new Set([...ours.values()].map(oneOf));
  return [...kinds].flatMap((kind) => {
    if (kind === undefined) return [];
    const namesIn = (index: Index, ...others: readonly Index[]) =>
      [...index].flatMap(([name, item]) =>
        oneOf(item) === kind && !others.some((other) => other.has(name)) ? [name] : [],
      );
    const isReplaced = namesIn(base).length === 0 || namesIn(base, ours, theirs).length > 0;
    const [mine, other] = [namesIn(ours, base, theirs), namesIn(theirs, base, ours)];
    return isReplaced && mine.length > 0 && other.length > 0 ? [[...mine, ...other]] : [];
  });
}
