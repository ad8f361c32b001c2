import { sees } from "../../consent/visibility.ts";
import type { Settings } from "../settings.ts";
import { sightOf } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { News } from "./feed-items.ts";
import { type FeedOwner, feedOwners, feedsOf } from "./feed-owner.ts";
import { type LostRequest, lostSight } from "./lost-sight.ts";

/**
 * What a caller bound by consents is told of records. A record is told in a feed only as far as the part that the caller sees
 * belongs there: who sees no address learns nothing from an area's feed. That it does no more is told once, to those who could
 * be told the record in that feed since they last knew everything.
 */
export async function boundNews(
  settings: Settings,
  caller: Caller,
  { records, feed, since }: LostRequest,
): Promise<readonly News[]> {
  const sight = await sightOf(settings, caller, records);
  const seen = records.filter(({ key }) => sight.has(key));
  const owners = await feedOwners(settings, caller, seen);
  const present = new Map(
    seen.flatMap((stored) => {
      const visibility = sight.get(stored.key);
      if (!visibility) return [];
      const owner = owners.get(stored.key) ?? { stored, visibility };
      return [[stored.key, { own: { stored, visibility }, owner }] as const];
    }),
  );
  const told = new Map(
    [...present].flatMap(([key, { own, owner }]) =>
      feedsOf(settings, owner).includes(feed) ? [[key, presentNews(own)] as const] : [],
    ),
  );
  const lost = await lostSight(settings, caller, {
    records: records.filter(({ key }) => !told.has(key)),
    feed,
    since,
  });
  return records.flatMap((stored): readonly News[] => {
    const news = told.get(stored.key);
    if (news) return [news];
    const reference = lost.get(stored.key);
    if (reference === undefined) return [];
    const found = present.get(stored.key);
    const moved = found && !stored.feeds.includes(feed) && sees(found.owner.visibility, "address");
    // Who sees the record may know what it is called now; who doesn't, only what it was called then.
    if (!found) return [{ kind: "hidden", stored, reference }];
    return moved ? [{ kind: "removed", ...found.own, reason: "left-feed" }] : [{ kind: "hidden", stored }];
  });
}

function presentNews({ stored, visibility }: FeedOwner): News {
  const archived = stored.record.active === false && sees(visibility, "active");
  return archived
    ? { kind: "removed", stored, visibility, reason: "archived" }
    : { kind: "upsert", stored, visibility };
}
