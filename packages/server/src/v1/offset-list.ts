import { failure, type Outcome, type Page, type Problem, success } from "@fieldroll/core";

/** A part of a list, as version 1 asked for it. */
export interface Part {
  /** 1–500. */
  readonly limit: number;
  /** How many to pass over. */
  readonly offset: number;
  /** Whether the request has read as much as it may. Default: never. */
  readonly isSpent?: (() => boolean) | undefined;
}

type List<T> = (request: { readonly limit: string; readonly cursor?: string }) => Promise<Outcome<Page<T>>>;

/** Reads lists by offset that version 2 reads by cursor. */
export interface OffsetLists {
  /** @param name of whose list it is: a place in it is remembered under it */
  part<T>(name: string, list: List<T>, part: Part): Promise<Outcome<readonly T[]>>;
}

const pageLimit = 500;
const remembered = 1000;

interface Place {
  readonly offset: number;
  readonly cursor?: string;
}

/** What is read from a place on. */
interface Reading<T> {
  readonly data: readonly T[];
  readonly place: Place;
  readonly isEnd: boolean;
}

/**
 * Who reads on where it left off pays for what it reads only: the place after each part is remembered. A place that is too far to be
 * reached within one request is reached in several: each begins where the last one stopped.
 */
export function createOffsetLists(): OffsetLists {
  const places = new Map<string, Place>();
  const remember = (name: string, place: Place) => {
    places.delete(name);
    places.set(name, place);
    const [oldest] = places.keys();
    if (places.size > remembered && oldest !== undefined) places.delete(oldest);
  };
  const from = async <T>(name: string, list: List<T>, start: Place, part: Part) => {
    const { limit, offset, isSpent } = part;
    const skipped = await readOn(list, start, { count: offset - start.offset, isSpent });
    if (!skipped.ok) return skipped;
    const { place, isEnd } = skipped.value;
    remember(name, place);
    if (isEnd) return success([]);
    if (place.offset < offset) return failure(tooFar(place.offset));
    const read = await readOn(list, place, { count: limit, isSpent });
    if (!read.ok) return read;
    const { data } = read.value;
    // A short page of version 1 is its list's end.
    if (data.length < limit && !read.value.isEnd) return failure(tooFar(place.offset));
    remember(name, read.value.place);
    return success(data);
  };
  return {
    async part(name, list, part) {
      const known = places.get(name);
      if (!known || known.offset > part.offset) return from(name, list, { offset: 0 }, part);
      const found = await from(name, list, known, part);
      // What the caller may see has changed since, and with it the list that the place was in.
      const isStale = !found.ok && found.problem.kind === "bad-request";
      return isStale ? from(name, list, { offset: 0 }, part) : found;
    },
  };
}

/** Reads so many records from a place on, page by page: a page may be short or empty while there is more. */
async function readOn<T>(
  list: List<T>,
  start: Place,
  { count, isSpent }: { readonly count: number } & Pick<Part, "isSpent">,
): Promise<Outcome<Reading<T>>> {
  const data: T[] = [];
  let place = start;
  while (data.length < count) {
    const limit = String(Math.min(pageLimit, count - data.length));
    const { cursor } = place;
    const page = await list({ limit, ...(cursor !== undefined && { cursor }) });
    if (!page.ok) return page;
    const { data: more, nextCursor } = page.value;
    data.push(...more);
    if (nextCursor === undefined) return success({ data, place, isEnd: true });
    place = { offset: place.offset + more.length, cursor: nextCursor };
    if (isSpent?.()) break;
  }
  return success({ data, place, isEnd: false });
}

function tooFar(offset: number): Problem {
  return {
    kind: "too-many-requests",
    detail: `The list was read up to its record ${offset}, as far as one request may. Ask again for the same, which goes on from there; or use version 2, whose lists have cursors.`,
    rateLimit: { limit: 0, seconds: 1 },
  };
}
