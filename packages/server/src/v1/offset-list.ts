import { failure, type Outcome, type Page, success } from "@fieldroll/core";

/** A part of a list, as version 1 asked for it. */
export interface Part {
  /** 1–500. */
  readonly limit: number;
  /** How many to pass over. */
  readonly offset: number;
}

type List<T> = (request: { readonly limit: string; readonly cursor?: string }) => Promise<Outcome<Page<T>>>;

/** Reads lists by offset that version 2 reads by cursor. */
export interface OffsetLists {
  /** @param name of whose list it is: a place in it is remembered under it */
  part<T>(name: string, list: List<T>, part: Part): Promise<Outcome<readonly T[]>>;
}

const pageLimit = 500;
/** Passing over costs as much as reading; more than this is for version 2. */
const farthest = 100_000;
const remembered = 1000;

interface Place {
  readonly offset: number;
  readonly cursor?: string;
}

/** Who reads on where it left off pays for what it reads only: the place after each part is remembered. */
export function createOffsetLists(): OffsetLists {
  const places = new Map<string, Place>();
  const remember = (name: string, place: Place) => {
    places.delete(name);
    places.set(name, place);
    const [oldest] = places.keys();
    if (places.size > remembered && oldest !== undefined) places.delete(oldest);
  };
  return {
    async part(name, list, { limit, offset }) {
      const known = places.get(name);
      const begun = known && known.offset <= offset;
      const first = await read(list, begun ? known : { offset: 0 }, { limit, offset });
      // What the caller may see has changed since, and with it the list that the place was in.
      const stale = begun && !first.ok && first.problem.kind === "bad-request";
      const found = stale ? await read(list, { offset: 0 }, { limit, offset }) : first;
      if (!found.ok) return found;
      const { data, nextCursor } = found.value;
      if (nextCursor !== undefined) remember(name, { offset: offset + data.length, cursor: nextCursor });
      return success(data);
    },
  };
}

async function read<T>(list: List<T>, start: Place, { limit, offset }: Part): Promise<Outcome<Page<T>>> {
  const skipped = await passOver(list, start, offset);
  if (!skipped.ok) return skipped;
  if (skipped.value === "the end") return success({ data: [], hasMore: false });
  return list({ limit: String(limit), ...cursorOf(skipped.value) });
}

async function passOver<T>(list: List<T>, start: Place, offset: number): Promise<Outcome<Place | "the end">> {
  if (offset - start.offset > farthest) {
    const message = `must be at most ${farthest}; read on from there, or use version 2, whose lists have cursors`;
    return failure({ kind: "bad-request", detail: `offset ${message}.` });
  }
  let place = start;
  while (place.offset < offset) {
    const limit = Math.min(pageLimit, offset - place.offset);
    const page = await list({ limit: String(limit), ...cursorOf(place) });
    if (!page.ok) return page;
    const { data, nextCursor: cursor } = page.value;
    if (cursor === undefined || data.length === 0) return success("the end");
    place = { offset: place.offset + data.length, cursor };
  }
  return success(place);
}

function cursorOf({ cursor }: Place) {
  return cursor === undefined ? {} : { cursor };
}
