import { type JsonObject, sameJson } from "@fieldroll/core";
import { type Edit, entryState, type OutboxEntry } from "./entry.ts";
import { type Names, namesWithin, patchNamed, recordNamed } from "./naming.ts";
import { givenUp, restated } from "./rebase.ts";

/**
 * Puts the references of a record's unsent work in terms that the server knows, and lists nobody twice for it. What base holds stays:
 * the server keeps that up to date itself.
 *
 * @param names raw references that lead nowhere on the server any more, with what they are now
 * @returns the very same entry and record when nothing is to change
 */
export function renamed(
  entry: OutboxEntry,
  local: JsonObject,
  names: Names,
): { readonly entry: OutboxEntry; readonly local: JsonObject } {
  const { type, base } = entry;
  const known = namesWithin(type, base ? [base] : []);
  const held = namesWithin(type, [local]);
  const others = new Map([...names].filter(([raw]) => !known.has(raw)));
  const isHeld = [...others.keys()].some((raw) => held.has(raw));
  const next = listedOnce(isHeld ? recordNamed(type, local, others) : local);
  if (next === local) return { entry, local };
  const edits = entry.edits.map((edit): Edit => ({ ...edit, patch: patchNamed(type, edit.patch, others) }));
  // A request that was frozen for a file and names another record by now never leaves this device; from elsewhere it may.
  const free = entryState(entry) === "sending" ? entry : givenUp(entry);
  return { entry: restated({ ...free, edits }, next), local: next };
}

/** Who was added here and by the server, under two names, is one member, where the same is said of both. */
function listedOnce(record: JsonObject): JsonObject {
  const { member = null } = record;
  if (!Array.isArray(member)) return record;
  const once = member.filter((item, i) => member.findIndex((other) => sameJson(item, other)) === i);
  return once.length === member.length ? record : { ...record, member: once };
}
