import { activePersons } from "../../consent/consent-sight.ts";
import { consentCollection } from "../../consent/document.ts";
import { formerMembers } from "../../consent/former-members.ts";
import { touch } from "../../consent/touch.ts";
import { isJsonObject, type Json } from "../../json.ts";
import type { Commit } from "../../store/port.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { joined } from "./commit-parts.ts";
import type { CommitPart, Rewritten } from "./followers.ts";

/**
 * Who joins or leaves a group is shown or hidden by the group's consents from then on. So their records and enrollments are
 * put again in the commit, for the feeds, and of those who leave it is noted when: else nobody could tell a feed's reader
 * that it saw them once. Groups without consents cost one question, other writes nothing.
 */
export async function tellMembers(
  settings: Settings,
  { rewritten, commit }: { readonly rewritten: readonly Rewritten[]; readonly commit: Commit },
): Promise<CommitPart> {
  const moves = rewritten
    .map((one) => movesIn(one, settings.today()))
    .filter(({ joiners, leavers }) => joiners.length + leavers.length > 0);
  if (moves.length === 0) return {};
  const consents = await everyPageOf(settings.store, {
    collection: consentCollection,
    index: "subject",
    anyOf: moves.map(({ group }) => group),
  });
  const consented = new Set(consents.flatMap(({ entries }) => entries.subject ?? []));
  const told = moves.filter(({ group }) => consented.has(group));
  if (told.length === 0) return {};
  const named = new Set((commit.put ?? []).map(({ collection, key }) => `${collection}/${key}`));
  const persons = [...new Set(told.flatMap(({ joiners, leavers }) => [...joiners, ...leavers]))];
  const [individuals, memberships] = await Promise.all([
    settings.store.get(persons.map((key) => recordKey("Individual", key))),
    everyPageOf(settings.store, { collection: "ProgramMembership", index: "beneficiary", anyOf: persons }),
  ]);
  const records = [...individuals, ...memberships]
    .flatMap((document) => (document ? [storedRecord(document)] : []))
    .filter(({ type, key }) => !named.has(`${type}/${key}`));
  const left = told.flatMap(({ group, leavers }) => leavers.map((person) => ({ person, group })));
  return joined([touch(records), await formerMembers(settings, left)]);
}

function movesIn({ before, after }: Rewritten, today: string) {
  if (after.type !== "Group") return { group: after.key, joiners: [], leavers: [] };
  const [former, present] = [activePersons(before, today), activePersons(after, today)];
  return {
    group: after.key,
    joiners: present.filter((key) => !former.includes(key)),
    leavers: [...former, ...forgotten(before, after)].filter((key) => !present.includes(key)),
  };
}

/** Persons whose time in a group ended by the calendar, where the group doesn't say so any more: readers may not have been told. */
function forgotten(before: StoredRecord, after: StoredRecord): readonly string[] {
  const now = lastDays(after);
  return [...lastDays(before)].flatMap(([person, end]) => (now.get(person) === end ? [] : [person]));
}

/** Until when persons are members of a group (YYYY-MM-DD), by key; empty where no end is set. */
function lastDays({ record, links }: StoredRecord): ReadonlyMap<string, string> {
  if (record.active === false) return new Map();
  const members: readonly Json[] = Array.isArray(record.member) ? record.member : [];
  return new Map(
    members.filter(isJsonObject).flatMap(({ entity, period, inactive }) => {
      const person = isJsonObject(entity) ? links[String(entity.reference)] : undefined;
      if (person === undefined || inactive === true) return [];
      return [[person, isJsonObject(period) ? String(period.end ?? "") : ""] as const];
    }),
  );
}
