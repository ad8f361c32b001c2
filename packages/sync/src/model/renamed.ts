import { isJsonObject, type Json, type JsonObject, sameJson } from "@fieldroll/core";
import { type Edit, entryState, type OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { type Names, namesWithin, patchNamed, recordNamed } from "./naming.ts";
import { park } from "./park.ts";
import { conflictDetail, parkBeside, rebase, restated } from "./rebase.ts";

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

/**
 * Somebody whom a household lists twice under one name, as the server has them and as they were added here, is one member: what the
 * two say otherwise is for a person to decide.
 *
 * @param at UTC instant
 */
export function askedOfTwice(
  known: { readonly entry: OutboxEntry; readonly local: JsonObject },
  at: string,
): { readonly entry: OutboxEntry; readonly local: JsonObject } {
  const { entry, local } = known;
  const { type, base } = entry;
  if (!base || entry.request || entry.parked) return known;
  const added = membersOf(local).filter((item) => !membersOf(base).some((each) => sameJson(item, each)));
  const isTwice = (item: Json) =>
    membersOf(base).some((each) => nameOf(each) === nameOf(item)) &&
    membersOf(local).filter((each) => nameOf(each) === nameOf(item)).length > 1;
  const twice = added.filter(isTwice).map(nameOf);
  if (twice.length === 0) return known;
  const without = { ...base, member: membersOf(base).filter((item) => !twice.includes(nameOf(item))) };
  const ours = membersOf(local).filter((item) => added.includes(item) || !twice.includes(nameOf(item)));
  const copies = { base: without, local: { ...local, member: ours }, theirs: base };
  const { conflicts, local: merged } = rebase(type, copies);
  if (conflicts.length === 0) return { entry: restated(entry, merged), local: merged };
  const parked = { ...park("conflict", conflictDetail(conflicts), { since: at }), theirs: base };
  const settled = parkBeside({ ...entry, base: without }, copies.local, parked);
  return { entry: settled.entry ?? entry, local: settled.local ?? local };
}

function membersOf({ member = null }: JsonObject): readonly Json[] {
  return Array.isArray(member) ? member : [];
}

function nameOf(item: Json): string {
  const { entity = null } = isJsonObject(item) ? item : {};
  return isJsonObject(entity) ? String(entity.reference) : "";
}
