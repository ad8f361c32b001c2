import {
  type Change,
  type ChangesPage,
  type ChangesRequest,
  type DocumentKey,
  StoreError,
} from "@fieldroll/core";
import type { Database, Parsers, Row } from "./client.ts";
import { keepPositionsRising } from "./cluster.ts";
import { documentFrom, keyFrom } from "./rows.ts";
import { lacksStoreRow } from "./schema.ts";

/** A place in a feed, and the document unless it is gone; or, in one row of all, the store's own state. */
interface FeedRow extends DocumentKey, Row {
  /** Who the store is, the positions of the oldest open transaction and the next one, and whether this is its cluster and line; `null` in the row of a place. */
  readonly state: string | null;
  readonly position: string;
  readonly nth: number;
  readonly gone: boolean;
  readonly version: string;
  readonly indexed: string;
  readonly told: Told | null;
  /** Whether the page has room for it. */
  readonly fits: boolean;
}

/** What a document says besides its index values; `undefined` where that can't be read. */
type Told = readonly [claims: unknown, feeds: unknown, body: unknown] | undefined;

/**
 * `told` is of another type than what else is text, to be recognised here. It is read as each row comes in, while the server
 * makes the next ones.
 */
const parsers: Parsers = {
  varchar: (text): Told => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  },
};

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
  const { feed, limit, bytes = Number.MAX_SAFE_INTEGER } = request;
  const values = [feed, cursor.position, cursor.nth, limit + 1, bytes];
  const until = performance.now() + patience;
  const read = () => database.rows<FeedRow>(feedSql(schema), values, { parsers });
  let asked: number | undefined;
  for (let pause = 1; ; pause = Math.min(2 * pause, 50)) {
    const rows = await onThisLine(database, schema, read);
    const { page, open, end } = pageOf(rows, cursor, limit);
    asked ??= end;
    // What was committed after the reader asked may come with its next page.
    if (open === undefined || open >= asked || performance.now() > until) return page;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/**
 * Reads what feeds tell; again, where the database turns out to be a standby that has taken its server's place since this was opened: it may
 * lack what readers were told, and gives those positions to other changes.
 */
async function onThisLine(
  database: Database,
  schema: string,
  read: () => Promise<readonly FeedRow[]>,
): Promise<readonly FeedRow[]> {
  const rows = await read();
  if (!rows.some(({ state }) => state?.endsWith(" f"))) return rows;
  await database.transaction((transaction) => keepPositionsRising(transaction, schema), { patient: true });
  return read();
}

/** The second part is in order before it is joined, one by one, and stays so; see {@link pageOf} for what nothing promises. */
function feedSql(schema: string): string {
  return `SELECT format('%s %s %s %s', s.id, s.shift + pg_snapshot_xmin(s.now)::text::bigint, s.shift + pg_snapshot_xmax(s.now)::text::bigint,
        s.cluster = ${schema}.cluster()) AS state,
      NULL::bigint AS position, NULL::int AS nth, NULL::boolean AS gone, NULL::text AS collection, NULL::text AS key,
      NULL::bigint AS version, NULL::text AS indexed, NULL::varchar AS told, true AS fits
    FROM (SELECT id, shift, cluster, pg_current_snapshot() AS now FROM ${schema}.store) s
    UNION ALL
    SELECT NULL, p.position, p.nth, p.gone, p.collection, p.key, p.version, p.indexed::text,
      CASE WHEN p.fits THEN ('[' || p.claims::text || ',' || p.feeds::text || ',' || p.body || ']')::varchar END, p.fits
    FROM (
      SELECT f.*, d.version, d.indexed, d.claims, d.feeds, d.body,
        row_number() OVER w = 1 OR coalesce(sum(octet_length(d.body)) OVER w, 0) <= $5::bigint AS fits
      FROM (
        SELECT f.position, f.nth, f.gone, f.collection, f.key FROM ${schema}.feeds f
        WHERE f.feed = ${schema}.short($1::text) AND (f.position, f.nth) > ($2::bigint, $3::int)
        ORDER BY f.position, f.nth LIMIT $4::bigint
      ) f LEFT JOIN ${schema}.documents d ON NOT f.gone AND d.collection = f.collection AND d.key = f.key
      WINDOW w AS (ORDER BY f.position, f.nth)
    ) p`;
}

interface Cursor {
  /** Whose it is; absent at the beginning of a feed. */
  readonly id?: string;
  readonly position: number;
  readonly nth: number;
}

interface Reading {
  readonly page: ChangesPage;
  /** The position of the first change that is there and can't be told yet, where the page has room for it. */
  readonly open: number | undefined;
  /** The position that the next transaction will have. */
  readonly end: number;
}

function pageOf(rows: readonly FeedRow[], cursor: Cursor, limit: number): Reading {
  const [id = "", horizon, end] = rows.find(({ state }) => state !== null)?.state?.split(" ") ?? [];
  if (id === "") throw lacksStoreRow();
  const isOurs = cursor.id === undefined || cursor.id === id;
  if (!isOurs || cursor.position >= Number(end)) throw badCursor();
  const told = rows.filter(({ state }) => state === null).sort(inOrder);
  const first = told.findIndex(({ position }) => Number(position) >= Number(horizon));
  const closed = first < 0 ? told : told.slice(0, first);
  const unfit = closed.findIndex(({ fits }) => !fits);
  const settled = closed.slice(0, unfit < 0 ? limit : Math.min(limit, unfit));
  const last = settled.at(-1) ?? cursor;
  return {
    page: {
      changes: settled.map(toChange),
      next: `${id}.${last.position}.${last.nth}`,
      more: closed.length > settled.length,
      ...(first >= 0 && { held: true }),
    },
    open: first < 0 || first >= limit ? undefined : Number(told[first]?.position),
    end: Number(end),
  };
}

function inOrder(a: FeedRow, b: FeedRow): number {
  return Number(a.position) - Number(b.position) || a.nth - b.nth;
}

function toChange(row: FeedRow): Change {
  if (row.gone) return { kind: "gone", ...keyFrom(row) };
  const [claims, feeds, body] = row.told?.length === 3 ? row.told : [];
  return { kind: "put", document: documentFrom(row, { claims, feeds, body }) };
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
