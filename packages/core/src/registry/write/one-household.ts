import { type FieldError, maxErrors, type Problem } from "../../problem.ts";
import type { Reference } from "../../resource/common.ts";
import { isActiveMember, nameText } from "../../resource/derived.ts";
import { quoted } from "../../text.ts";
import { pagesWith } from "../every-page.ts";
import { identityOf, membersOf } from "../groups/members.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { referenceTo } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { isRestricted } from "../sight.ts";
import type { Caller } from "../types.ts";
import { type CommitPart, putGuard, type Rewritten } from "./followers.ts";

/** A record of a write: as it was, `null` for a new one, and as it is to be. */
export interface WrittenRecord {
  /** The place of its entry in a write of several. */
  readonly entry: number | undefined;
  readonly before: Rewritten["before"] | null;
  readonly after: Rewritten["after"];
}

/** What the rule says of a write. */
export interface HouseholdVerdict {
  readonly problem?: Problem;
  /**
   * The guards of those who come into a household by the write, by their keys. They keep a second write from doing so at the same time, and
   * so were read before the households.
   */
  readonly guards: ReadonlyMap<string, CommitPart>;
}

/** Somebody who is active in a household from this write on. */
interface Join {
  readonly entry: number | undefined;
  readonly place: number;
  /** The person's key, or the reference where that is not known here. */
  readonly who: string;
  readonly household: StoredRecord;
}

/** A join, and the household that its person has already. */
interface Clash extends Join {
  readonly first: StoredRecord;
}

/**
 * Judges a write by `policies.oneHousehold` (contract section 2): a person is an active member of one household. Only those count who
 * become active by the write, and what the write leaves as a whole: a person may leave one household and join another at once.
 *
 * Example: two tablets add Ana to two households at the same moment. Both find her free, and both put her guard; one commit fails, is
 * decided again, and then finds her in the other household.
 *
 * @param written each record of the write once, in the order of the entries
 */
export async function judgeHouseholds(
  settings: Settings,
  caller: Caller,
  written: readonly WrittenRecord[],
): Promise<HouseholdVerdict> {
  if (!settings.policies.oneHousehold) return { guards: new Map() };
  const today = settings.today();
  const joins = written.flatMap((record) => joinsOf(record, today));
  const created = new Set(written.flatMap(({ before, after }) => (before ? [] : [after.key])));
  const joining = [...new Set(joins.map(({ who }) => who))].filter((who) => !created.has(who));
  const guards = new Map(
    await Promise.all(joining.map(async (who) => [who, await putGuard(settings, who)] as const)),
  );
  if (joins.length === 0) return { guards };
  const clash = clashesOf(joins, await householdsThen(settings, { written, joins }), today);
  const [first] = clash;
  if (!first) return { guards };
  const { entry } = first;
  const clashes = clash.filter((one) => one.entry === entry);
  const problem = await problemOf(settings, caller, { clashes, written });
  return { guards, problem: { ...problem, ...(entry !== undefined && { entry }) } };
}

function joinsOf({ entry, before, after }: WrittenRecord, today: string): readonly Join[] {
  const former = new Set(before ? livingIn(before, today).map(({ who }) => who) : []);
  return livingIn(after, today)
    .filter(({ who }) => !former.has(who))
    .map((living) => ({ ...living, entry, household: after }));
}

/** The active members of a household, with their places in its list; of anything else none. */
function livingIn({ type, record, links }: StoredRecord, today: string) {
  if (type !== "Group" || record.groupType !== "household" || record.active === false) return [];
  return membersOf(record).flatMap((member, place) =>
    isActiveMember(member, today) ? [{ place, who: identityOf(member, links) }] : [],
  );
}

/** The households of those who join, as they are after the write, but for the joins themselves; the one that was there first, first. */
async function householdsThen(
  { store }: Settings,
  { written, joins }: { readonly written: readonly WrittenRecord[]; readonly joins: readonly Join[] },
): Promise<readonly StoredRecord[]> {
  const where = [{ index: "groupType", anyOf: ["household"] }];
  const anyOf = [...new Set(joins.map(({ who }) => who))];
  const changed = new Set(written.map(({ after }) => after.key));
  const stored: StoredRecord[] = [];
  for await (const page of pagesWith(store, { collection: "Group", index: "member", anyOf, where })) {
    stored.push(...page.filter(({ key }) => !changed.has(key)).map(storedRecord));
  }
  return [...stored, ...written.map(({ after }) => after)];
}

/** Joins are taken one after the other: of two in one write the second clashes with the first. */
function clashesOf(
  joins: readonly Join[],
  households: readonly StoredRecord[],
  today: string,
): readonly Clash[] {
  const isJoin = new Set(joins.map(({ who, household }) => `${household.key} ${who}`));
  const homes = new Map<string, StoredRecord>();
  for (const household of households) {
    for (const { who } of livingIn(household, today)) {
      if (!homes.has(who) && !isJoin.has(`${household.key} ${who}`)) homes.set(who, household);
    }
  }
  return joins.flatMap((join) => {
    const first = homes.get(join.who);
    if (!first) homes.set(join.who, join.household);
    return first ? [{ ...join, first }] : [];
  });
}

interface Clashes {
  readonly clashes: readonly Clash[];
  readonly written: readonly WrittenRecord[];
}

const rule = "a person belongs to one household";
const taken = `is a member of another household already; ${rule}`;
const advice = "End that membership first, or in the same transaction.";

async function problemOf(
  settings: Settings,
  caller: Caller,
  { clashes, written }: Clashes,
): Promise<Problem> {
  if (isRestricted(settings, caller)) return hidden(settings, caller, clashes);
  const told = clashes.slice(0, maxErrors);
  const people = await peopleOf(settings, { clashes: told, written });
  const households = told.map(({ who, first }) => {
    const person = people.get(who);
    return {
      person: person ? named(person, nameText(Object(person.record.name))) : { reference: who },
      household: named(first, String(first.record.name)),
    };
  });
  const [whose = ""] = households.map(
    ({ person, household }) =>
      `${nameOf(person)} is a member of ${nameOf(household)} (${household.reference}) already`,
  );
  return {
    kind: "invalid-state",
    detail: `${whose}; ${rule}. ${advice}`,
    errors: clashes.map(({ place }) => fault(`/member/${place}/entity`, taken)),
    households,
  };
}

/** A restricted caller learns that somebody has a household, not who and which. */
async function hidden(settings: Settings, caller: Caller, clashes: readonly Clash[]): Promise<Problem> {
  const homes = clashes.map(({ who, first: { type, key } }) => ({
    kind: "claim-taken" as const,
    claim: `household:${who}`,
    holder: recordKey(type, key),
  }));
  await settings.governance?.duplicates.note(settings, caller, homes);
  return {
    kind: "invalid-state",
    detail: `Somebody who joins ${taken}. Nothing was written. Ask the register's operator.`,
    errors: [fault("/member", `somebody ${taken}`)],
  };
}

function fault(field: string, message: string): FieldError {
  return { field, code: "other_household", message };
}

/** Persons by their keys: from the write, or from the store. */
async function peopleOf(
  { store }: Settings,
  { clashes, written }: Clashes,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const own = written.map(({ after }) => after).filter(({ type }) => type === "Individual");
  const found = await store.get(clashes.map(({ who }) => recordKey("Individual", who)));
  const stored = found.flatMap((document) => (document ? [storedRecord(document)] : []));
  return new Map([...stored, ...own].map((person) => [person.key, person]));
}

function named({ type, record }: StoredRecord, display: string): Reference {
  return { reference: referenceTo(type, record), ...(display !== "" && { display }) };
}

function nameOf({ reference, display }: Reference): string {
  return quoted(display ?? reference);
}
