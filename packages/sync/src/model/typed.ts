import { conflictPlaces, type JsonObject, resourceShapes } from "@fieldroll/core";
import type { OutboxEntry } from "./entry.ts";

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
  const shape = resourceShapes[type];
  const differing = (ours: JsonObject, other: JsonObject) =>
    conflictPlaces({ base: null, ours, theirs: other, shape, asked: "all" });
  const [news, open] = [differing(base, theirs), differing(after, theirs)];
  const isNews = (place: string) => news.some((one) => within(place, one) || within(one, place));
  const typed = differing(before, after).flatMap((place) =>
    open.flatMap((other) => {
      // What the other side left as it was is this side's alone.
      if (!isNews(other)) return [];
      return within(other, place) ? [other] : within(place, other) ? [place] : [];
    }),
  );
  if (typed.length === 0) return entry;
  return { ...entry, asked: [...new Set([...(entry.asked ?? []), ...typed])] };
}

function within(place: string, other: string): boolean {
  return place === other || place.startsWith(`${other}/`);
}
