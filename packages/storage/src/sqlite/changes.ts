import { type Change, type ChangesPage, type ChangesRequest, StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { type DocumentRow, fromRow, keyFrom } from "./rows.ts";

/** A feed's row with the document's, or with the key of one that left the feed. */
interface FeedRow extends DocumentRow {
  readonly position: number;
  readonly document: number | null;
}

const feedSql = `SELECT f.position, f.document, coalesce(d.collection, f.collection) AS collection, coalesce(d.key, f.key) AS key,
  d.version, d.claims, d.indexed AS entries, d.feeds, d.body
  FROM feeds f LEFT JOIN documents d ON d.id = f.document
  WHERE f.feed = (SELECT id FROM feed_names WHERE feed = ?) AND f.position > ? ORDER BY f.position LIMIT ? + 0`;

/**
 * Reads a page of a feed. Must run in a snapshot.
 * Positions are given out under the write lock, so a reader never passes one that is yet to commit.
 */
export function readChanges(connection: Connection, request: ChangesRequest): ChangesPage {
  const store = connection.row<Newest>("SELECT id, position FROM store") ?? { id: "", position: 0 };
  const after = readCursor(request.cursor, store);
  const rows = connection.rows<FeedRow>(feedSql, toColumn(request.feed), after, request.limit + 1);
  const page = rows.slice(0, request.limit);
  return {
    changes: page.map(toChange),
    next: `${store.id}.${page.at(-1)?.position ?? after}`,
    more: rows.length > page.length,
  };
}

interface Newest {
  readonly id: string;
  readonly position: number;
}

function toChange(row: FeedRow): Change {
  return row.document === null ? { kind: "gone", ...keyFrom(row) } : { kind: "put", document: fromRow(row) };
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
