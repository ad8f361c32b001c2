import { isJsonObject, type Json, type JsonObject, sameJson } from "@fieldroll/core";
import { restated } from "./edits.ts";
import { entryState, type OutboxEntry } from "./entry.ts";
import { givenUp } from "./given-up.ts";
import { entryNamed } from "./in-names.ts";
import { type Names, namesWithin } from "./naming.ts";
import { park } from "./park.ts";
import { conflictDetail, parkBeside, rebase } from "./rebase.ts";

/**
 * Puts the references of a record's unsent work in terms of what those whom it means are called now, and lists nobody twice for it.
 *
 * @param names raw references that are not theirs any more, with what they are now
 * @returns the very same entry and record when nothing is to change
 */
export function renamed(
  known: OutboxEntry,
  shown: JsonObject,
  names: Names,
): { readonly entry: OutboxEntry; readonly local: JsonObject } {
  const { type, base, request } = known;
  const isIn = (copies: readonly JsonObject[]) => {
    const held = namesWithin(type, copies);
    return [...names.keys()].some((raw) => held.has(raw));
  };
  const isHeld = isIn(base ? [base, shown] : [shown]);
  if (!isHeld && listedOnce(shown) === shown) return { entry: known, local: shown };
  // A request that was frozen for a file and names another record by now never leaves this device; from elsewhere it may.
  const isStale = request && isIn([request.sent]) && entryState(known) !== "sending";
  const { entry, local } = entryNamed(isStale ? givenUp(known) : known, shown, isHeld ? names : new Map());
  const next = listedOnce(local);
  return { entry: restated({ ...entry, base: entry.base && listedOnce(entry.base) }, next), local: next };
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
  const parked = { ...park("conflict", conflictDetail, { since: at }), theirs: base };
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
