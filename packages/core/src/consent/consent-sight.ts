import { isJsonObject } from "../json.ts";
import { everyPageOf } from "../registry/every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import { activeMembers } from "../registry/record/render.ts";
import type { Settings } from "../registry/settings.ts";
import type { Sight } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import type { ResourceType } from "../resource/types.ts";
import { consentCollection, factsOf, granteeEntries, type StoredConsent, storedConsent } from "./document.ts";
import { identifiersOnly, type Visibility } from "./visibility.ts";
import {
  type ConsentedRecord,
  type ConsentFacts,
  isExempt,
  isInForce,
  names,
  scopesFor,
  speakersFor,
  visibleFields,
} from "./visible-fields.ts";

/**
 * Loads the consents that concern these records, and decides what the caller may see of each: contract section 3. The
 * calls to the store are the same in number and kind whatever it finds, one round for any number of records.
 */
export async function sightByConsents(
  settings: Settings,
  caller: Caller,
  records: readonly StoredRecord[],
): Promise<Sight> {
  const today = settings.today();
  if (isExempt(caller)) {
    return new Map(
      records.map(({ type, key }) => [key, visibleFields(caller, { type, key, groups: [] }, [], today)]),
    );
  }
  const consented = await consentedRecords(settings, records);
  const speakers = [...new Set(consented.flatMap(speakersFor))];
  const consents = await consentsFor(settings, caller, speakers);
  const facts = groupedBySubject(consents.map(factsOf));
  const sight = new Map<string, Visibility>();
  for (const record of consented) {
    const own = speakersFor(record).flatMap((speaker) => facts.get(speaker) ?? []);
    const visibility = visibleFields(caller, record, own, today);
    if (visibility.basis !== "none") sight.set(record.key, visibility);
    else if (settings.policies.withoutConsent === "identifiers") sight.set(record.key, identifiersOnly);
  }
  return sight;
}

/** The records with the groups whose consents speak for them. */
export async function consentedRecords(
  { store, today }: Pick<Settings, "store" | "today">,
  records: readonly StoredRecord[],
): Promise<readonly ConsentedRecord[]> {
  const persons = new Set(records.flatMap((stored) => personOf(stored) ?? []));
  const groups = new Map<string, string[]>();
  const documents = await everyPageOf(store, {
    collection: "Group",
    index: "member",
    anyOf: [...persons],
    where: [{ index: "active", anyOf: ["true"] }],
  });
  for (const document of documents) {
    const group = storedRecord(document);
    for (const person of activePersons(group, today())) {
      if (persons.has(person)) groups.set(person, [...(groups.get(person) ?? []), group.key]);
    }
  }
  return records.map((stored) => {
    const { type, key } = stored;
    const beneficiary = type === "ProgramMembership" ? beneficiaryOf(stored) : undefined;
    const of = groups.get(personOf(stored) ?? "") ?? [];
    return { type, key, groups: of, ...(beneficiary !== undefined && { beneficiary }) };
  });
}

/** Keys of those who are members of a group today. */
export function activePersons({ record, links }: Pick<StoredRecord, "record" | "links">, today: string) {
  if (record.active === false) return [];
  return activeMembers(record, today).flatMap(({ entity }) =>
    isJsonObject(entity) ? (links[String(entity.reference)] ?? []) : [],
  );
}

function personOf(stored: StoredRecord): string | undefined {
  if (stored.type === "Individual") return stored.key;
  return stored.type === "ProgramMembership" ? beneficiaryOf(stored) : undefined;
}

function beneficiaryOf({ record, links }: StoredRecord): string {
  const { beneficiary } = record;
  return (isJsonObject(beneficiary) && links[String(beneficiary.reference)]) || "absent";
}

/** The consents that anyone of these gave to the caller's organization or its type, whatever their state. */
export async function consentsFor(
  { store }: Pick<Settings, "store">,
  caller: Caller,
  subjects: readonly string[],
): Promise<readonly StoredConsent[]> {
  const grantee = granteeEntries(caller);
  if (grantee.length === 0) return [];
  const documents = await everyPageOf(store, {
    collection: consentCollection,
    index: "subject",
    anyOf: subjects,
    where: [{ index: "grantee", anyOf: grantee }],
  });
  return documents.map(storedConsent);
}

/** Every consent given to the caller's organization or its type, whatever its state. */
export async function consentsTo(
  { store }: Pick<Settings, "store">,
  caller: Caller,
): Promise<readonly StoredConsent[]> {
  const documents = await everyPageOf(store, {
    collection: consentCollection,
    index: "grantee",
    anyOf: granteeEntries(caller),
  });
  return documents.map(storedConsent);
}

function groupedBySubject(consents: readonly ConsentFacts[]): ReadonlyMap<string, readonly ConsentFacts[]> {
  const grouped = new Map<string, ConsentFacts[]>();
  for (const consent of consents) {
    grouped.set(consent.subject, [...(grouped.get(consent.subject) ?? []), consent]);
  }
  return grouped;
}

/**
 * The keys of all records of a type of which a caller bound by consent may see anything, in order; `"all"` when that can't be
 * told by consents (policy `identifiers`, or a type without personal data). Its cost depends on those consents alone, never
 * on hidden records.
 */
export async function keysCovered(
  settings: Settings,
  caller: Caller,
  type: ResourceType,
): Promise<readonly string[] | "all"> {
  const open = isExempt(caller) || settings.policies.withoutConsent === "identifiers";
  if (open || type === "Program") return "all";
  const today = settings.today();
  const counting = (await consentsTo(settings, caller)).filter((stored) => {
    const facts = factsOf(stored);
    return isInForce(facts, today) && names(facts, caller) && scopesFor(facts, type).length > 0;
  });
  return (await recordsUnder(settings, counting, type)).map(({ key }) => key).sort();
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

function subjectType({ subject }: StoredConsent["consent"]): "Individual" | "Group" {
  return subject.reference.startsWith("Group/") ? "Group" : "Individual";
}
