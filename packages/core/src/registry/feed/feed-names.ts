import { failure, type Outcome, success } from "../../problem.ts";
import { countryCodes } from "../../resource/countries.ts";
import type { Settings } from "../settings.ts";
import { areaFeeds } from "./feeds.ts";

/**
 * Refuses the name of a feed that no record can be told in: a misspelt one would look like a feed in which nothing happens.
 * Which names a deployment's own policy gives is for it alone to know, and any is taken.
 */
export function checkFeedName({ policies, programs }: Settings, feed: string): Outcome<void> {
  if (policies.feeds !== areaFeeds || feed === "all" || (programs && feed === "programs") || isArea(feed))
    return success(undefined);
  const names = programs ? "all, programs or" : "all or";
  const message = `must be ${names} area:<country>, area:<country>/<state> or area:<country>/<state>/<city>, with % and / inside a part written %25 and %2F`;
  return failure({
    kind: "bad-request",
    detail: `The parameter feed ${message}.`,
    errors: [{ field: "feed", code: "invalid_parameter", message }],
  });
}

/**
 * Whether a server may have a feed of this name: a deployment may name others than areas, and areas within areas, but each begins with a
 * country's code, and has no empty part.
 */
export function mayBeFeed(name: string): boolean {
  return name !== "" && (!name.startsWith("area:") || partsOfArea(name) !== undefined);
}

function isArea(feed: string): boolean {
  const parts = partsOfArea(feed);
  return parts !== undefined && parts.length <= 3;
}

function partsOfArea(feed: string): readonly string[] | undefined {
  if (!feed.startsWith("area:")) return undefined;
  const parts = feed.slice("area:".length).split("/");
  const [country = "", ...places] = parts;
  const arePlaces = places.every((place) => place !== "" && !/%(?!25|2F)/.test(place));
  return countryCodes.has(country) && arePlaces ? parts : undefined;
}
