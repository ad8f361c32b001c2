import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { concernedRecords } from "./concerned-records.ts";
import { lastTold, type PastRecord } from "./past-sight.ts";
import { versionsSince } from "./versions.ts";

/**
 * Clocks and commits may cross: what ended so shortly before counts as ended since. The price is that a change of a record
 * just hidden may be told, as another `removed`, to who read the feed within this time of losing sight of it.
 */
const graceMilliseconds = 60_000;

export interface LostRequest {
  /** Records that are not told in the feed now: hidden, or seen as far as the feed doesn't look at them. */
  readonly records: readonly StoredRecord[];
  readonly feed: string;
  /** The instant at which the reader last knew everything; `null` when it begins, and so has nothing to lose. */
  readonly since: string | null;
}

/**
 * Those of the records that the caller could be told in this very feed since an instant, by key, and the reference under which
 * it was told them last. What decides is what was in force then, of consents, groups and the record itself: not what is true
 * now, and not the days that a consent names.
 */
export async function lostSight(
  settings: Settings,
  caller: Caller,
  { records, feed, since }: LostRequest,
): Promise<ReadonlyMap<string, string>> {
  if (since === null || records.length === 0) return new Map();
  const span = {
    from: new Date(Date.parse(since) - graceMilliseconds).toISOString(),
    to: settings.now(),
  };
  const concerned = await concernedRecords(settings, caller, { records, ...span });
  const past = pastRecords(settings, span.from);
  const found = concerned.map(async ({ stored, owner, consents, groups }) => {
    const [record, ofOwner, ...ofGroups] = await Promise.all([stored, owner, ...groups].map(past));
    if (!record || !ofOwner) return [];
    const all = { ...span, record, owner: owner === stored ? record : ofOwner, consents, groups: ofGroups };
    const reference = lastTold(settings, caller, { past: all, feed });
    return reference === undefined ? [] : [[stored.key, reference] as const];
  });
  return new Map((await Promise.all(found)).flat());
}

/** Loads what records were like since an instant, each once. */
function pastRecords(settings: Settings, from: string) {
  const loaded = new Map<string, Promise<PastRecord>>();
  return (stored: StoredRecord): Promise<PastRecord> => {
    const { type, key, links } = stored;
    const known = loaded.get(key);
    if (known) return known;
    const loading = versionsSince(settings, stored, from).then((versions) => ({
      type,
      key,
      links,
      versions,
    }));
    loaded.set(key, loading);
    return loading;
  };
}
