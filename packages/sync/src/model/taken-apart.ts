import { isJsonObject, type Json, type JsonObject, type Shape, sameJson } from "@fieldroll/core";
import { listOf } from "./unhidden.ts";

/** The shape of one of the members of what has this shape; `undefined` for a value that is never taken apart. */
export function shapeWithin(shape: Shape | undefined, member: string): Shape | undefined {
  if (shape?.kind !== "object") return undefined;
  return Object.hasOwn(shape.members, member) ? shape.members[member] : shape.rest;
}

/** Whether members of an object say something each by itself: the codes of a concept give its text the meaning. */
export function isTakenApart(shape: Shape | undefined): boolean {
  return shape?.kind === "object" && !shape.agreeOn;
}

/** Members that are decided on with one in which some of these differ, and that. */
export function decidedTogether(
  shape: Shape | undefined,
  [first, ...others]: readonly JsonObject[],
): readonly string[] {
  const units = (shape?.kind === "object" && shape.together) || [];
  const differs = (member: string) => others.some((other) => !sameJson(other[member], first?.[member]));
  return units.filter((unit) => unit.some(differs)).flat();
}

/** What of a value another one says otherwise: of an object its members, none where it lacks some only; of a list its items, where these are told apart. */
export function changedPart(value: Json, other: Json | undefined, shape?: Shape): Json | undefined {
  if (sameJson(value, other)) return undefined;
  if (Array.isArray(value) && shape?.kind === "keyed") return changedItems(value, other);
  if (!isJsonObject(value) || !isTakenApart(shape)) return value;
  const others = isJsonObject(other) ? other : {};
  const together = decidedTogether(shape, [value, others]);
  const members = Object.entries(value).flatMap(([name, part]) => {
    const changed = together.includes(name)
      ? part
      : changedPart(part, others[name], shapeWithin(shape, name));
    return changed === undefined ? [] : [[name, changed] as const];
  });
  return Object.fromEntries(members);
}

/** The items of a list that another one has not; `undefined` for none. */
export function changedItems(list: readonly Json[], other: Json | undefined): Json | undefined {
  const items = list.filter(isNotIn(listOf(other)));
  return items.length > 0 ? items : undefined;
}

/** Whether an item is none of a list's. */
export function isNotIn(items: readonly Json[]) {
  return (item: Json) => !items.some((one) => sameJson(one, item));
}
