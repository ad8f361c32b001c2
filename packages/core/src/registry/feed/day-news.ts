import { isExempt } from "../../consent/visible-fields.ts";
import type { DocumentKey } from "../../store/port.ts";
import { chunkBytes, documentsOf } from "../every-page.ts";
import { type StoredRecord, storedRecord } from "../record/document.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Caller, ReadOptions } from "../types.ts";
import { boundNews } from "./bound-news.ts";
import { calendarTurns } from "./calendar-turns.ts";
import { fittingPhotos, type News, spendOn } from "./feed-items.ts";
import type { FeedPlace } from "./feed-place.ts";
import { keyOf, storePage } from "./store-page.ts";

/** So many changes that the reader is still to read are looked through for records that a turn need not tell. */
const mostPending = 2_000;
const stride = 500;

interface DayRequest {
  readonly feed: string;
  readonly place: FeedPlace;
  readonly limit: number;
  /** What the answer shows of each record. */
  readonly options: ReadOptions;
}

interface DayNews {
  readonly news: readonly News[];
  readonly more: boolean;
  readonly place: FeedPlace;
}

/**
 * What begins and ends by the calendar alone: consents whose first day has come or whose last day is over, and members whose
 * time in a group is. No commit tells of it, so a reader is told on its first visit of a later day. A record whose change the reader
 * is still to read is told by that change alone, unless the reader is far behind: then it may be told twice.
 */
export async function dayNews(
  settings: Settings,
  caller: Caller,
  { feed, place, limit, options }: DayRequest,
): Promise<DayNews> {
  const { position, since, day } = place;
  const until = place.until ?? settings.today();
  // Nor are days told again when the clock is put back.
  if (until <= day) return { news: [], more: false, place: { position, since, day } };
  const done = { position, since, day: until };
  if (isExempt(caller)) return { news: [], more: false, place: done };
  const news: News[] = [];
  let { mark, told = "" } = place;
  const paused = (): FeedPlace => ({
    position,
    since,
    day,
    until,
    ...(mark && { mark }),
    ...(told !== "" && { told }),
  });
  const seen = new Set<string>();
  let pending: ReadonlySet<string> | undefined;
  for await (const turn of calendarTurns(settings, caller, { day, until, ...(mark && { from: mark }) })) {
    if (turn.keys.length > 0) pending ??= await pendingKeys(settings, { feed, position });
    const keys = sorted(turn.keys).filter(
      (key) => nameOf(key) > told && !pending?.has(key.key) && !seen.has(key.key),
    );
    for (const { key } of keys) seen.add(key);
    const found = await newsOf(settings, caller, { keys, feed, since });
    const isEmpty = news.length === 0;
    const room = Math.min(limit - news.length, fittingPhotos(settings, { news: found, options, isEmpty }));
    const fitting = found.slice(0, room);
    news.push(...fitting);
    spendOn(settings, fitting, options);
    const last = fitting.at(-1)?.stored;
    if (last) told = nameOf({ collection: last.type, key: last.key });
    if (fitting.length < found.length) return { news, more: true, place: paused() };
    mark = turn.mark;
    told = "";
    if (settings.budget.isSpent()) return { news, more: true, place: paused() };
    await settings.budget.pause();
  }
  return { news, more: false, place: done };
}

/** The records whose changes the reader is still to read: these tell what they are like. */
async function pendingKeys(
  settings: Settings,
  { feed, position }: { readonly feed: string; readonly position: string | null },
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  let at = position;
  while (keys.size < mostPending) {
    const page = await storePage(settings, {
      feed,
      limit: stride,
      bytes: chunkBytes,
      ...(at !== null && { cursor: at }),
    });
    // The cursor is refused where the changes themselves are read.
    if (!page.ok) return keys;
    settings.budget.spendRecords(page.value.changes.length);
    for (const change of page.value.changes) keys.add(keyOf(change));
    if (!page.value.more) return keys;
    at = page.value.next;
  }
  return keys;
}

function sorted(keys: readonly DocumentKey[]): readonly DocumentKey[] {
  return [...keys].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf({ collection, key }: DocumentKey): string {
  return `${collection}/${key}`;
}

async function newsOf(
  settings: Settings,
  caller: Caller,
  {
    keys,
    feed,
    since,
  }: { readonly keys: readonly DocumentKey[]; readonly feed: string; readonly since: string | null },
): Promise<readonly News[]> {
  if (keys.length === 0) return [];
  settings.budget.spendRecords(keys.length);
  const records: StoredRecord[] = [];
  for await (const documents of documentsOf(settings.store, keys)) {
    records.push(...documents.flatMap((document) => (document ? [storedRecord(document)] : [])));
  }
  const readable = records.filter(({ type }) => mayUse(settings, caller, { type, access: "read" }).ok);
  return boundNews(settings, caller, { records: readable, feed, since });
}
