import { documentsOf, everyPageOf } from "../registry/every-page.ts";
import type { CoveredWalk } from "../registry/governance.ts";
import { recordKey, storedRecord } from "../registry/record/document.ts";
import { lastUpdatedOf } from "../registry/record/stored.ts";
import type { Chunk } from "../registry/search/sources.ts";
import type { Settings } from "../registry/settings.ts";
import type { Sight } from "../registry/sight.ts";
import type { Caller } from "../registry/types.ts";
import type { Position, Store } from "../store/port.ts";
import { activePersons, beneficiaryOf, sightByConsents, subjectType } from "./consent-sight.ts";
import { consentCollection, factsOf, granteeEntries, type StoredConsent, storedConsent } from "./document.ts";
import { isInForce, names, scopesFor } from "./visible-fields.ts";

/** So many consents are read at once. */
const mostConsents = 100;

/** After the key of every record that one consent shows. */
const pastAll = "\uffff";

/**
 * The records of a type that consents show a caller, consent by consent in the order of their ids, so that a page costs what it
 * shows however many consents there are. A record that several consents show comes with the first of them. A consent or a group that
 * changed since the walk began counts as first for none but itself: its record may then come twice, and never not at all.
 */
export function coveredRecords(
  settings: Settings,
  caller: Caller,
  walk: CoveredWalk,
): AsyncIterable<Chunk> | undefined {
  return settings.policies.withoutConsent === "identifiers"
    ? undefined
    : walkConsents(settings, caller, walk);
}

async function* walkConsents(
  settings: Settings,
  caller: Caller,
  { type, after: start, since, size: first }: CoveredWalk,
): AsyncGenerator<Chunk> {
  let after = start;
  let size = Math.min(first, mostConsents);
  do {
    const { consents, isLast } = await consentsFrom(settings, caller, { after, size });
    settings.budget.spendRecords(consents.length);
    const counting = consents.filter((stored) => shows(settings, caller, { stored, type }));
    const places = (await placesUnder(settings, counting, type)).filter((place) => isBeyond(place, after));
    yield* recordsAt(settings, caller, { type, since, places });
    const last = consents.at(-1);
    after = isLast || !last ? undefined : { value: last.consent.id, key: pastAll };
    yield { records: [], ...(after && { next: after }) };
    size = Math.min(2 * size, mostConsents);
  } while (after);
}

/** The next consents given to a caller's organization or its type, by id, that of the place included. */
async function consentsFrom(
  { store }: Settings,
  caller: Caller,
  { after, size }: { readonly after: Position | undefined; readonly size: number },
): Promise<{ readonly consents: readonly StoredConsent[]; readonly isLast: boolean }> {
  const id = after?.value ?? undefined;
  const begun = id === undefined ? [] : await store.get([{ collection: consentCollection, key: id }]);
  const pages = await Promise.all(
    granteeEntries(caller).map((grantee) =>
      store.query({
        collection: consentCollection,
        where: [{ index: "grantee", anyOf: [grantee] }],
        limit: size,
        ...(id !== undefined && { after: { value: null, key: id } }),
      }),
    ),
  );
  // Of the grantees' lists, the one that ends first says how far all of them are known.
  const ends = pages.flatMap(({ next }) => next?.key ?? []).sort();
  const found = [...begun, ...pages.flatMap(({ documents }) => documents)].flatMap(
    (document) => document ?? [],
  );
  const known = found.filter(({ key }) => ends[0] === undefined || key <= ends[0]);
  const byId = new Map(known.map((document) => [document.key, document]));
  const ordered = [...byId.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { consents: ordered.map(storedConsent), isLast: ends.length === 0 };
}

function shows(
  settings: Pick<Settings, "today">,
  caller: Caller,
  { stored, type }: { readonly stored: StoredConsent; readonly type: CoveredWalk["type"] },
): boolean {
  const facts = factsOf(stored);
  return isInForce(facts, settings.today()) && names(facts, caller) && scopesFor(facts, type).length > 0;
}

interface Place extends Position {
  /** The consent's id. */
  readonly value: string;
}

/** Where the records stand that each of these consents shows, in order. */
async function placesUnder(
  settings: Settings,
  consents: readonly StoredConsent[],
  type: CoveredWalk["type"],
): Promise<readonly Place[]> {
  const groups = consents.filter(({ consent }) => subjectType(consent) === "Group");
  const members =
    type === "Group"
      ? new Map<string, readonly string[]>()
      : await membersOf(settings.store, groups, { day: settings.today() });
  const subjects = consents.flatMap((stored) => {
    const { subjectKey, consent } = stored;
    const isGroup = subjectType(consent) === "Group";
    const isOne = type === "ProgramMembership" || (type === "Group") === isGroup;
    const keys: readonly string[] = [...(isOne ? [subjectKey] : []), ...(members.get(subjectKey) ?? [])];
    return [...new Set(keys)].map((key): Place => ({ value: consent.id, key }));
  });
  const places = type === "ProgramMembership" ? await enrollmentsOf(settings, subjects) : subjects;
  return [...places].sort((a, b) => (isBeyond(a, b) ? 1 : -1));
}

/** The members of these groups on a day, by the group's key; those of groups that changed later left out. */
async function membersOf(
  store: Pick<Store, "get">,
  consents: readonly StoredConsent[],
  { day, since = "~" }: { readonly day: string; readonly since?: string },
): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = [...new Set(consents.map(({ subjectKey }) => subjectKey))];
  const members = new Map<string, readonly string[]>();
  for await (const documents of documentsOf(
    store,
    keys.map((key) => recordKey("Group", key)),
  )) {
    for (const document of documents) {
      const group = document && storedRecord(document);
      if (group && lastUpdatedOf(group.record) <= since) members.set(group.key, activePersons(group, day));
    }
  }
  return members;
}

/** The memberships of those at these places, each where its beneficiary is. */
async function enrollmentsOf({ store }: Settings, places: readonly Place[]): Promise<readonly Place[]> {
  const beneficiaries = [...new Set(places.map(({ key }) => key))];
  const found = await everyPageOf(store, {
    collection: "ProgramMembership",
    index: "beneficiary",
    anyOf: beneficiaries,
  });
  const enrollments = new Map<string, string[]>();
  for (const stored of found.map(storedRecord)) {
    const beneficiary = beneficiaryOf(stored) ?? "";
    enrollments.set(beneficiary, [...(enrollments.get(beneficiary) ?? []), stored.key]);
  }
  return places.flatMap(({ value, key }) =>
    (enrollments.get(key) ?? []).map((enrollment) => ({ value, key: enrollment })),
  );
}

function isBeyond(place: Place, after: Position | undefined): boolean {
  if (!after || after.value === null) return true;
  return place.value === after.value ? place.key > after.key : place.value > after.value;
}

/** The records at these places, without those that an earlier consent shows as well. */
async function* recordsAt(
  settings: Settings,
  caller: Caller,
  { type, since, places }: { readonly places: readonly Place[] } & Pick<CoveredWalk, "type" | "since">,
): AsyncGenerator<Chunk> {
  let at = 0;
  const keys = places.map(({ key }) => recordKey(type, key));
  for await (const documents of documentsOf(settings.store, keys)) {
    const here = places.slice(at, at + documents.length);
    at += documents.length;
    const found = documents.map((document) => document && storedRecord(document));
    const distinct = [...new Map(found.flatMap((stored) => (stored ? [[stored.key, stored]] : []))).values()];
    const sight = await sightByConsents(settings, caller, distinct);
    const earlier = earlierOf(here, sight);
    const passed = await passedSince(settings, [...earlier.values()].flat(), since);
    const told = new Map<string, Place>();
    here.forEach((place, i) => {
      const stored = found[i];
      if (!stored || !sight.has(place.key) || told.has(place.key)) return;
      const speaker = (type === "ProgramMembership" && beneficiaryOf(stored)) || place.key;
      if (!earlier.get(place)?.some((id) => passed(id, speaker))) told.set(place.key, place);
    });
    const next = here.at(-1);
    yield {
      records: distinct.filter(({ key }) => told.has(key)),
      sight,
      placeOf: (key) => told.get(key) ?? { value: null, key },
      ...(next && { next }),
    };
  }
}

/** For each place the consents before it that show its record as well. */
function earlierOf(places: readonly Place[], sight: Sight): ReadonlyMap<Place, readonly string[]> {
  return new Map(
    places.map((place) => [place, sight.get(place.key)?.consents.filter((id) => id < place.value) ?? []]),
  );
}

/** Tells whether a consent showed a person or a group already when the walk began, and neither it nor its group changed since. */
async function passedSince(
  { store }: Pick<Settings, "store">,
  ids: readonly string[],
  since: string,
): Promise<(id: string, speaker: string) => boolean> {
  const day = since.slice(0, 10);
  const steady = new Map<string, StoredConsent>();
  const consents = [...new Set(ids)].map((key) => ({ collection: consentCollection, key }));
  for await (const documents of documentsOf(store, consents)) {
    for (const stored of documents.flatMap((document) => (document ? [storedConsent(document)] : []))) {
      const { consent } = stored;
      if (consent.meta.lastUpdated <= since && consent.effectiveDate <= day) steady.set(consent.id, stored);
    }
  }
  const groups = [...steady.values()].filter(({ consent }) => subjectType(consent) === "Group");
  const members = await membersOf(store, groups, { day, since });
  return (id, speaker) => {
    const subject = steady.get(id)?.subjectKey;
    return (
      subject !== undefined && (subject === speaker || (members.get(subject)?.includes(speaker) ?? false))
    );
  };
}
