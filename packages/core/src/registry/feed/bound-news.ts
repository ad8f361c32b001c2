import { sees } from "../../consent/visibility.ts";
import type { StoredRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { News } from "./feed-items.ts";
import { type FeedOwner, feedOwners, feedsOf } from "./feed-owner.ts";
import { lostSight } from "./lost-sight.ts";
import type { ChangedRecord } from "./store-page.ts";

interface Changed {
  readonly changed: readonly ChangedRecord[];
  readonly feed: string;
  readonly since: string;
}

/**
 * What a caller bound by consents is told of changed records. A record is told in a feed only as far as the part that the
 * caller sees belongs there: who sees no address learns nothing from an area's feed. A hidden record is told of once, to
 * those who lost sight of it since they last knew everything.
 */
export async function boundNews(
  settings: Settings,
  caller: Caller,
  { changed, feed, since }: Changed,
): Promise<readonly News[]> {
  const records = changed.map(({ stored }) => stored);
  const sight = await sightOf(settings, caller, records);
  const seen = (stored: StoredRecord) => sight.get(stored.key);
  const owners = await feedOwners(settings, caller, records.filter(seen));
  const lost = await lostSight(settings, caller, {
    hidden: records.filter((one) => !seen(one)),
    feed,
    since,
  });
  return changed.flatMap(({ stored, left }): readonly News[] => {
    const visibility = seen(stored);
    if (!visibility) return lost.has(stored.key) ? [{ kind: "hidden", stored }] : [];
    const owner = owners.get(stored.key) ?? { stored, visibility };
    if (!left) return seenNews(settings, { stored, visibility }, { owner, feed });
    return sees(owner.visibility, "address")
      ? [{ kind: "removed", stored, visibility, reason: "left-feed" }]
      : [];
  });
}

/** What is told of a record that the caller sees: nothing in a feed to which the part it sees doesn't belong. */
export function seenNews(
  settings: Settings,
  { stored, visibility }: FeedOwner,
  { owner, feed }: { readonly owner: FeedOwner; readonly feed: string },
): readonly News[] {
  if (!feedsOf(settings, owner).includes(feed)) return [];
  const archived = stored.record.active === false && sees(visibility, "active");
  return [
    archived
      ? { kind: "removed", stored, visibility, reason: "archived" }
      : { kind: "upsert", stored, visibility },
  ];
}
