import { activePersons, consentsTo } from "../../consent/consent-sight.ts";
import { factsOf, type StoredConsent } from "../../consent/document.ts";
import { startOf, touches, turnsWithin } from "../../consent/periods.ts";
import { toldUnder } from "../../consent/touch.ts";
import { isExempt, names } from "../../consent/visible-fields.ts";
import { type Outcome, success } from "../../problem.ts";
import type { DocumentKey } from "../../store/port.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, storedRecord } from "../record/document.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { boundNews } from "./bound-news.ts";
import type { News } from "./feed-items.ts";
import type { FeedPlace } from "./feed-place.ts";
import { keyOf, storePage } from "./store-page.ts";

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
 * time in a group is. No commit tells of it, so a reader is told on its first visit of a later day: of records whose changes it is
 * still to read by these alone, so that nothing is told twice.
 */
export async function dayNews(
  settings: Settings,
  caller: Caller,
  { feed, place, limit }: DayRequest,
): Promise<Outcome<DayNews>> {
  const { position, since, day, told = "" } = place;
  const until = place.until ?? settings.today();
  // Nor are days told again when the clock is put back.
  if (until <= day) return success({ news: [], more: false, place: { position, since, day } });
  const done = { position, since, day: until };
  if (isExempt(caller)) return success({ news: [], more: false, place: done });
  const consents = (await consentsTo(settings, caller)).filter((one) => names(factsOf(one), caller));
  // Of one that is recorded after its first day, withdrawn or renewed, the commit tells.
  const turned = consents.filter(({ periods }) =>
    periods.slice(-1).some((one) => turnsWithin(one, day, until)),
  );
  const known = consents.filter(({ periods }) =>
    periods.some((period) => touches(period, startOf(day), settings.now())),
  );
  const keys = [
    ...(await toldUnder(settings, turned)),
    ...(await endedMembers(settings, { consents: known, day, until })),
  ];
  const sorted = [...new Map(keys.map((key) => [nameOf(key), key])).entries()].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const untold = sorted.filter(([name]) => name > told).map(([, key]) => key);
  const pending = await pendingKeys(settings, { feed, position: untold.length > 0 ? position : undefined });
  if (!pending.ok) return pending;
  const rest = untold.filter(({ key }) => !pending.value.has(key));
  const news = await firstNews(settings, caller, { keys: rest, feed, since, limit });
  if (news.length <= limit) return success({ news, more: false, place: done });
  const page = news.slice(0, limit);
  const last = page.at(-1);
  return success({
    news: page,
    more: true,
    place: { position, since, day, until, ...(last && { told: `${last.stored.type}/${last.stored.key}` }) },
  });
}

/** The records whose changes the reader is still to read, from a place in the feed to its end: these tell what they are like. */
async function pendingKeys(
  settings: Settings,
  { feed, position }: { readonly feed: string; readonly position: string | null | undefined },
): Promise<Outcome<ReadonlySet<string>>> {
  const keys = new Set<string>();
  if (position === undefined) return success(keys);
  let at = position;
  for (;;) {
    const page = await storePage(settings, { feed, limit: stride, ...(at !== null && { cursor: at }) });
    if (!page.ok) return page;
    for (const change of page.value.changes) keys.add(keyOf(change));
    if (!page.value.more) return success(keys);
    at = page.value.next;
  }
}

function nameOf({ collection, key }: DocumentKey): string {
  return `${collection}/${key}`;
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
