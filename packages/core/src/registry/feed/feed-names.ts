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

function isArea(feed: string): boolean {
  if (!feed.startsWith("area:")) return false;
  const parts = feed.slice("area:".length).split("/");
  const [country = "", ...places] = parts;
  return (
    countryCodes.has(country) &&
    parts.length <= 3 &&
    places.every((place) => place !== "" && !/%(?!25|2F)/.test(place))
  );
}
