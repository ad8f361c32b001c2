import type { JsonObject } from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";
import { isWithin, placesApart } from "./places-apart.ts";

/**
 * An entry with an edit that was made while it is in conflict. Who types what a place said before either side changed it has changed it all
 * the same: beside the former value the edit would be none, and what the other side made of the place would be taken unseen. So a person
 * is asked about such a place as long as the other side says something else.
 *
 * @param before the record until the edit, and `after` what it is by now
 */
export function stillAsked(
  entry: OutboxEntry,
  { before, after }: { readonly before: JsonObject | null; readonly after: JsonObject },
): OutboxEntry {
  const { type, base, parked } = entry;
  if (parked?.reason !== "conflict" || !parked.theirs || !base || !before) return entry;
  const { theirs } = parked;
  const [news, open] = [placesApart(type, base, theirs), placesApart(type, after, theirs)];
  const isNews = (place: string) => news.some((one) => isWithin(place, one) || isWithin(one, place));
  const typed = placesApart(type, before, after).flatMap((place) =>
    open.flatMap((other) => {
      // What the other side left as it was is this side's alone.
      if (!isNews(other)) return [];
      return isWithin(other, place) ? [other] : isWithin(place, other) ? [place] : [];
    }),
  );
  if (typed.length === 0) return entry;
  return { ...entry, asked: [...new Set([...(entry.asked ?? []), ...typed])] };
}
