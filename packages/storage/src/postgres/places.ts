import { textsOf } from "./declared.ts";

/**
 * So many documents have their places at the first position, as many at the second, and so on: nine digits are what a cursor has room for. Changes
 * have positions far beyond, as they are numbers of transactions.
 */
const mostAtOne = 500_000_000;

/**
 * Gives all documents that are told a place anew.
 *
 * @param order what they are sorted by
 * @param former what else that is read from, beside the document's row `d`
 */
export function givePlaces(schema: string, order: string, former = ""): string {
  const place = `1 + n.before / ${mostAtOne}, 1 + n.before % ${mostAtOne}`;
  return `UPDATE ${schema}.documents d SET (position, nth) = ROW(${place})
    FROM (
      SELECT d.collection, d.key, row_number() OVER (ORDER BY ${order}, d.collection, d.key) - 1 AS before
      FROM ${schema}.documents d ${former} WHERE d.feeds <> '[]'
    ) n WHERE d.collection = n.collection AND d.key = n.key AND (d.position, d.nth) <> (${place});`;
}

/** Fills feeds that are empty: each tells the documents that declare it, at their places. */
export function tellPlaces(schema: string): string {
  return `INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
    SELECT DISTINCT ${schema}.short(f.feed), d.collection, d.key, d.position, d.nth, false
    FROM ${schema}.documents d CROSS JOIN ${textsOf("d.feeds")} AS f(feed);`;
}

/**
 * Keeps each document's place beside it, and feeds by place alone. What a rebuilding left until now has another place in each feed: then all
 * get new ones, and the store another identity, by which readers begin anew. Rows are deleted, as one who reads at another isolation than READ
 * COMMITTED would find a truncated table empty.
 *
 * A function of the earlier software that waits meanwhile would tell feeds and keep no place: it fails, as the column of `store` that it
 * asks for has another name.
 */
export function keepPlaces(schema: string, newId: string): string {
  const places = `(
      SELECT collection, key, max(position) AS position, max(nth) AS nth FROM ${schema}.feeds WHERE NOT gone GROUP BY collection, key
    )`;
  return `
LOCK TABLE ${schema}.documents, ${schema}.feeds, ${schema}.store;
ALTER TABLE ${schema}.store RENAME COLUMN one TO sole;
ALTER TABLE ${schema}.documents ADD COLUMN position bigint NOT NULL DEFAULT 0, ADD COLUMN nth integer NOT NULL DEFAULT 0;
DO $migration$
DECLARE
  earlier name;
  is_anew boolean;
BEGIN
  FOR earlier IN SELECT c.conname FROM pg_constraint c WHERE c.conrelid = '${schema}.feeds'::regclass AND c.contype = 'p' LOOP
    EXECUTE format('ALTER TABLE ${schema}.feeds DROP CONSTRAINT %I', earlier);
  END LOOP;
  is_anew := NOT FOUND
    OR EXISTS (
      SELECT 1 FROM ${schema}.feeds WHERE NOT gone GROUP BY collection, key
      HAVING min(position) < max(position) OR min(nth) < max(nth))
    OR EXISTS (SELECT 1 FROM ${schema}.feeds GROUP BY feed, position, nth HAVING count(*) > 1);
  DROP INDEX IF EXISTS ${schema}.feeds_in_order;
  IF is_anew THEN
    ${givePlaces(schema, "o.position, o.nth", `LEFT JOIN ${places} o ON o.collection = d.collection AND o.key = d.key`)}
    DELETE FROM ${schema}.feeds;
    ${tellPlaces(schema)}
    UPDATE ${schema}.store SET id = ${newId};
  ELSE
    UPDATE ${schema}.documents d SET position = o.position, nth = o.nth FROM ${places} o
    WHERE d.collection = o.collection AND d.key = o.key;
  END IF;
END $migration$;
ALTER TABLE ${schema}.feeds ADD PRIMARY KEY (feed, position, nth);
CREATE UNIQUE INDEX feeds_gone ON ${schema}.feeds (feed, collection, key) WHERE gone;`;
}
