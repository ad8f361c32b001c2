/** Puts a store back to schema 14, in which a commit did not look whether the database came to another server. */
export function toSchema14(schema: string): string {
  return `DO $$ BEGIN EXECUTE (
      SELECT replace(pg_get_functiondef(oid), 'PERFORM ${schema}.settle_here();', '') FROM pg_proc
      WHERE pronamespace = '${schema}'::regnamespace AND proname = 'commit'
    ); END $$;
    DROP FUNCTION ${schema}.settle_here();
    UPDATE ${schema}.store SET migrations = 14;`;
}

/** Puts a store's tables back to schema 13, which kept what left feeds by whole names. */
export function toSchema13(schema: string): string {
  return `DROP INDEX ${schema}.feeds_gone;
    CREATE UNIQUE INDEX feeds_gone ON ${schema}.feeds (feed, collection, key) WHERE gone;
    UPDATE ${schema}.store SET migrations = 13;`;
}

/** Puts a store's tables back to schema 12, with what they hold: places are in feeds only, and each feed has a document once. */
export function toSchema12(schema: string): string {
  return `ALTER TABLE ${schema}.store RENAME COLUMN sole TO one;
    ALTER TABLE ${schema}.documents DROP COLUMN position, DROP COLUMN nth;
    DROP INDEX ${schema}.feeds_gone;
    ALTER TABLE ${schema}.feeds DROP CONSTRAINT feeds_pkey, ADD PRIMARY KEY (feed, collection, key);
    CREATE INDEX feeds_in_order ON ${schema}.feeds (feed, position, nth);
    UPDATE ${schema}.store SET migrations = 12;`;
}

/** Puts places as a rebuilding of schema 12 did: numbers of rows, in each feed from 1, and nothing gone. */
export function rebuiltBySchema12(schema: string): string {
  return `DELETE FROM ${schema}.feeds WHERE gone;
    UPDATE ${schema}.feeds f SET position = 1, nth = n.nth FROM (
      SELECT feed, collection, key, row_number() OVER (PARTITION BY feed ORDER BY position, nth) AS nth FROM ${schema}.feeds
    ) n WHERE (f.feed, f.collection, f.key) = (n.feed, n.collection, n.key);`;
}
