import type { Shown } from "../../audit/tell-read.ts";
import { jsonBytes } from "../../json.ts";
import type { Position } from "../../store/port.ts";
import { bytesWithPhoto } from "../record/stored-photo.ts";
import type { Settings } from "../settings.ts";
import type { Approach } from "./approach.ts";
import type { KnownPlaces, Place } from "./page.ts";
import type { Reader } from "./reader.ts";
import type { Walk } from "./walk.ts";

/** A page of a search. */
export interface FoundPage {
  readonly shown: readonly Shown[];
  readonly more: boolean;
  /** Where the next page begins; at the beginning without one. */
  readonly next?: Position;
  /** To be written into the next page's cursor. */
  readonly walk?: Walk;
  readonly total?: number;
}

interface Showing {
  readonly settings: Pick<Settings, "budget">;
  readonly approach: Approach;
  readonly reader: Reader;
}

/** Shows the first of the records found, as far as number and bytes go; those that have yet to be read are read. */
export async function showPage(
  { places, horizon }: KnownPlaces,
  { settings: { budget }, approach: { search }, reader }: Showing,
  walk: Walk,
): Promise<FoundPage> {
  const bytesOf = budget.bytesLeft() < Number.POSITIVE_INFINITY ? bytesWithPhoto : () => 0;
  const shown: Shown[] = [];
  let last: Position | undefined;
  for await (const { position, shown: one } of eachShown(places.slice(0, search.limit), reader)) {
    const bytes = bytesOf(one?.record ?? {});
    if (shown.length > 0 && bytes > budget.bytesLeft()) break;
    budget.spendBytes(bytes);
    if (one) shown.push(one);
    last = position;
  }
  const isAll = last === places.at(-1)?.position;
  const next = isAll ? horizon : (last ?? search.after);
  return { shown, more: !isAll || horizon !== undefined, walk, ...(next && { next }) };
}

/** Places in order, each with its record; without one where it is no longer found. It may end early, as reading again does. */
async function* eachShown(places: readonly Place[], reader: Reader): AsyncGenerator<Place> {
  const unread = readAgain(
    reader,
    places.flatMap(({ key, shown }) => (shown ? [] : [key])),
  );
  for (const place of places) {
    const read = place.shown ? { value: place.shown } : await unread.next();
    if (read.done) return;
    yield { ...place, ...(read.value && { shown: read.value }) };
  }
}

/** So many bytes are read to show a page of records that were looked at before. */
const mostRead = 64 * 1024 * 1024;

/** Shows records that were found, one for each key; `undefined` for one that is no longer found. */
async function* readAgain(
  reader: Reader,
  keys: readonly string[],
): AsyncGenerator<Shown | undefined, undefined> {
  let bytes = 0;
  for await (const { keys: asked, records } of reader.again(keys)) {
    const shown = await reader.show(await reader.look(records));
    const byKey = new Map(shown.map((one) => [one.key, one]));
    for (const { record } of records) bytes += jsonBytes(record);
    yield* asked.map((key) => byKey.get(key));
    if (bytes > mostRead) return;
  }
}
