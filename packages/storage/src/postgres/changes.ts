import { type Change, type ChangesPage, type ChangesRequest, StoreError } from "@fieldroll/core";
import type { Database } from "./client.ts";
import { type DocumentRow, documentColumns, fromRow, keyFrom } from "./rows.ts";

/** A place in a feed, with the store's own state, and the document unless it is gone. Without a place, the state alone. */
interface FeedRow extends DocumentRow {
  readonly id: string;
  readonly horizon: string;
  readonly end: string;
  readonly position: string | null;
  readonly nth: number;
  readonly gone: boolean;
}

/** How long a reader waits for transactions that are open before what it could read, in milliseconds. */
const patience = 1000;

/**
 * Reads a page of a feed.
 *
 * A change's position is the number of its transaction. Numbers are given out as transactions begin to write, and not as they
 * commit: so a change may still come before one that is there already. Nothing is told from the oldest transaction on that
 * was open when the statement began (`pg_snapshot_xmin`): what lies before it is settled. Commits take milliseconds, so a
 * reader that meets an open one waits for it a little, and sees what was committed before it asked; behind a transaction
 * that stays open, it answers with what is settled, and the rest comes later.
 */
export async function readChanges(
  database: Database,
  schema: string,
  request: ChangesRequest,
): Promise<ChangesPage> {
  const cursor = readCursor(request.cursor);
  const values = [request.feed, cursor.position, cursor.nth, request.limit + 1];
  const until = performance.now() + patience;
  let asked: number | undefined;
  for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
    const rows = await database.rows<FeedRow>(feedSql(schema), values);
    const { page, open } = pageOf(rows, cursor, request.limit);
    asked ??= Number(rows[0]?.end);
    // What was committed after the reader asked may come with its next page.
    if (open === undefined || open >= asked || performance.now() > until) return page;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

function feedSql(schema: string): string {
  return `SELECT s.id, (s.shift + pg_snapshot_xmin(s.now)::text::bigint) AS horizon, (s.shift + pg_snapshot_xmax(s.now)::text::bigint) AS end,
      f.position, f.nth, f.gone, coalesce(d.collection, f.collection) AS collection, coalesce(d.key, f.key) AS key,
      d.version, d.claims, d.indexed, d.feeds, d.body
    FROM (SELECT id, shift, pg_current_snapshot() AS now FROM ${schema}.store) s
    LEFT JOIN LATERAL (
      SELECT * FROM ${schema}.feeds f WHERE f.feed = ${schema}.short($1::text) AND (f.position, f.nth) > ($2::bigint, $3::int)
      ORDER BY f.position, f.nth LIMIT $4::bigint
    ) f ON true
    LEFT JOIN LATERAL (
      SELECT ${documentColumns} FROM ${schema}.documents d WHERE NOT f.gone AND d.collection = f.collection AND d.key = f.key
    ) d ON true
    ORDER BY f.position, f.nth`;
}

interface Cursor {
  /** Whose it is; absent at the beginning of a feed. */
  readonly id?: string;
  readonly position: number;
  readonly nth: number;
}

function pageOf(
  rows: readonly FeedRow[],
  cursor: Cursor,
  limit: number,
): { readonly page: ChangesPage; readonly open: number | undefined } {
  const [state] = rows;
  if (!state) throw new StoreError("corrupt", "The database lacks the row that says which store it is.");
  const isOurs = cursor.id === undefined || cursor.id === state.id;
  if (!isOurs || cursor.position >= Number(state.end)) throw badCursor();
  const told = rows.filter(({ position }) => position !== null);
  const first = told.findIndex(({ position }) => Number(position) >= Number(state.horizon));
  const settled = (first < 0 ? told : told.slice(0, first)).slice(0, limit);
  const last = settled.at(-1) ?? cursor;
  return {
    page: {
      changes: settled.map(toChange),
      next: `${state.id}.${last.position}.${last.nth}`,
      more: first < 0 ? told.length > limit : first > limit,
    },
    // The position of the first change that is there and can't be told yet, where the page has room for it.
    open: first < 0 || first >= limit ? undefined : Number(told[first]?.position),
  };
}

function toChange(row: FeedRow): Change {
  return row.gone ? { kind: "gone", ...keyFrom(row) } : { kind: "put", document: fromRow(row) };
}

function readCursor(cursor: string | undefined): Cursor {
  if (cursor === undefined) return { position: 0, nth: 0 };
  const [, id = "", position, nth] =
    /^([0-9a-f]{32})\.(0|[1-9]\d{0,15})\.(0|[1-9]\d{0,8})$/.exec(cursor) ?? [];
  if (id === "") throw badCursor();
  return { id, position: Number(position), nth: Number(nth) };
}

function badCursor(): StoreError {
  return new StoreError(
    "bad-cursor",
    "The cursor is not one of this store's: another store gave it, or this one was restored from a backup. " +
      "Read the feed from the beginning.",
  );
}
