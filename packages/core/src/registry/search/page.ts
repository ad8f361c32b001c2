import { comparePositions, sortValue } from "../../store/match.ts";
import type { Position } from "../../store/port.ts";
import type { Candidate } from "./candidate.ts";
import type { PlannedSearch } from "./search.ts";
import { largestChunk } from "./sources.ts";

/** A record and where it stands in the search's order. */
export interface Placed {
  readonly position: Position;
  readonly candidate: Candidate;
}

/** A page that is being filled. */
export interface FillingPage {
  /** Adds a record at its present place. */
  add(candidate: Candidate): void;
  /** Adds a record at another place, once; it may have been added at the place that it had while others were read. */
  move(placed: Placed): void;
  isFull(): boolean;
  /** Says that records beyond the last one were not read: what is moved beyond it waits for a later page. */
  end(): void;
  finish(): { readonly found: readonly Candidate[]; readonly next?: Position; readonly total?: number };
}

/** Of the records found, in whatever order they come, keeps those of the page after the cursor. */
export function createPage({
  sort,
  after,
  limit,
  total,
}: Pick<PlannedSearch, "sort" | "after" | "limit" | "total">): FillingPage {
  const descending = sort?.descending ?? false;
  let kept: Placed[] = [];
  let count = 0;
  let horizon: Position | undefined;
  const keep = (placed: Placed): void => {
    if (after && comparePositions(placed.position, after, descending) <= 0) return;
    kept.push(placed);
    if (kept.length > 4 * largestChunk) trim();
  };
  const trim = () => {
    kept.sort((a, b) => comparePositions(a.position, b.position, descending));
    kept = kept.slice(0, limit + 1);
  };
  return {
    add(candidate) {
      count++;
      const { entries, stored } = candidate;
      keep({ position: { value: sortValue(entries, sort?.index), key: stored.key }, candidate });
    },
    move(placed) {
      const { key } = placed.candidate.stored;
      kept = kept.filter(({ candidate }) => candidate.stored.key !== key);
      count++;
      keep(placed);
    },
    isFull: () => kept.length > limit,
    end() {
      horizon = kept.at(-1)?.position;
    },
    finish() {
      trim();
      const last = horizon;
      if (last) kept = kept.filter(({ position }) => comparePositions(position, last, descending) <= 0);
      const page = kept.slice(0, limit);
      const next = kept.length > limit ? page.at(-1)?.position : horizon;
      return {
        found: page.map(({ candidate }) => candidate),
        ...(next && { next }),
        ...(total && { total: count }),
      };
    },
  };
}
