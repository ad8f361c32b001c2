import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import { viewOf } from "../registry/feed/changes.ts";
import { identifiersOf } from "../registry/record/stored.ts";
import { isPosition, readCursor, writeCursor } from "../registry/search/cursor.ts";
import { limitOf } from "../registry/search/one-parameter.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Page } from "../registry/types.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Position, Query, StoredDocument } from "../store/port.ts";
import { keysByAddress } from "./find-record.ts";
import type { ListRequest } from "./types.ts";

/** A place to go on from, and how many are wanted. */
export interface Paging {
  readonly limit: number;
  readonly after?: Position;
  cursorFor(position: Position): string;
}

/**
 * Reads `limit` and `cursor` of a list; a malformed one is a `bad-request`.
 *
 * @param list names the list: a cursor belongs to it and to what its caller may see
 */
export function pagingOf(caller: Caller, list: string, request: ListRequest): Outcome<Paging> {
  const limit = limitOf(request.limit);
  if (!limit.ok) return limit;
  const belongsTo = `${viewOf(caller)}\nlist\n${list}`;
  const cursorFor = (position: Position) =>
    writeCursor(belongsTo, { value: position.value, key: position.key });
  if (request.cursor === undefined) return success({ limit: limit.value, cursorFor });
  const position = readCursor(belongsTo, request.cursor);
  if (!position.ok) return position;
  if (isPosition(position.value)) return success({ limit: limit.value, cursorFor, after: position.value });
  const message = "is not a cursor of this list";
  const errors = [{ field: "cursor", code: "invalid_cursor", message }];
  return failure({
    kind: "bad-request",
    detail: "The cursor is not one of this list. Start again without it.",
    errors,
  });
}

/** What is to be listed, and how each is shown. */
interface Listing<T> {
  /** Names the list, as of {@link pagingOf}. */
  readonly name: string;
  readonly request: ListRequest;
  readonly query: Pick<Query, "collection" | "where" | "sort">;
  readonly show: (document: StoredDocument) => T;
}

/** One page of the documents that a query finds. */
export async function listDocuments<T>(
  { store }: Pick<Settings, "store">,
  caller: Caller,
  { name, request, query, show }: Listing<T>,
): Promise<Outcome<Page<T>>> {
  const paging = pagingOf(caller, name, request);
  if (!paging.ok) return paging;
  const { limit, after, cursorFor } = paging.value;
  // A cursor that nobody was given may say a value.
  const place = after && !query.sort ? { ...after, value: null } : after;
  const page = await store.query({ ...query, limit, ...(place && { after: place }) });
  return success(pageWith(page.documents.map(show), page.next, cursorFor));
}

/** A page, and the cursor of the place where the next one begins. */
export function pageWith<T>(
  data: readonly T[],
  next: Position | undefined,
  cursorFor: Paging["cursorFor"],
): Page<T> {
  return { data, hasMore: next !== undefined, ...(next && { nextCursor: cursorFor(next) }) };
}

/** One page of a search for records, each shown under its key. */
export async function listRecords<T>(
  settings: Settings,
  type: ResourceType,
  {
    name,
    request: { limit, cursor },
    search,
    show,
  }: {
    /** Names the list: a cursor belongs to it, and a search's cursor is none of its. */
    readonly name: string;
    readonly request: ListRequest;
    readonly search: (page: Readonly<Record<string, string>>) => Promise<Outcome<Page<unknown>>>;
    readonly show: (key: string, record: JsonObject) => T;
  },
): Promise<Outcome<Page<T>>> {
  const belongsTo = `list\n${name}`;
  const inner = cursor === undefined ? success(undefined) : readCursor(belongsTo, cursor);
  if (!inner.ok) return inner;
  const found = await search({
    ...(limit !== undefined && { limit }),
    ...(inner.value !== undefined && { cursor: String(inner.value) }),
  });
  if (!found.ok) return found;
  const { nextCursor: next } = found.value;
  const records = found.value.data as readonly JsonObject[];
  const addresses = records.flatMap((record) => identifiersOf(record)[0] ?? []);
  const keys = await keysByAddress(settings, type, addresses);
  const data = records.flatMap((record, i) => {
    const key = keys[i];
    return key === undefined ? [] : [show(key, record)];
  });
  return success({
    ...found.value,
    data,
    ...(next !== undefined && { nextCursor: writeCursor(belongsTo, next) }),
  });
}
