import type { Shown } from "../../audit/tell-read.ts";
import { comparePositions } from "../../store/match.ts";
import type { Position } from "../../store/port.ts";
import { bytesWithPhoto } from "../record/stored-photo.ts";
import type { PlannedSearch } from "./search.ts";

/** A record found, and where it stands in the search's order. */
export interface Place {
  readonly position: Position;
  readonly key: string;
  /** As the answer shows it; without it, it has yet to be read. */
  readonly shown?: Shown;
}

/** A page of a search that is being filled. */
export interface FillingPage {
  /** Adds a record at its present place. */
  add(place: Place): void;
  /** Adds a record at another place, once; it may have been added at the place that it had while others were read. */
  move(place: Place): void;
  /** So many records still fit, as far as their number goes. */
  room(): number;
  /** Whether one record more was added than the page has, or the bytes are spent: what comes later is not needed. */
  isFull(): boolean;
  /** Says that nothing beyond a place was read: what is moved beyond it waits for a later page. */
  end(position: Position | undefined): void;
  places(): KnownPlaces;
}

/** The records found after the cursor, in order. */
export interface KnownPlaces {
  readonly places: readonly Place[];
  /** The place up to which all of them are known, where that is not the end. */
  readonly horizon?: Position;
}

type Order = Pick<PlannedSearch, "sort" | "after">;

/** Puts places in order, without those that earlier pages had and those beyond a horizon. */
export function pageOf(places: readonly Place[], { sort, after }: Order, horizon?: Position): KnownPlaces {
  const compare = (a: Position, b: Position) => comparePositions(a, b, sort?.descending);
  const known = places
    .filter(({ position }) => !after || compare(position, after) > 0)
    .filter(({ position }) => !horizon || compare(position, horizon) <= 0)
    .sort((a, b) => compare(a.position, b.position));
  return { places: known, ...(horizon && { horizon }) };
}

/**
 * Keeps the records found, no more of them than the answer shows. They are added in order, from the cursor on.
 *
 * @param bytes how long the records of the answer may be together; one is shown in any case
 */
export function createPage(
  { limit, ...order }: Order & Pick<PlannedSearch, "limit">,
  bytes: number,
): FillingPage {
  const kept = new Map<string, Place>();
  let left = bytes;
  let isFull = false;
  let horizon: Position | undefined;
  return {
    add({ position, key, shown }) {
      if (kept.has(key)) return;
      left -= shown && left < Number.POSITIVE_INFINITY ? bytesWithPhoto(shown.record) : 0;
      isFull = kept.size >= limit || (kept.size > 0 && left < 0);
      kept.set(key, { position, key, ...(shown && !isFull && { shown }) });
    },
    move(place) {
      kept.set(place.key, place);
    },
    room: () => Math.max(0, limit - kept.size),
    isFull: () => isFull,
    end(position) {
      horizon = position;
    },
    places: () => pageOf([...kept.values()], order, horizon),
  };
}
