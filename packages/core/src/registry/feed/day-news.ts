import { activePersons, consentsTo, recordsUnder } from "../../consent/consent-sight.ts";
import { factsOf, type StoredConsent } from "../../consent/document.ts";
import { startOf, touches } from "../../consent/periods.ts";
import { names, scopesFor } from "../../consent/visible-fields.ts";
import { resourceTypes } from "../../resource/types.ts";
import type { DocumentKey } from "../../store/port.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, storedRecord } from "../record/document.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { boundNews } from "./bound-news.ts";
import type { News } from "./feed-items.ts";
import type { FeedPlace } from "./feed-place.ts";

/** Records are looked at in lots of this size. */
const stride = 500;

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
  const known = consents.filter(({ periods }) =>
    periods.some((period) => touches(period, startOf(day), settings.now())),
  );
  const keys = [
    ...(await recordsOf(settings, caller, turned)),
    ...(await endedMembers(settings, { consents: known, day, until })),
  ];
  const sorted = [...new Map(keys.map((key) => [nameOf(key), key])).entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const rest = sorted.filter(([name]) => name > told).map(([, key]) => key);
  const news = await firstNews(settings, caller, { keys: rest, feed, since, limit });
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

function turnsWithin({ consent }: StoredConsent, day: string, until: string): boolean {
  const { status, effectiveDate, expiryDate = "9999" } = consent;
  const given = status === "given" || status === "renewed";
  const begins = effectiveDate > day && effectiveDate <= until;
  return given && (begins || (expiryDate >= day && expiryDate < until));
}

async function recordsOf(settings: Settings, caller: Caller, consents: readonly StoredConsent[]) {
  const found = resourceTypes.map(async (type) => {
    // Enrollments are told where their beneficiaries are, by what is seen of these.
    const follows = type === "ProgramMembership";
    const of = consents.filter((one) => follows || scopesFor(factsOf(one), type).length > 0);
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

/** More than `limit` of it only to tell that there is more. */
async function firstNews(
  settings: Settings,
  caller: Caller,
  {
    keys,
    feed,
    since,
    limit,
  }: {
    readonly keys: readonly DocumentKey[];
    readonly feed: string;
    readonly since: string | null;
    readonly limit: number;
  },
): Promise<readonly News[]> {
  const news: News[] = [];
  for (let at = 0; at < keys.length && news.length <= limit; at += stride) {
    const documents = await settings.store.get(keys.slice(at, at + stride));
    const records = documents
      .flatMap((document) => (document ? [storedRecord(document)] : []))
      .filter(({ type }) => mayUse(settings, caller, { type, access: "read" }).ok);
    news.push(...(await boundNews(settings, caller, { records, feed, since })));
  }
  return news;
}
