/** The part of the commit's function that tells feeds: see `commit-function.ts` for its variables. */

/** That a document leaves its feeds is told to their readers, so it must not be lost, whatever the commit asks for. */
export const waitForFeeds = `
  IF drops_feeds AND NOT strict THEN
    PERFORM set_config('synchronous_commit', CASE usual WHEN 'off' THEN 'on' ELSE usual END, true);
  END IF;`;

/**
 * The transaction's own number is the position. Numbers are given out without a lock, and not in the order of commits: a
 * reader stops before the oldest transaction that is still open, see `changes.ts`. What no feed tells has none.
 */
export function findPosition(schema: string): string {
  const find = `SELECT s.shift + pg_current_xact_id()::text::bigint, s.cluster = ${schema}.cluster() INTO now_at, is_here
    FROM ${schema}.store s WHERE s.sole`;
  return `
  IF drops_feeds OR cardinality(feed_puts) > 0 THEN
    ${find};
    -- The database came to another server since: its numbers may lie among positions that are given.
    IF NOT is_here THEN
      PERFORM ${schema}.settle_here();
      ${find};
    END IF;
  END IF;`;
}

/** A document's names in an index that has room for names of any length; 128 bits of a key, which users may choose. */
function hashes(collection: string, key: string): readonly string[] {
  const hash = (text: string, seed: number) => `hashtextextended(${text} COLLATE "C", ${seed})`;
  return [hash(collection, 0), hash(key, 0), hash(key, 1)];
}

/** By which columns documents are apart that left a feed. */
const goneColumns = `(feed, ${hashes("collection", "key").join(", ")}) WHERE gone`;

/** Of what index the rows of documents that left feeds are; it is unique. */
export const goneByName = `feeds ${goneColumns}`;

/**
 * A document has one place in all its feeds, which is kept with it: its rows are found by that place and go on to the new one. Collection and
 * key are compared as well: where a row was damaged, another document's may be there.
 *
 * Where fewer were moved than the documents declare, they come into a feed, where that they had left it may be told, or rows are missing.
 */
export function writeFeeds(schema: string): string {
  const told = "(SELECT unnest(feed_puts) AS nth, unnest(feed_names) AS feed)";
  const columns = `${schema}.feeds (feed, collection, key, position, nth, gone)`;
  const isNamed = (row: string) => `f.collection = collections[${row}.nth] AND f.key = keys[${row}.nth]`;
  const isAtItsPlace = (row: string) =>
    `f.position = old_positions[${row}.nth] AND f.nth = old_nths[${row}.nth] AND ${isNamed(row)}`;
  const isHashed = (row: string) => {
    const wanted = hashes(`collections[${row}.nth]`, `keys[${row}.nth]`);
    return hashes("f.collection", "f.key")
      .map((hash, nth) => `${hash} = ${wanted[nth]}`)
      .join(" AND ");
  };
  // Looked for one by one: by statistics from before anybody left, the database would read all that is gone, and join it then. Deleted by
  // key: where the table has partitions, a row of another one may have the same ctid.
  const forgetGone = (rows: string, feed: string) => `DELETE FROM ${schema}.feeds f USING (
      SELECT g.feed, g.position, g.nth FROM ${rows} r CROSS JOIN LATERAL (
        SELECT f.feed, f.position, f.nth FROM ${schema}.feeds f
        WHERE f.gone AND f.feed = ${feed} AND ${isHashed("r")} AND ${isNamed("r")} OFFSET 0
      ) g OFFSET 0
    ) g WHERE (f.feed, f.position, f.nth) = (g.feed, g.position, g.nth)`;
  return `
  made := 0;
  IF had_feeds THEN
    UPDATE ${schema}.feeds f SET position = now_at, nth = t.nth, gone = false
    FROM ${told} t WHERE f.feed = ${schema}.short(t.feed) AND ${isAtItsPlace("t")};
    GET DIAGNOSTICS made = ROW_COUNT;
  END IF;
  IF made < cardinality(feed_puts) THEN
    -- There, a row that was committed since the snapshot can't be deleted: it is met, which fails, so that all is done again.
    IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
      INSERT INTO ${columns}
      SELECT ${schema}.short(t.feed), collections[t.nth], keys[t.nth], now_at, -t.nth, true FROM ${told} t WHERE old_versions[t.nth] IS NULL
      ON CONFLICT ${goneColumns} DO NOTHING;
    END IF;
    ${forgetGone(told, `${schema}.short(r.feed)`)};
    INSERT INTO ${columns}
    SELECT ${schema}.short(t.feed), collections[t.nth], keys[t.nth], now_at, t.nth, false FROM ${told} t
    ON CONFLICT (feed, position, nth) DO NOTHING;
  END IF;
  IF drops_feeds THEN
    WITH x AS MATERIALIZED (${feedsLeft(schema)}), moved AS (
      UPDATE ${schema}.feeds f SET position = now_at, nth = x.nth, gone = true FROM x WHERE f.feed = x.feed AND ${isAtItsPlace("x")}
      RETURNING 1
    )
    SELECT (SELECT count(*) FROM x) - (SELECT count(*) FROM moved) INTO made;
    IF made > 0 THEN
      ${forgetGone(`(${feedsLeft(schema)})`, "r.feed")};
      INSERT INTO ${columns}
      SELECT x.feed, collections[x.nth], keys[x.nth], now_at, x.nth, true FROM (${feedsLeft(schema)}) x;
    END IF;
  END IF;`;
}

/** The feeds that documents declared before, and do not any more. */
function feedsLeft(schema: string): string {
  return `
      SELECT DISTINCT ${schema}.short(b.feed) AS feed, o.nth FROM unnest(old_feeds, new_feeds) WITH ORDINALITY AS o(before, after, nth)
      CROSS JOIN jsonb_array_elements_text(o.before) AS b(feed) WHERE NOT coalesce(o.after ? b.feed, false)`;
}
