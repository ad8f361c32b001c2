import { forgottenUntil } from "../../audit/forgetting.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { ChangesPage } from "../../store/port.ts";
import { chunkBytes } from "../every-page.ts";
import type { Settings } from "../settings.ts";
import type { Caller, ReadOptions } from "../types.ts";
import { boundNews } from "./bound-news.ts";
import type { FeedPart, PageRequest } from "./changes.ts";
import { dayNews } from "./day-news.ts";
import { feedItems, fittingPhotos, type News, spendOn } from "./feed-items.ts";
import { type FeedPlace, placeOf } from "./feed-place.ts";
import { changedRecords, storePage } from "./store-page.ts";

/** Hidden changes are passed over in pages that grow up to this size. */
const stride = 500;
const smallStride = 16;

/**
 * The page of a caller whom consents bind. It is filled up behind hidden records, and says that there is more only when the
 * caller will get more. A spent budget ends it earlier: then it says that there is more, which may be hidden. The cursor moves past
 * hidden changes, so that each of them is looked at once; it must be sealed before a caller gets it.
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
  const days = await dayNews(settings, caller, { feed, place, limit, options: request });
  const { position, since } = place;
  const room = limit - days.news.length;
  const found = days.more
    ? success<Found>({ news: [], position, more: true })
    : await scanned(settings, caller, { feed, since, position, limit: room, options: request });
  if (!found.ok) return found;
  const news = [...days.news, ...found.value.news];
  const { more, held = false } = found.value;
  const next: FeedPlace = {
    ...days.place,
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
  /** What the answer shows of each record. */
  readonly options: ReadOptions;
}

interface Found {
  readonly news: readonly News[];
  /** Behind the last change that was looked at. */
  readonly position: string | null;
  readonly more: boolean;
  readonly held?: boolean;
}

async function scanned(settings: Settings, caller: Caller, scan: Scan): Promise<Outcome<Found>> {
  const news: News[] = [];
  let position = scan.position;
  let size = scan.limit;
  for (;;) {
    const room = scan.limit - news.length;
    const looked = await newsFrom(settings, caller, { ...scan, position, limit: Math.max(size, 1) });
    if (!looked.ok) return looked;
    const { page } = looked.value;
    const isEmpty = news.length === 0;
    const asked = { news: looked.value.news, options: scan.options, isEmpty };
    const fitting = Math.min(room, fittingPhotos(settings, asked));
    if (looked.value.news.length > fitting) {
      if (fitting === 0) return success({ news, position, more: true });
      // A page of the store can't be cut in two: one no larger than the room fits in any case.
      size = fitting;
      continue;
    }
    news.push(...looked.value.news);
    spendOn(settings, looked.value.news, scan.options);
    position = page.next;
    if (!page.more) return success({ news, position, more: false, held: page.held ?? false });
    if (settings.budget.isSpent()) return success({ news, position, more: true });
    await settings.budget.pause();
    size = Math.min(2 * Math.max(size, smallStride), stride);
  }
}

interface PageNews {
  readonly page: ChangesPage;
  readonly news: readonly News[];
}

async function newsFrom(
  settings: Settings,
  caller: Caller,
  { feed, since, position, limit }: Omit<Scan, "options">,
): Promise<Outcome<PageNews>> {
  const page = await storePage(settings, {
    feed,
    limit,
    bytes: chunkBytes,
    ...(position !== null && { cursor: position }),
  });
  if (!page.ok) return page;
  settings.budget.spendRecords(page.value.changes.length);
  const changed = await changedRecords(settings, caller, page.value.changes);
  const records = changed.map(({ stored }) => stored);
  return success({ page: page.value, news: await boundNews(settings, caller, { records, feed, since }) });
}
