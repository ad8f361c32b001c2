import {
  type Json,
  type JsonObject,
  type MergeRequest,
  pointer,
  type ResourceType,
  resourceShapes,
  type Shape,
  sameJson,
} from "@fieldroll/core";
import { tellsVersion, versionOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import { shownBy } from "./hidden.ts";
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
  if (shape.kind !== "object" || !wasShownInPart(base, theirs)) return [];
  return Object.entries(shape.members).flatMap(([member, items]) => {
    if (items.kind !== "keyed") return [];
    const { identity } = items;
    if (sameJson(base[member], local[member])) return [];
    const [was, is, there] = [base, local, theirs].map((copy) => listOf(copy[member]));
    const isIn = (list: readonly Json[] = [], item: Json) =>
      list.some((one) => identity(one) === identity(item));
    const out = was?.filter((item) => !isIn(is, item) && !isIn(there, item)) ?? [];
    const whole = there?.filter(
      (item) => !isIn(was, item) && !isIn(is, item) && out.some((part) => isPartOf(part, item)),
    );
    return (whole ?? []).map((item) => pointer([`member:${member}`, `item:${identity(item)}`]));
  });
}

/** Whether a copy may have shown some items in part: it says so, or the same version shows more of them now. */
function wasShownInPart(base: JsonObject, theirs: JsonObject): boolean {
  return shownBy(base) !== undefined || (tellsVersion(base) && versionOf(base) === versionOf(theirs));
}

/** What a record's unsent work is merged from, and which of its places are asked about already. */
export function askedOf({ base, asked }: Pick<OutboxEntry, "base" | "asked">) {
  return { base, asked };
}

/** An entry whose places are asked about no more. */
export function askedNoMore({ asked: _, ...entry }: OutboxEntry): OutboxEntry {
  return entry;
}
