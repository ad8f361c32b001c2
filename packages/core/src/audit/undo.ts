import { isJsonObject, type Json, type JsonObject, sameJson } from "../json.ts";
import { applyMergePatch, diffMergePatch } from "../merge/patch.ts";

/**
 * How to get from a record back to the one before: `null` for a create, a reverse merge patch, or the whole former record
 * where a merge patch can't say it (a member that was `null`). `meta` is left out: an entry tells version and time itself.
 */
export function undoOf(before: JsonObject | null, after: JsonObject): Json {
  if (before === null) return null;
  const [former, present] = [withoutMeta(before), withoutMeta(after)];
  const patch = diffMergePatch(present, former);
  return sameJson(applyMergePatch(present, patch), former) ? { patch } : { record: former };
}

/** The record before a change; `null` before a create. Without `meta`. */
export function undone(after: JsonObject, undo: Json): JsonObject | null {
  if (!isJsonObject(undo)) return null;
  if (isJsonObject(undo.record)) return undo.record;
  return applyMergePatch(withoutMeta(after), undo.patch ?? {}) as JsonObject;
}

/** Names of the top-level members in which two records differ, extensions one by one; `meta` is not one of them. */
export function fieldsChanged(before: JsonObject | null, after: JsonObject): readonly string[] {
  const [former, present] = [withoutMeta(before ?? {}), withoutMeta(after)];
  return differing(former, present).flatMap((member) => {
    if (member !== "extension") return [member];
    return differing(asObject(former.extension), asObject(present.extension)).map(
      (name) => `extension.${name}`,
    );
  });
}

function differing(a: JsonObject, b: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !sameJson(a[name], b[name]));
}

function asObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function withoutMeta({ meta: _, ...record }: JsonObject): JsonObject {
  return record;
}
