import { type Change, type ChangesPage, type ChangesRequest, fitting, StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { lacksStoreRow } from "./damaged.ts";
import { formerPositions, pendingFeeds } from "./pending-feeds.ts";
import { type DocumentRow, fromRow, keyFrom } from "./rows.ts";

/** A feed's row with the document's, or with the key of one that left the feed. */
interface FeedRow extends DocumentRow {
  /** The length of the body, where the page ends by bytes: then `body` is read once it is known to be in the page. */
  readonly size: number | null;
  readonly position: number;
  readonly told: number | null;
  /** Whether the document's newest change is at this position, as far as its row tells. */
  readonly newest: number | null;
}

const feedSql = (table: "feeds" | typeof pendingFeeds, body: string) =>
  `SELECT f.position, f.told, d.position = f.position AS newest,
  coalesce(d.collection, f.collection) AS collection, coalesce(d.key, f.key) AS key,
  d.version, d.claims, d.indexed AS entries, d.feeds, ${body}
  FROM ${table} f LEFT JOIN documents d ON d.id = f.told
  WHERE f.feed = ? AND f.position > ? ORDER BY f.position LIMIT ? + 0`;

/** What a copy has instead of an identity. It may be put in place more than once, and draws one each time: when a feed of it is first read. */
export const unnamedCopy = "copy";

/**
 * Reads a page of a feed. Must run in a snapshot.
 * Positions are given out under the write lock, so a reader never passes one that is yet to commit.
 *
 * @returns `undefined` for a copy that has yet to draw its identity
 */
export function readChanges(connection: Connection, request: ChangesRequest): ChangesPage | undefined {
  const store = connection.row<Newest>("SELECT id, position FROM store");
  if (!store) throw lacksStoreRow();
  if (store.id === unnamedCopy) return undefined;
  const after = readCursor(request.cursor, store);
  const rows = placesAfter(connection, request, after);
  const first = rows.slice(0, request.limit);
  const sizes = first.map(({ size }) => size ?? 0);
  const page = first.slice(0, fitting(sizes, request.bytes));
  return {
    changes: page.map((row) => toChange(connection, row)),
    next: `${store.id}.${page.at(-1)?.position ?? after}`,
    more: rows.length > page.length,
  };
}

/** The next places of a feed, one more than the page has, where there are so many. */
function placesAfter(
  connection: Connection,
  { feed: name, limit, bytes }: ChangesRequest,
  after: number,
): readonly FeedRow[] {
  const sql = "SELECT id FROM feed_names WHERE feed = ?";
  const feed = connection.row<{ id: number }>(sql, toColumn(name))?.id;
  if (feed === undefined) return [];
  let former: ReadonlySet<number> | undefined;
  const found: FeedRow[] = [];
  const body = bytes === undefined ? "d.body, NULL AS size" : "NULL AS body, octet_length(d.body) AS size";
  for (const row of rowsAfter(connection, { feed, after, body, atOnce: limit + 1 })) {
    if (row.newest !== 1) former ??= formerPositions(connection, feed);
    if (row.newest !== 1 && former?.has(row.position)) continue;
    found.push(row);
    if (found.length > limit) break;
  }
  return found;
}

/** All that is kept of a feed's places, in order. */
function* rowsAfter(
  connection: Connection,
  {
    feed,
    after,
    body,
    atOnce,
  }: { readonly feed: number; readonly after: number; readonly body: string; readonly atOnce: number },
): Generator<FeedRow> {
  for (const table of ["feeds", pendingFeeds] as const) {
    for (let from: number | undefined = after; from !== undefined; ) {
      const rows: readonly FeedRow[] = connection.rows<FeedRow>(feedSql(table, body), feed, from, atOnce);
      yield* rows;
      from = rows.length < atOnce ? undefined : rows.at(-1)?.position;
    }
  }
}

interface Newest {
  readonly id: string;
  readonly position: number;
}

function toChange(connection: Connection, row: FeedRow): Change {
  if (row.told === null) return { kind: "gone", ...keyFrom(row) };
  const body = "SELECT body FROM documents WHERE id = ?";
  const read = row.size === null ? row : { ...row, ...connection.row<{ body: string }>(body, row.told) };
  return { kind: "put", document: fromRow(read) };
}

/** A position beyond the newest one is of a later state of this store: it was restored from a backup since. */
function readCursor(cursor: string | undefined, { id, position }: Newest): number {
  if (cursor === undefined) return 0;
  const digits = cursor.startsWith(`${id}.`) ? cursor.slice(id.length + 1) : "";
  const read = /^(?:0|[1-9]\d{0,15})$/.test(digits) ? Number(digits) : Number.NaN;
  if (read <= position) return read;
  throw new StoreError(
    "bad-cursor",
    "The cursor is not one of this store's: another store gave it, or this one was restored from a backup. " +
      "Read the feed from the beginning.",
  );
}
