import type { DocumentKey } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { keyAsText, textFrom } from "./damaged.ts";
import { pendingFeeds } from "./pending-feeds.ts";
import { type Scan, type Scanned, wrongType } from "./scan.ts";
import { listIn, type Told } from "./verify-rows.ts";

interface FeedRow extends Scanned {
  readonly feed: string;
  readonly digits: string;
  readonly position: number;
  readonly name: unknown;
  readonly told: number | null;
  readonly collection: string | null;
  readonly key: string | null;
  readonly placed: number | null;
  readonly declared: string | null;
  readonly departed: number | null;
  readonly newest: number;
  /** Whether a place that waits says that it follows this one. */
  readonly followed: number;
}

const feedColumns = {
  feed: "integer",
  position: "integer",
  told: "integer or null",
  collection: "text or null",
  key: "text or null",
} as const;

/** Every place in a feed is the newest one of a document that declares the feed, or of one that left it, or one is waiting that follows it. */
export const feedScan: Scan<FeedRow> = {
  table: "feeds",
  start: [Number.NEGATIVE_INFINITY, 0],
  read: (connection, after) =>
    connection.rows<FeedRow>(
      `${selected("feeds")} WHERE (f.feed, f.position) > (?, ?) ORDER BY f.feed, f.position LIMIT 1000`,
      ...after,
    ),
  placeOf: ({ feed, digits }) => [feed, digits],
  counts: isCurrent,
  check: checkPlace,
};

/** The same of those that wait; and what such a place follows is none that a feed still tells. */
export const pendingFeedScan: Scan<FeedRow & { readonly was: number }> = {
  table: pendingFeeds,
  start: [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY],
  read: (connection, after) =>
    connection.rows<FeedRow & { was: number }>(
      `${selected(pendingFeeds)} WHERE (f.position, f.feed) > (?, ?) ORDER BY f.position, f.feed LIMIT 1000`,
      ...after,
    ),
  placeOf: ({ feed, digits }) => [digits, feed],
  counts: isCurrent,
  check(row, connection, tell) {
    checkPlace(row, connection, tell);
    const wrong = (fault: string, at?: DocumentKey) =>
      tell({
        about: "feed",
        ...(at && { at }),
        message: `${feedOf(row)}: position ${row.position} ${fault}`,
      });
    if (row.was >= row.position)
      wrong(`is said to follow position ${row.was}, which does not come before it`);
    const follows = currentAt(connection, row);
    if (follows)
      wrong(`is said to follow position ${row.was}, which tells another document`, keyAsText(follows));
    const sql = "SELECT 1 FROM feeds WHERE feed = CAST(? AS INTEGER) AND position >= ?";
    if (connection.row(sql, row.feed, row.position)) wrong("waits, although a later one was moved");
  },
};

const isFollowed = `(f.feed, f.position) IN (SELECT feed, was FROM ${pendingFeeds})`;

/** @param followed reads all that wait, once for all rows */
function selected(table: "feeds" | typeof pendingFeeds, followed: string = isFollowed): string {
  const columns = table === "feeds" ? feedColumns : { ...feedColumns, was: "integer" as const };
  return `SELECT CAST(f.feed AS TEXT) AS feed, CAST(f.position AS TEXT) AS digits, f.position, n.feed AS name, f.told,
       coalesce(f.collection, d.collection) AS collection, coalesce(f.key, d.key) AS key, d.position AS placed, d.feeds AS declared,
       x.position AS departed, (SELECT position FROM store) AS newest,
       ${followed} AS followed, ${table === "feeds" ? "" : "f.was, "}${wrongType("f", columns)}
     FROM ${table} f LEFT JOIN feed_names n ON n.id = f.feed
     LEFT JOIN documents d ON d.id = f.told
     LEFT JOIN departures x ON x.feed = f.feed AND x.collection = f.collection AND x.key = f.key`;
}

/** Whether the document's own row says that its feeds tell it here, or that it left the feed here. */
function isCurrent({ told, departed, placed, position }: FeedRow): boolean {
  return (told === null ? departed : placed) === position;
}

function checkPlace(row: FeedRow, _: Connection, tell: Parameters<Scan<FeedRow>["check"]>[2]): void {
  const fault = faultOfPlace(row);
  // One that is followed does not count any more.
  if (fault === undefined || (row.followed === 1 && !isCurrent(row) && row.position >= 1)) return;
  const { collection, key, position } = row;
  const at = collection !== null && key !== null ? { at: keyAsText({ collection, key }) } : {};
  tell({ about: "feed", ...at, message: `${feedOf(row)}: position ${position} ${fault}` });
}

function feedOf({ name, feed }: FeedRow): string {
  return name === null ? `the feed numbered ${feed}` : `the feed ${textFrom(name)}`;
}

function faultOfPlace(row: FeedRow): string | undefined {
  if (row.name === null) return "is of a feed without a name";
  if (typeof row.name !== "string") return "is of a feed whose name is no text";
  if (row.position > row.newest) return `is beyond the newest one, ${row.newest}`;
  if (row.told === null) {
    return isCurrent(row) ? undefined : "tells a document that left, which did not leave then";
  }
  if (row.declared === null) return "tells a document that is not there";
  if (!listIn(row.declared).includes(fromColumn(row.name)))
    return "tells a document that does not declare the feed";
  return isCurrent(row) ? undefined : "tells a document whose newest change is elsewhere";
}

/** The key of what the feed tells at the position that this one follows, where that still counts. */
function currentAt(connection: Connection, { feed, was }: FeedRow & { readonly was: number }) {
  for (const table of ["feeds", pendingFeeds] as const) {
    const sql = `${selected(table, "0")} WHERE f.feed = CAST(? AS INTEGER) AND f.position = ?`;
    const row = was > 0 ? connection.row<FeedRow>(sql, feed, was) : undefined;
    if (row && isCurrent(row)) return { collection: row.collection ?? "", key: row.key ?? "" };
  }
  return undefined;
}

interface DepartureRow extends Told {
  readonly feed: string;
  readonly position: number;
  readonly name: string | null;
  readonly told: number;
  readonly declared: string | null;
}

/** Every departure is told in its feed, and the document has not come back. */
export const departureScan: Scan<DepartureRow> = {
  table: "departures",
  start: ["", "", Number.NEGATIVE_INFINITY],
  read: (connection, after) =>
    connection.rows<DepartureRow>(
      `SELECT CAST(x.feed AS TEXT) AS feed, x.collection, x.key, x.position, n.feed AS name, d.feeds AS declared,
         EXISTS (SELECT 1 FROM feeds f WHERE f.feed = x.feed AND f.position = x.position AND f.told IS NULL
           AND f.collection = x.collection AND f.key = x.key)
         OR EXISTS (SELECT 1 FROM pending_feeds f WHERE f.feed = x.feed AND f.position = x.position AND f.told IS NULL
           AND f.collection = x.collection AND f.key = x.key) AS told,
         ${wrongType("x", { collection: "text", key: "text", feed: "integer", position: "integer" })}
       FROM departures x LEFT JOIN feed_names n ON n.id = x.feed
       LEFT JOIN documents d ON d.collection = x.collection AND d.key = x.key
       WHERE (x.collection, x.key, x.feed) > (?, ?, ?) ORDER BY x.collection, x.key, x.feed LIMIT 1000`,
      ...after,
    ),
  placeOf: ({ feed, collection, key }) => [collection, key, feed],
  check(row, _, tell) {
    const name = textFrom(row.name ?? "");
    const fault = (message: string) =>
      tell({ about: "feed", at: keyAsText(row), message: `the feed ${name}: ${message}` });
    if (row.told === 0) fault("a document left, which the feed does not tell");
    if (row.declared !== null && listIn(row.declared).includes(name)) {
      fault("a document left that declares the feed");
    }
  },
};
