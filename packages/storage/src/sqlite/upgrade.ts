import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";

/**
 * Schema 4: what a commit writes lies on fewer pages.
 *
 * - `indexes` and `feed_names` number the indexes and feeds: rows of `entries` and `feeds` carry a number instead of names.
 * - `entries` is kept in one order only, and names the document's row. What one document has in an index is asked of its own
 *   row: `indexed` is JSON as columns have text. `several` says that some document may have several values in the index.
 * - `feeds` has one row for each feed and document, by position only. A document's row says at which position its feeds tell
 *   it; `departures` says where the feeds that it left do.
 */
const tables = `
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    idx TEXT NOT NULL,
    several INTEGER NOT NULL,
    UNIQUE (collection, idx)
  );
  CREATE TABLE feed_names (
    id INTEGER PRIMARY KEY,
    feed TEXT NOT NULL UNIQUE
  );
  CREATE TABLE documents_4 (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    position INTEGER NOT NULL,
    claims TEXT NOT NULL,
    indexed TEXT NOT NULL,
    feeds TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (collection, key)
  );
  CREATE TABLE entries_4 (
    idx INTEGER NOT NULL,
    value TEXT NOT NULL,
    key TEXT NOT NULL,
    first INTEGER NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (idx, value, key)
  ) WITHOUT ROWID;
  CREATE TABLE feeds_4 (
    feed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    document INTEGER,
    collection TEXT,
    key TEXT,
    PRIMARY KEY (feed, position)
  ) WITHOUT ROWID;
  CREATE TABLE departures (
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    feed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (collection, key, feed)
  ) WITHOUT ROWID;`;

const contents = `
  INSERT INTO indexes (collection, idx, several) SELECT e.collection, e.idx, EXISTS (
      SELECT 1 FROM entries f INDEXED BY entries_further WHERE f.collection = e.collection AND f.idx = e.idx AND f.first = 0
    ) FROM (SELECT DISTINCT collection, idx FROM entries ORDER BY collection, idx) e;
  INSERT INTO feed_names (feed) SELECT DISTINCT feed FROM feeds ORDER BY feed;
  CREATE INDEX feeds_of_document ON feeds (collection, key, position) WHERE gone = 0;
  INSERT INTO documents_4 (id, collection, key, version, position, claims, indexed, feeds, body)
    SELECT d.id, d.collection, d.key, d.version, coalesce((SELECT max(f.position) FROM feeds f
        WHERE f.collection = d.collection AND f.key = d.key AND f.gone = 0), 0), d.claims, d.indexed, d.feeds, d.body
    FROM documents d ORDER BY d.id;
  INSERT INTO entries_4 (idx, value, key, first, document)
    SELECT i.id, e.value, e.key, e.first, d.id FROM indexes i
    CROSS JOIN entries e NOT INDEXED ON e.collection = i.collection AND e.idx = i.idx
    CROSS JOIN documents d ON d.collection = e.collection AND d.key = e.key;
  INSERT INTO feeds_4 (feed, position, document, collection, key)
    SELECT n.id, f.position, d.id, iif(d.id IS NULL, f.collection, NULL), iif(d.id IS NULL, f.key, NULL) FROM feed_names n
    CROSS JOIN feeds f INDEXED BY feeds_in_order ON f.feed = n.feed
    LEFT JOIN documents d ON f.gone = 0 AND d.collection = f.collection AND d.key = f.key;
  INSERT INTO departures (collection, key, feed, position)
    SELECT f.collection, f.key, n.id, f.position FROM feed_names n CROSS JOIN feeds f NOT INDEXED ON f.feed = n.feed
    WHERE f.gone = 1;
  DROP TABLE entries;
  DROP TABLE feeds;
  DROP TABLE documents;
  ALTER TABLE entries_4 RENAME TO entries;
  ALTER TABLE feeds_4 RENAME TO feeds;
  ALTER TABLE documents_4 RENAME TO documents;`;

/** Brings a database from schema 3 to 4. Must run in one transaction. */
export function toSchema4(connection: Connection): void {
  connection.script(tables);
  connection.script(contents);
  moveText(connection);
}

const atOnce = 1000;

/** Few documents have text that stands otherwise in a column. */
function moveText(connection: Connection): void {
  let after = 0;
  for (;;) {
    const rows = connection.rows<{ id: number; indexed: string }>(
      `SELECT id, indexed FROM documents WHERE id > ? AND indexed GLOB '*[^' || char(32) || '-' || char(55295) || ']*'
       ORDER BY id LIMIT ? + 0`,
      ...[after, atOnce],
    );
    for (const { id, indexed } of rows) {
      connection.run("UPDATE documents SET indexed = ? WHERE id = ?", toColumn(indexed), id);
    }
    after = rows.at(-1)?.id ?? 0;
    if (rows.length < atOnce) return;
  }
}
