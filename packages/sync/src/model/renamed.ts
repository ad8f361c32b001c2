import { type JsonObject, mapReferences, type ResourceType, referencesOf } from "@fieldroll/core";
import { type Edit, entryState, type OutboxEntry } from "./entry.ts";
import { givenUp, restated } from "./rebase.ts";

/**
 * Puts the references of a record's unsent work in terms that the server knows. What base holds stays: the server keeps
 * that up to date itself.
 *
 * @param names raw references that lead nowhere on the server any more, with what they are now
 * @returns the very same entry and record when nothing is to change
 */
export function renamed(
  entry: OutboxEntry,
  local: JsonObject,
  names: ReadonlyMap<string, string>,
): { readonly entry: OutboxEntry; readonly local: JsonObject } {
  const { type, base } = entry;
  const known = new Set(base ? rawReferences(type, base) : []);
  if (!rawReferences(type, local).some((raw) => names.has(raw) && !known.has(raw))) return { entry, local };
  const rewrite = (raw: string) => (known.has(raw) ? raw : (names.get(raw) ?? raw));
  const next = mapReferences(type, local, rewrite);
  const edits = entry.edits.map((edit): Edit => ({ ...edit, patch: inPatch(type, edit.patch, rewrite) }));
  // A request that was frozen for a file and names another record by now never leaves this device; from elsewhere it may.
  const free = entryState(entry) === "sending" ? entry : givenUp(entry);
  return { entry: restated({ ...free, edits }, next), local: next };
}

function rawReferences(type: ResourceType, record: JsonObject): readonly string[] {
  return referencesOf(type, record).map(({ reference }) => reference);
}

/** A patch has only some members, and an absent one must not become a removal. */
function inPatch(type: ResourceType, patch: JsonObject, rewrite: (raw: string) => string): JsonObject {
  const mapped = mapReferences(type, patch, rewrite);
  return Object.fromEntries(Object.keys(patch).map((member) => [member, mapped[member] ?? null]));
}
