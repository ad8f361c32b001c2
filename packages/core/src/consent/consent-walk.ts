import { documentsOf } from "../registry/every-page.ts";
import type { CoveredWalk } from "../registry/governance.ts";
import { recordKey, storedRecord } from "../registry/record/document.ts";
import { lastUpdatedOf } from "../registry/record/stored.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller } from "../registry/types.ts";
import type { Position, Store } from "../store/port.ts";
import { activePersons, subjectType } from "./consent-sight.ts";
import { consentCollection, factsOf, granteeEntries, type StoredConsent, storedConsent } from "./document.ts";
import { isInForce, names, scopesFor } from "./visible-fields.ts";

/** A part of the consents that show a caller records of a type. */
export interface ConsentChunk {
  /** In the order of their ids. */
  readonly consents: readonly StoredConsent[];
  /** Behind them; absent after the last. */
  readonly next?: Place;
}

/** So many consents are read at once. */
const mostConsents = 100;

/** After the key of every record that one consent shows. */
const pastAll = "\uffff";

/**
 * The consents in force that show a caller records of a type, in the order of their ids, that of the place included. Each chunk is
 * larger than the one before, and the caller's budget is charged for it.
 */
export async function* consentChunks(
  settings: Settings,
  caller: Caller,
  {
    type,
    after: start,
    size: first,
  }: Pick<CoveredWalk, "type" | "size"> & { readonly after: Position | undefined },
): AsyncGenerator<ConsentChunk> {
  let after = start;
  let size = Math.min(first, mostConsents);
  do {
    const { consents, isLast } = await consentsFrom(settings, caller, { after, size });
    settings.budget.spendRecords(consents.length);
    const last = consents.at(-1);
    const next = isLast || !last ? undefined : { value: last.consent.id, key: pastAll };
    yield {
      consents: consents.filter((stored) => shows(settings, caller, { stored, type })),
      ...(next && { next }),
    };
    after = next;
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
  const isBegun = id !== undefined && after?.key !== pastAll;
  const begun = !isBegun ? [] : await store.get([{ collection: consentCollection, key: id }]);
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

/** A place in a walk over consents: a consent, and a record that it shows. */
export interface Place extends Position {
  /** The consent's id. */
  readonly value: string;
}

/** Where those stand whom these consents are about: the persons and groups themselves, and the members of the groups. */
export async function subjectsUnder(
  settings: Settings,
  consents: readonly StoredConsent[],
  type: CoveredWalk["type"],
): Promise<readonly Place[]> {
  const groups = consents.filter(({ consent }) => subjectType(consent) === "Group");
  const members =
    type === "Group"
      ? new Map<string, readonly string[]>()
      : await membersOf(settings.store, groups, { day: settings.today() });
  return consents.flatMap((stored) => {
    const { subjectKey, consent } = stored;
    const isGroup = subjectType(consent) === "Group";
    const isOne = type === "ProgramMembership" || (type === "Group") === isGroup;
    const keys: readonly string[] = [...(isOne ? [subjectKey] : []), ...(members.get(subjectKey) ?? [])];
    return [...new Set(keys)].map((key): Place => ({ value: consent.id, key }));
  });
}

/** Sorts by consent and then by key. */
export function inOrder(places: readonly Place[]): readonly Place[] {
  return [...places].sort((a, b) => (isBeyond(a, b) ? 1 : -1));
}

export function isBeyond(place: Place, after: Position | undefined): boolean {
  if (!after || after.value === null) return true;
  return place.value === after.value ? place.key > after.key : place.value > after.value;
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

/** Tells whether a consent showed a person or a group already when the walk began, and neither it nor its group changed since. */
export async function passedSince(
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
