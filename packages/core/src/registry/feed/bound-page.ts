import { forgottenUntil } from "../../audit/forgetting.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { Change, ChangesPage } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { boundNews } from "./bound-news.ts";
import type { FeedPart, PageRequest } from "./changes.ts";
import { dayNews } from "./day-news.ts";
import { feedItems, type News } from "./feed-items.ts";
import { type FeedPlace, placeOf } from "./feed-place.ts";
import { changedRecords, keyOf, storePage } from "./store-page.ts";

/** Hidden changes are passed over in pages of this size. */
const stride = 500;

/**
 * The page of a caller whom consents bind. Hidden records leave no trace in it: it is filled up behind them, says that there
 * is more only when the caller will get more, and its cursor moves only past something told.
 */
export async function boundPage(
  settings: Settings,
  caller: Caller,
  { request, limit, from }: PageRequest,
): Promise<Outcome<FeedPart>> {
  const now = settings.now();
  const place = placeOf(from, now);
  if (await isForgotten(settings, place)) return failure(tooOld);
  const { feed } = request;
  const days = await dayNews(settings, caller, { feed, place, limit });
  if (!days.ok) return days;
  const { position, since } = place;
  const room = limit - days.value.news.length;
  const found = days.value.more
    ? success<Found>({ news: [], position, more: true })
    : await scanned(settings, caller, { feed, since, position, limit: room });
  if (!found.ok) return found;
  const news = [...days.value.news, ...found.value.news];
  const { more, held = false } = found.value;
  const next: FeedPlace = {
    ...days.value.place,
    position: found.value.position,
    // Who begins may lose on its second page what it got on the first; and what is kept back may be what it lost long ago by then.
    since: more || held ? (since ?? now) : now,
  };
  const data = await feedItems(settings, caller, { news, options: request });
  return success({ data, next: { ...next }, more });
}

/** What a reader lost sight of is found in the audit trail: who was away for longer than that is kept has to begin anew. */
async function isForgotten(settings: Settings, { since }: FeedPlace): Promise<boolean> {
  if (since === null) return false;
  const { changes } = await forgottenUntil(settings);
  return changes !== undefined && since < changes;
}

const tooOld: Problem = {
  kind: "bad-request",
  detail: "The cursor is older than what this registry remembers of changes. Start again without a cursor.",
  errors: [{ field: "cursor", code: "invalid_cursor", message: "is too old" }],
};

interface Scan {
  readonly feed: string;
  readonly since: string | null;
  readonly position: string | null;
  readonly limit: number;
}

interface Found {
  readonly news: readonly News[];
  /** Behind the last change that was told. */
  readonly position: string | null;
  readonly more: boolean;
  readonly held?: boolean;
}

async function scanned(settings: Settings, caller: Caller, scan: Scan): Promise<Outcome<Found>> {
  const news: News[] = [];
  let { position } = scan;
  let at = scan.position;
  for (;;) {
    const probe = await newsFrom(settings, caller, { ...scan, position: at, limit: stride });
    if (!probe.ok) return probe;
    const room = scan.limit - news.length;
    if (room === 0 && probe.value.news.length > 0) return success({ news, position, more: true });
    // A page of the store can't be cut in two: one no larger than the room fits in any case.
    const page =
      probe.value.news.length <= room
        ? probe
        : await newsFrom(settings, caller, { ...scan, position: at, limit: room });
    if (!page.ok) return page;
    news.push(...page.value.news);
    if (page.value.news.length > 0)
      position = await behindLast(settings, { ...scan, position: at }, page.value);
    at = page.value.page.next;
    const { more, held = false } = page.value.page;
    if (!more) return success({ news, position, more, held });
  }
}

/** The place right behind the last change that was told: one behind hidden changes would tell of them. */
async function behindLast(
  settings: Settings,
  { feed, position }: Pick<Scan, "feed" | "position">,
  { page, news }: PageNews,
): Promise<string> {
  const last = news.at(-1)?.stored.key;
  const names = page.changes.map(nameOf);
  const count = page.changes.findIndex((change) => keyOf(change) === last) + 1;
  if (count === names.length) return page.next;
  const part = await storePage(settings, {
    feed,
    limit: count,
    ...(position !== null && { cursor: position }),
  });
  // Somebody wrote in between: then this place would not be behind what was told.
  const same = part.ok && part.value.changes.every((change, i) => nameOf(change) === names[i]);
  return same && part.ok ? part.value.next : page.next;
}

function nameOf(change: Change): string {
  const { collection, key, version } = change.kind === "put" ? change.document : { version: 0, ...change };
  return `${collection}/${key} ${version}`;
}

interface PageNews {
  readonly page: ChangesPage;
  readonly news: readonly News[];
}

async function newsFrom(
  settings: Settings,
  caller: Caller,
  { feed, since, position, limit }: Scan,
): Promise<Outcome<PageNews>> {
  const page = await storePage(settings, { feed, limit, ...(position !== null && { cursor: position }) });
  if (!page.ok) return page;
  const changed = await changedRecords(settings, caller, page.value.changes);
  const records = changed.map(({ stored }) => stored);
  return success({ page: page.value, news: await boundNews(settings, caller, { records, feed, since }) });
}
