import { isJsonObject, type Json, type JsonObject, type ResourceType } from "@fieldroll/core";

/**
 * How far a server without a change feed was read, type by type. Every instant is one that the server wrote, in milliseconds:
 * this device's clock has no say in it.
 */
interface PlainPosition {
  /** The latest instant that any answer named. */
  readonly seen: number | null;
  /** Which of the types is being read. */
  readonly turn: number;
  /** Per type, the instant from which on it is read next; absent for all of it. */
  readonly since: Readonly<Record<string, number>>;
  /** What `seen` was when the reading of this type began. */
  readonly mark: number | null;
  /** The server's cursor within this type. */
  readonly page: string | null;
}

/** One request of a plain pull. */
export interface PlainTurn {
  readonly type: ResourceType;
  /** UTC instant; `null` for everything. */
  readonly since: string | null;
  /** The server's cursor. */
  readonly page: string | null;
}

/** What an answer to it told. */
export interface PlainAnswer {
  readonly records: readonly JsonObject[];
  /** The server's next cursor; `null` where it says that there is no more. */
  readonly next: string | null;
}

/**
 * How much is read again each time, in milliseconds. A change is stamped before it can be seen: by this much, and by how
 * far the clocks of a server's machines are apart.
 */
const overlap = 5 * 60_000;

const unread: PlainPosition = { seen: null, turn: 0, since: {}, mark: null, page: null };

/** What to ask for next. */
export function plainTurn(cursor: string | null, types: readonly ResourceType[]): PlainTurn | undefined {
  const { turn, since, page } = positionIn(cursor);
  const type = types[turn];
  if (!type) return undefined;
  const from = since[type];
  return { type, since: from === undefined ? null : new Date(from).toISOString(), page };
}

/**
 * The cursor after an answer, and whether the pull has more to ask for. The next pull begins where this one *began*: what
 * changes behind the reader, while it goes on, is later than anything that was seen by then, in whatever order records come.
 */
export function plainNext(
  cursor: string | null,
  types: readonly ResourceType[],
  { records, next }: PlainAnswer,
): { readonly cursor: string; readonly more: boolean } {
  const position = positionIn(cursor);
  const seen = latest(position.seen, records);
  const mark = position.page === null ? seen : position.mark;
  if (next !== null) return { cursor: JSON.stringify({ ...position, seen, mark, page: next }), more: true };
  const type = types[position.turn] ?? "";
  const since = mark === null ? position.since : { ...position.since, [type]: mark - overlap };
  const more = position.turn + 1 < types.length;
  const turn = more ? position.turn + 1 : 0;
  return { cursor: JSON.stringify({ seen, turn, since, mark: null, page: null }), more };
}

/** From the beginning again, with what is known of the server's time; `null` for a cursor of a change feed. */
export function plainAnew(cursor: string | null): string | null {
  const { seen } = positionIn(cursor);
  return seen === null ? null : JSON.stringify({ ...unread, seen });
}

function latest(seen: number | null, records: readonly JsonObject[]): number | null {
  const stamps = records.map(stampOf).filter((stamp) => stamp > 0);
  return stamps.reduce<number | null>((last, stamp) => Math.max(last ?? stamp, stamp), seen);
}

/** When a copy was last changed, in milliseconds of the server's clock; 0 where that is not told. */
export function stampOf(record: JsonObject | null): number {
  const meta = record?.meta;
  return (isJsonObject(meta) && Date.parse(String(meta.lastUpdated))) || 0;
}

/** Whether it is one of these: to a change feed it means nothing. */
export function isPlainCursor(cursor: string | null): cursor is string {
  return cursor?.startsWith("{") === true;
}

/** Cursors come back from this device's store: one that is none of these reads from the beginning. */
function positionIn(cursor: string | null): PlainPosition {
  if (!isPlainCursor(cursor)) return unread;
  return { ...unread, ...(JSON.parse(cursor) as { readonly [member: string]: Json } & PlainPosition) };
}
