import { isJsonObject } from "../json.ts";
import { everyPageOf } from "../registry/every-page.ts";
import { declaredAt } from "../registry/record/declared.ts";
import { recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import { activeMembers } from "../registry/record/render.ts";
import type { Settings } from "../registry/settings.ts";
import { absentKey, type Sight, type Subject } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Condition } from "../store/port.ts";
import { consentCollection, factsOf, granteeEntries, type StoredConsent, storedConsent } from "./document.ts";
import { identifiersOnly, type Visibility } from "./visibility.ts";
import {
  type ConsentedKey,
  type ConsentFacts,
  isExempt,
  isInForce,
  names,
  scopesFor,
  speakersFor,
  visibleFields,
} from "./visible-fields.ts";

/**
 * Loads the consents that concern these records, and decides what the caller may see of each: contract section 3. Keys and
 * indexes tell which consents these are. Documents are loaded of consents given to the caller, and of the groups by which these
 * show somebody: so the work does not tell what is hidden from what is not there.
 */
export async function sightByConsents(
  settings: Settings,
  caller: Caller,
  records: readonly Subject[],
): Promise<Sight> {
  const today = settings.today();
  if (isExempt(caller)) {
    const seen = records.map((one) => ({ type: typeOf(one), key: one.key, groups: [] }));
    return new Map(seen.map((record) => [record.key, visibleFields(caller, record, [], today)]));
  }
  const named = await Promise.all(records.map((record, place) => namedBy(settings, record, place)));
  const groups = await groupsNaming(settings, named);
  const speakers = [...new Set([...named.map(({ key, beneficiary = key }) => beneficiary), ...groups])];
  const consents = await consentsFor(settings, caller, filledUp(speakers, records.length));
  const types = [...new Set(named.map(({ type }) => type))];
  const counting = countingFor(caller, { consents, types, today });
  const active = await groupsOf(settings, speaking(groups, counting));
  const facts = groupedBySubject(consents.map(factsOf));
  const sight = new Map<string, Visibility>();
  for (const one of named) {
    const record = { ...one, groups: active.get(personOf(one) ?? "") ?? [] };
    const own = speakersFor(record).flatMap((speaker) => facts.get(speaker) ?? []);
    const visibility = visibleFields(caller, record, own, today);
    if (visibility.basis !== "none") sight.set(record.key, visibility);
    else if (settings.policies.withoutConsent === "identifiers") sight.set(record.key, identifiersOnly);
  }
  return sight;
}

/** A record by the keys that consents look at. */
async function namedBy(
  settings: Pick<Settings, "store">,
  record: Subject,
  place: number,
): Promise<ConsentedKey> {
  const [type, { key }] = [typeOf(record), record];
  if (type !== "ProgramMembership") return { type, key };
  const declared = "record" in record ? undefined : await declaredAt(settings, record);
  const beneficiary = "record" in record ? beneficiaryOf(record) : declared?.entries.beneficiary?.[0];
  return { type, key, beneficiary: beneficiary ?? absentKey("Individual", place).key };
}

function typeOf(record: Subject): ResourceType {
  return "record" in record ? record.type : (record.collection as ResourceType);
}

/** Asks as if each person were in a group, and whoever is asked about alone in three: whether one is must not show in the work. */
function filledUp(speakers: readonly string[], count: number): readonly string[] {
  const missing = Math.max(0, Math.max(4, 2 * count) - speakers.length);
  return [...speakers, ...Array.from({ length: missing }, (_, i) => absentKey("Group", count + i).key)];
}

/** Keys of the groups that name any of these persons as a member, whether or not it is one today. */
async function groupsNaming(
  { store }: Pick<Settings, "store">,
  named: readonly ConsentedKey[],
): Promise<readonly string[]> {
  const persons = [...new Set(named.flatMap((one) => personOf(one) ?? []))];
  const query = { collection: "Group", index: "member", anyOf: persons, part: "key" } as const;
  return (await everyPageOf(store, query)).map(({ key }) => key);
}

/** The groups of persons who are members today, by the persons' keys. */
async function groupsOf(
  { store, today }: Pick<Settings, "store" | "today">,
  groups: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const documents = groups.length > 0 ? await store.get(groups.map((key) => recordKey("Group", key))) : [];
  const found = new Map<string, string[]>();
  for (const document of documents) {
    if (!document) continue;
    for (const person of activePersons(storedRecord(document), today())) {
      found.set(person, [...(found.get(person) ?? []), document.key]);
    }
  }
  return found;
}

/** The groups among these whose consents are. */
function speaking(groups: readonly string[], consents: readonly StoredConsent[]): readonly string[] {
  const subjects = new Set(consents.map(({ subjectKey }) => subjectKey));
  return groups.filter((key) => subjects.has(key));
}

interface Asked {
  readonly consents: readonly StoredConsent[];
  readonly types: readonly ResourceType[];
  /** YYYY-MM-DD */
  readonly today: string;
}

/** The consents that show a caller something of records of any of these types. */
function countingFor(caller: Caller, { consents, types, today }: Asked): readonly StoredConsent[] {
  return consents.filter((stored) => {
    const facts = factsOf(stored);
    const counts = isInForce(facts, today) && names(facts, caller);
    return counts && types.some((type) => scopesFor(facts, type).length > 0);
  });
}

/** Keys of those who are members of a group today. */
export function activePersons({ record, links }: Pick<StoredRecord, "record" | "links">, today: string) {
  if (record.active === false) return [];
  return activeMembers(record, today).flatMap(({ entity }) =>
    isJsonObject(entity) ? (links[String(entity.reference)] ?? []) : [],
  );
}

function personOf({ type, key, beneficiary }: ConsentedKey): string | undefined {
  return type === "Individual" ? key : beneficiary;
}

export function beneficiaryOf({ record, links }: StoredRecord): string | undefined {
  const { beneficiary } = record;
  return isJsonObject(beneficiary) ? links[String(beneficiary.reference)] : undefined;
}

/** The consents that anyone of these gave to the caller's organization or its type, whatever their state. */
export async function consentsFor(
  settings: Pick<Settings, "store">,
  caller: Caller,
  subjects: readonly string[],
): Promise<readonly StoredConsent[]> {
  const grantee = granteeEntries(caller);
  return grantee.length === 0 ? [] : consentsOf(settings, subjects, [{ index: "grantee", anyOf: grantee }]);
}

/** The consents that anyone of these gave, those that meet the conditions. */
export async function consentsOf(
  { store }: Pick<Settings, "store">,
  subjects: readonly string[],
  where: readonly Condition[] = [],
): Promise<readonly StoredConsent[]> {
  const query = { collection: consentCollection, index: "subject", anyOf: subjects, where };
  return (await everyPageOf(store, query)).map(storedConsent);
}

function groupedBySubject(consents: readonly ConsentFacts[]): ReadonlyMap<string, readonly ConsentFacts[]> {
  const grouped = new Map<string, ConsentFacts[]>();
  for (const consent of consents) {
    grouped.set(consent.subject, [...(grouped.get(consent.subject) ?? []), consent]);
  }
  return grouped;
}

/** The records of a type that consents speak for: their subjects, active members and memberships. */
export async function recordsUnder(
  { store, today }: Pick<Settings, "store" | "today">,
  consents: readonly StoredConsent[],
  type: ResourceType,
): Promise<readonly { readonly type: ResourceType; readonly key: string }[]> {
  const subjects = new Map(consents.map(({ consent, subjectKey }) => [subjectKey, subjectType(consent)]));
  const groups = [...subjects].flatMap(([key, of]) => (of === "Group" ? [key] : []));
  const individuals = [...subjects].flatMap(([key, of]) => (of === "Individual" ? [key] : []));
  if (type === "Group") return groups.map((key) => ({ type, key }));
  const documents = await store.get(groups.map((key) => recordKey("Group", key)));
  const members = documents.flatMap((found) => (found ? activePersons(storedRecord(found), today()) : []));
  const persons = [...new Set([...individuals, ...members])];
  if (type === "Individual") return persons.map((key) => ({ type, key }));
  const memberships = await everyPageOf(store, {
    collection: "ProgramMembership",
    index: "beneficiary",
    anyOf: [...persons, ...groups],
  });
  return memberships.map(({ key }) => ({ type, key }));
}

export function subjectType({ subject }: StoredConsent["consent"]): "Individual" | "Group" {
  return subject.reference.startsWith("Group/") ? "Group" : "Individual";
}
