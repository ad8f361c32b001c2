import { type Json, type JsonObject, type ResourceType, sameJson } from "@fieldroll/core";
import type { Versions } from "./questions.ts";
import { differences } from "./record-title.ts";

/** What was changed on this device since the server's copy; of a list only the items that are not in both. */
export function ownChanges(type: ResourceType, base: JsonObject, ours: JsonObject): readonly Versions[] {
  return differences(type, ours, base).map(({ path, ours: after, theirs: before }) => ({
    path,
    base: without(before, after),
    ours: without(after, before),
  }));
}

function without(items: unknown, others: unknown): unknown {
  if (!Array.isArray(items) || !Array.isArray(others)) return items;
  return items.filter((item) => !others.some((other) => sameJson(item as Json, other as Json)));
}
