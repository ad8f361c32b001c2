import { isJsonObject } from "../../json.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Position, Query } from "../../store/port.ts";
import { chunkBytes, documentsOf } from "../every-page.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { activeMembers } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { isSharedSight, type Sight } from "../sight.ts";
import type { Caller } from "../types.ts";
import type { Approach } from "./approach.ts";
import type { Found } from "./target.ts";

/** Some of the records that a search looks at. */
export interface Chunk {
  readonly records: readonly StoredRecord[];
  /** Where the source goes on; absent at its end. */
  readonly next?: Position;
  /** What the caller sees of these records, where the source has found out. */
  readonly sight?: Sight;
  /** Where a record stands in the source's own order, where that is neither an index nor the key. */
  readonly placeOf?: (key: string) => Position;
}

/** Records to look at, chunk by chunk. */
export type Source = AsyncIterable<Chunk>;

/** So many records are looked at at once: no longer than others may be kept waiting. */
export const largestChunk = 200;

/**
 * Everything that a search may find: in its order and from its cursor on, or from the beginning where all of it is looked at.
 *
 * @param since when the caller's walk through the pages began
 */
export async function sourceOf(
  settings: Settings,
  caller: Caller,
  { approach, since }: { readonly approach: Approach; readonly since: string },
): Promise<Source> {
  const { search, where, within, isWhole } = approach;
  const { type, sort, after } = search;
  const size = Math.min(search.limit + 1, largestChunk);
  const start = isWhole || !after ? {} : { after };
  if (within) return byKeys(settings, type, await memberKeys(settings, within.groups, start.after?.key));
  const covered = isSharedSight(caller, type)
    ? undefined
    : settings.governance?.covered(settings, caller, { type, since, size, ...start });
  return (
    covered ??
    queried(settings, { collection: type, where, size, ...(!isWhole && sort && { sort }), ...start })
  );
}

/** Records by key, in the order of the keys. */
async function* byKeys(
  { store }: Settings,
  type: ResourceType,
  keys: readonly string[],
): AsyncGenerator<Chunk> {
  let at = 0;
  for await (const documents of documentsOf(
    store,
    keys.map((key) => recordKey(type, key)),
  )) {
    at += documents.length;
    const key = keys[at - 1];
    const records = documents.flatMap((document) => (document ? [storedRecord(document)] : []));
    yield { records, ...(at < keys.length && key !== undefined && { next: { value: null, key } }) };
  }
}

/** The records that a store finds. Few are enough for most pages; where they are not, larger chunks cost less. */
export async function* queried(
  { store, budget }: Pick<Settings, "store" | "budget">,
  { size: first = largestChunk, ...query }: Omit<Query, "limit"> & { readonly size?: number },
): AsyncGenerator<Chunk> {
  let after = query.after;
  let size = first;
  do {
    const limit = Math.max(1, Math.min(size, budget.recordsLeft()));
    const page = await store.query({ ...query, limit, bytes: chunkBytes, ...(after && { after }) });
    after = page.next;
    yield { records: page.documents.map(storedRecord), ...(after && { next: after }) };
    size = Math.min(2 * size, largestChunk);
  } while (after);
}

/** Keys after one, in order, of the persons who are members of any of these groups today. */
async function memberKeys(
  { store, today }: Settings,
  groups: readonly Found[],
  after = "",
): Promise<readonly string[]> {
  const members = groups.flatMap(({ stored }) =>
    (stored ? activeMembers(stored.record, today()) : []).map(({ entity }) => {
      const reference = isJsonObject(entity) ? String(entity.reference) : "";
      return { reference, key: stored?.links[reference] };
    }),
  );
  const linked = members.flatMap(({ key }) => key ?? []);
  const unlinked = members.flatMap(({ key, reference }) => (key === undefined ? [reference] : []));
  const found = unlinked.length > 0 ? await store.resolve(unlinked) : [];
  const keys = new Set([...linked, ...found.flatMap((holder) => holder?.key ?? [])]);
  return [...keys].filter((key) => key > after).sort();
}
