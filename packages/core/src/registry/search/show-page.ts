import type { Shown } from "../../audit/tell-read.ts";
import { jsonBytes } from "../../json.ts";
import type { Position } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Approach } from "./approach.ts";
import type { KnownPlaces } from "./page.ts";
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
  const keys = places.slice(0, search.limit).flatMap(({ key, shown }) => (shown ? [] : [key]));
  const unread = readAgain(reader, keys);
  const bytesOf = budget.bytesLeft() < Number.POSITIVE_INFINITY ? jsonBytes : () => 0;
  const shown: Shown[] = [];
  let last: Position | undefined;
  for (const place of places.slice(0, search.limit)) {
    const read = place.shown ? { value: place.shown } : await unread.next();
    // Reading again ends by its bytes.
    if (read.done) break;
    const bytes = bytesOf(read.value?.record ?? {});
    if (shown.length > 0 && bytes > budget.bytesLeft()) break;
    budget.spendBytes(bytes);
    shown.push(...(read.value ? [read.value] : []));
    last = place.position;
  }
  const isAll = last === places.at(-1)?.position;
  const next = isAll ? horizon : last;
  return { shown, more: !isAll || horizon !== undefined, walk, ...(next && { next }) };
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
