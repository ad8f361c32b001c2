import { activePersons, consentedRecords, consentsTo, recordsUnder } from "../../consent/consent-sight.ts";
import { factsOf, type StoredConsent } from "../../consent/document.ts";
import { names, scopesFor } from "../../consent/visible-fields.ts";
import { resourceTypes } from "../../resource/types.ts";
import type { DocumentKey } from "../../store/port.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import { seenNews } from "./bound-news.ts";
import type { News } from "./feed-items.ts";
import { feedOwners } from "./feed-owner.ts";
import type { FeedPlace } from "./feed-place.ts";
import { wasTold } from "./lost-sight.ts";

interface DayRequest {
  readonly feed: string;
  readonly place: FeedPlace;
  readonly limit: number;
}

interface DayNews {
  readonly news: readonly News[];
  readonly more: boolean;
  readonly place: FeedPlace;
}

/**
 * What begins and ends by the calendar alone: consents whose first day has come or whose last day is over, and members whose
 * time in a group is. No commit tells of it, so a reader is told on its first visit of a later day.
 */
export async function dayNews(
  settings: Settings,
  caller: Caller,
  { feed, place, limit }: DayRequest,
): Promise<DayNews> {
  const { position, since, day, told = "" } = place;
  const until = place.until ?? settings.today();
  const done = { position, since, day: until };
  if (until <= day) return { news: [], more: false, place: done };
  const consents = (await consentsTo(settings, caller)).filter((one) => names(factsOf(one), caller));
  const turned = consents.filter((consent) => turnsWithin(consent, day, until));
  const known = consents.filter(({ consent }) => showedOn(consent, day));
  const keys = [
    ...(await recordsOf(settings, caller, turned)),
    ...(await endedMembers(settings, { consents: known, day, until })),
  ];
  const sorted = [...new Map(keys.map((key) => [nameOf(key), key])).entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const documents = await settings.store.get(sorted.filter(([name]) => name > told).map(([, key]) => key));
  const records = documents.flatMap((document) => (document ? [storedRecord(document)] : []));
  const news = await newsOf(settings, caller, { records, feed, consents: known });
  if (news.length <= limit) return { news, more: false, place: done };
  const page = news.slice(0, limit);
  const last = page.at(-1);
  return {
    news: page,
    more: true,
    place: { position, since, day, until, ...(last && { told: `${last.stored.type}/${last.stored.key}` }) },
  };
}

function nameOf({ collection, key }: DocumentKey): string {
  return `${collection}/${key}`;
}

/** Whether a consent showed something on the day of the reader's last visit: only then there is something to lose. */
function showedOn({ status, effectiveDate, expiryDate = "9999" }: StoredConsent["consent"], day: string) {
  return (status === "given" || status === "renewed") && effectiveDate <= day && expiryDate >= day;
}

function turnsWithin({ consent }: StoredConsent, day: string, until: string): boolean {
  const { status, effectiveDate, expiryDate = "9999" } = consent;
  const given = status === "given" || status === "renewed";
  const begins = effectiveDate > day && effectiveDate <= until;
  return given && (begins || (expiryDate >= day && expiryDate < until));
}

async function recordsOf(settings: Settings, caller: Caller, consents: readonly StoredConsent[]) {
  const found = resourceTypes.map(async (type) => {
    const of = consents.filter((one) => scopesFor(factsOf(one), type).length > 0);
    const readable = type !== "Program" && mayUse(settings, caller, { type, access: "read" }).ok;
    return readable && of.length > 0 ? recordsUnder(settings, of, type) : [];
  });
  return (await Promise.all(found)).flat().map(({ type, key }) => recordKey(type, key));
}

/** Persons, with their enrollments, whose time in a group that gave a consent ended within these days. */
async function endedMembers(
  { store }: Settings,
  {
    consents,
    day,
    until,
  }: { readonly consents: readonly StoredConsent[]; readonly day: string; readonly until: string },
): Promise<readonly DocumentKey[]> {
  const groups = consents.filter(({ consent }) => consent.subject.reference.startsWith("Group/"));
  if (groups.length === 0) return [];
  const keys = [...new Set(groups.map(({ subjectKey }) => subjectKey))];
  const documents = await store.get(keys.map((key) => recordKey("Group", key)));
  const persons = documents.flatMap((document) => {
    if (!document) return [];
    const group = storedRecord(document);
    const still = new Set(activePersons(group, until));
    return activePersons(group, day).filter((person) => !still.has(person));
  });
  const memberships = await everyPageOf(store, {
    collection: "ProgramMembership",
    index: "beneficiary",
    anyOf: persons,
  });
  return [
    ...persons.map((key) => recordKey("Individual", key)),
    ...memberships.map(({ key }) => recordKey("ProgramMembership", key)),
  ];
}

async function newsOf(
  settings: Settings,
  caller: Caller,
  {
    records,
    feed,
    consents,
  }: {
    readonly records: readonly StoredRecord[];
    readonly feed: string;
    readonly consents: readonly StoredConsent[];
  },
): Promise<readonly News[]> {
  const readable = records.filter(({ type }) => mayUse(settings, caller, { type, access: "read" }).ok);
  const sight = await sightOf(settings, caller, readable);
  const seen = readable.filter(({ key }) => sight.has(key));
  const owners = await feedOwners(settings, caller, seen);
  const consented = await consentedRecords(settings, readable);
  return readable.flatMap((stored, i): readonly News[] => {
    const visibility = sight.get(stored.key);
    const record = consented[i];
    if (!visibility) {
      return record && wasTold(settings, caller, { stored, record, consents, feed })
        ? [{ kind: "hidden", stored }]
        : [];
    }
    const owner = owners.get(stored.key) ?? { stored, visibility };
    return seenNews(settings, { stored, visibility }, { owner, feed });
  });
}
