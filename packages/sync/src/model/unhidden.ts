import { isJsonObject, type Json, type JsonObject, sameJson } from "@fieldroll/core";

/** A value, what is shown of it, and what somebody made of that; `undefined` where there is none. */
interface Made {
  readonly whole: Json | undefined;
  readonly shown: Json | undefined;
  readonly made: Json | undefined;
}

/** What somebody made of a record as it is shown, with what that hides of it: they had no word on that. */
export function unhidden(whole: JsonObject, shown: JsonObject, made: JsonObject): JsonObject {
  const names = [...new Set([...Object.keys(whole), ...Object.keys(made)])];
  return Object.fromEntries(
    names.flatMap((name): [string, Json][] => {
      const value = memberOf({ whole: whole[name], shown: shown[name], made: made[name] });
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function memberOf({ whole, shown, made }: Made): Json | undefined {
  if (sameJson(shown, made)) return whole;
  if (isJsonObject(whole) && (isJsonObject(made) || (made === undefined && isJsonObject(shown)))) {
    const kept = unhidden(whole, isJsonObject(shown) ? shown : {}, made ?? {});
    return made === undefined && Object.keys(kept).length === 0 ? undefined : kept;
  }
  const [items, seen] = [listOf(whole), listOf(shown)];
  if (items.length === 0 || (made !== undefined && !Array.isArray(made))) return made;
  const list = itemsOf({ items, seen, made: listOf(made) });
  return list.length > 0 ? list : made;
}

/** The items of a list; none of what is no list. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** Items of which nothing is shown stay. One that is shown is known by what that is, or by its place where no less are there than before. */
function itemsOf({
  items,
  seen,
  made,
}: {
  readonly items: readonly Json[];
  readonly seen: readonly Json[];
  readonly made: readonly Json[];
}): readonly Json[] {
  const wholeAt: Json[] = [];
  const hidden: Json[] = [];
  for (const item of items) {
    const next = seen[wholeAt.length];
    if (next !== undefined && isPartOf(next, item)) wholeAt.push(item);
    else hidden.push(item);
  }
  const left = new Set(wholeAt.keys());
  const take = (place: number | undefined) => {
    if (place !== undefined) left.delete(place);
    return place;
  };
  // Of items that look alike, the one that is in its place stays there.
  const kept = made.map((item, nth) => (left.has(nth) && sameJson(seen[nth], item) ? take(nth) : undefined));
  const known = made.map((item, nth) => kept[nth] ?? take([...left].find((at) => sameJson(seen[at], item))));
  // Where none was taken out, those that were there stand first.
  const isInPlace = made.length >= wholeAt.length;
  const whole = made.map((item, nth): Json => {
    const place = known[nth] ?? (isInPlace && left.has(nth) ? nth : undefined);
    if (place === undefined) return item;
    return memberOf({ whole: wholeAt[place], shown: seen[place], made: item }) ?? item;
  });
  return [...hidden, ...whole];
}

/** Whether one item says nothing that another one does not. */
export function isPartOf(part: Json, item: Json): boolean {
  if (!isJsonObject(part) || !isJsonObject(item)) return sameJson(part, item);
  return Object.entries(part).every(([member, value]) => sameJson(value, item[member]));
}
