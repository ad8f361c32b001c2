import {
  type Json,
  type JsonObject,
  type MergeRequest,
  pointer,
  type ResourceType,
  resourceShapes,
  type Shape,
} from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";
import type { Copies } from "./rebase.ts";
import { isPartOf, listOf } from "./unhidden.ts";

/** The merge of three copies. */
export function mergeOf(type: ResourceType, { base, local, theirs, asked = [] }: Copies): MergeRequest {
  const shape = resourceShapes[type];
  const inPart = takenOutInPart(shape, { base: base ?? {}, local, theirs });
  return { base, ours: local, theirs, asked: [...asked, ...inPart], shape };
}

/**
 * Places of items of which a part was shown, and that were taken out here: by what was hidden they are others than that part, and nobody could say
 * anything of it.
 */
function takenOutInPart(
  shape: Shape,
  { base, local, theirs }: { base: JsonObject } & Omit<Copies, "base">,
): readonly string[] {
  if (shape.kind !== "object") return [];
  return Object.entries(shape.members).flatMap(([member, items]) => {
    if (items.kind !== "keyed") return [];
    const { identity } = items;
    const [was, is] = [listOf(base[member]), listOf(local[member])];
    const isOf = (item: Json) => (one: Json) => identity(one) === identity(item);
    const out = was.filter((item) => !is.some(isOf(item)));
    const added = listOf(theirs[member]).filter((item) => !was.some(isOf(item)) && !is.some(isOf(item)));
    return added
      .filter((item) => out.some((part) => isPartOf(part, item)))
      .map((item) => pointer([`member:${member}`, `item:${identity(item)}`]));
  });
}

/** What a record's unsent work is merged from, and which of its places are asked about already. */
export function askedOf({ base, asked }: Pick<OutboxEntry, "base" | "asked">) {
  return { base, asked };
}

/** An entry whose places are asked about no more. */
export function askedNoMore({ asked: _, ...entry }: OutboxEntry): OutboxEntry {
  return entry;
}
