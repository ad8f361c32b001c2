import type { ResourceType } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import { questionsOf, shownPlaces, type Versions } from "./questions.ts";
import { differences, placesOf } from "./record-title.ts";

/** What tells who or which household a record is of. */
const telling: Readonly<Partial<Record<ResourceType, readonly string[]>>> = {
  Individual: ["/name", "/birthDate", "/birthDateEstimated", "/address"],
  Group: ["/name", "/address"],
};

/** What a person looks at of a record and the one that it is compared with. */
export interface Compared {
  /** Who both are, also where they say the same, and then where they differ; without what is asked about one by one. */
  readonly places: readonly Versions[];
  /** Whether there is any difference. */
  readonly differs: boolean;
}

/** A parked record beside the other one; `null` where that is not shown. */
export function comparedOf(parked: ParkedRecord): Compared | null {
  const { type, reason, ours, theirs } = parked;
  if (theirs === null) return null;
  const apart = differences(type, ours, theirs);
  // Two versions of one record need not be told apart.
  const told = (reason === "duplicate" && telling[type]) || [];
  const isTelling = ({ path }: Versions) => told.includes(path);
  const all = placesOf(type, ours, theirs).filter(isTelling);
  const asked = questionsOf(parked).map(({ path }) => path);
  const isAsked = (place: Versions) =>
    asked.some((path) => path === place.path || (!isTelling(place) && path.startsWith(`${place.path}/`)));
  const rest = apart.filter((place) => !isTelling(place));
  const shown = shownPlaces([...all, ...rest], { ours, theirs });
  return { places: shown.filter((place) => !isAsked(place)), differs: apart.length > 0 };
}
