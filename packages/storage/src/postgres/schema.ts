import { StoreError } from "@fieldroll/core";
import type { Row, Transaction } from "./client.ts";
import { clusterFunction, keepPositionsRising, newId, risingShift, settleFunction } from "./cluster.ts";
import { goneByName } from "./commit-feeds.ts";
import { commitFunction, lockFunction } from "./commit-function.ts";
import { keepPlaces } from "./places.ts";
import { longestValue } from "./rows.ts";
import { shortPending } from "./substrings.ts";

/**
 * Migrations, in order; `store.migrations` counts those a database has had. One that was published is never changed; a new
 * one goes to the end. Each is given the schema's quoted name. The functions that check and write a commit are made by the last one
 * that changes them.
 *
 * The tables are laid out to be sharded: see docs/scale.md. No table refers to another, and no two writers of different
 * documents touch the same row.
 *
 * - `documents` by key. `indexed` is what a document declares for the indexes, written for columns: conditions that a query
 *   does not start from are tested on it. `position` and `nth` are its place, the same in all its feeds.
 * - `claims` by claim.
 * - `entries` by key, next to their documents: index name and value to document. `first` marks the value that sorting uses; the others
 *   are in an index of their own.
 * - `feeds` by feed: one row for each feed and document, moved forward at each change. Those of documents that left are found by name, all
 *   others by place.
 * - `store` has one row, which commits only read: who this store is, on which cluster, and what is added to numbers of
 *   transactions to make positions of them, so that they go on rising when a dump is restored to a younger cluster.
 *
 * Texts are compared byte by byte, whatever the database's own collation.
 */
const migrations: readonly ((schema: string) => string)[] = [
  (schema) => `
CREATE TABLE ${schema}.documents (
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  claims jsonb NOT NULL,
  indexed jsonb NOT NULL,
  feeds jsonb NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (collection, key)
);
CREATE TABLE ${schema}.claims (
  claim text COLLATE "C" NOT NULL PRIMARY KEY,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL
);
CREATE TABLE ${schema}.entries (
  collection text COLLATE "C" NOT NULL,
  idx text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  first boolean NOT NULL,
  PRIMARY KEY (collection, idx, value, key) INCLUDE (first)
);
CREATE INDEX entries_further ON ${schema}.entries (collection, idx) WHERE NOT first;
CREATE INDEX entries_cut ON ${schema}.entries (collection, idx) WHERE length(value) >= ${longestValue};
CREATE TABLE ${schema}.feeds (
  feed text COLLATE "C" NOT NULL,
  collection text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  nth integer NOT NULL,
  gone boolean NOT NULL,
  PRIMARY KEY (feed, collection, key)
);
CREATE INDEX feeds_in_order ON ${schema}.feeds (feed, position, nth);
CREATE TABLE ${schema}.substring_indexes (idx text COLLATE "C" NOT NULL PRIMARY KEY);

${textFunctions(schema)}`,
  // Short statements by key for the few documents of a commit, and rows of indexes and feeds handed over ready. A database of the
  // first migration has these functions in an earlier form, of which nothing is kept.
  (schema) => `
DROP FUNCTION IF EXISTS ${schema}.commit(int, text[], text[], bigint[], text[], text[], text[], text[], text[], text[], text[], bigint[], int[], boolean);
DROP FUNCTION IF EXISTS ${schema}.lock_asked(text[], text[], jsonb[], text[], text[], text[]);
${lockFunction(schema)}`,
  // With values, so that what meets a condition by a further value is found by itself.
  (schema) => `
DROP INDEX IF EXISTS ${schema}.entries_further;
CREATE INDEX entries_further ON ${schema}.entries (collection, idx, value, key) WHERE NOT first;`,
  // Made the function of the last one anew.
  () => "SELECT 1",
  // Trigrams of many values written together.
  (schema) => `
DO $$
DECLARE name regclass;
BEGIN
  FOR name IN
    SELECT c.oid FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
    WHERE x.indrelid = '${schema}.entries'::regclass AND m.amname = 'gin'
  LOOP EXECUTE format('ALTER INDEX %s SET (${shortPending})', name); END LOOP;
END $$;`,
  // Of several commits made as one, each has its own documents. The function is made by the last one.
  (schema) => `
DROP FUNCTION IF EXISTS ${schema}.commit(int, int[], text[], text[], bigint[], text[], jsonb[], jsonb[], jsonb[], int[], text[], text[], boolean[], int[], text[], text[], text[], text[], bigint[], int[], boolean);`,
  // Made the function of the last one anew.
  () => "SELECT 1",
  // The first migration made these before it had its present form; nothing calls them.
  (schema) => `
DROP FUNCTION IF EXISTS ${schema}.commit(int, text[], text[], bigint[], text[], text[], text[], text[], text[], text[], text[], bigint[], boolean);
DROP FUNCTION IF EXISTS ${schema}.lock_asked(text[], text[], text[], text[], text[]);`,
  // Made the function of the last one anew.
  () => "SELECT 1",
  // Room in each page for a document that changes: its next version is beside it then, and its primary key stays as it is. And looks into
  // those lists for the indexes only that differ.
  (schema) => `ALTER TABLE ${schema}.documents SET (fillfactor = 85);`,
  // Names that look like what is kept of a long one were kept as they are, so that the two were one.
  (schema) => `${textFunctions(schema).replaceAll("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")}
${keepAnew(schema)}`,
  // A standby that takes the place of its server has the same cluster, and may lack the last commits.
  (schema) => `${clusterFunction(schema)}
UPDATE ${schema}.store SET cluster = ${schema}.cluster() WHERE cluster = (SELECT system_identifier::text FROM pg_control_system());`,
  // One place for each document, in all its feeds: a change is written to one B-tree for each of them, and was to two.
  (schema) => keepPlaces(schema, newId),
  // What left feeds by what is made of names: who has a long one could come into a feed, and not leave it any more. Where the former index was
  // lost, somebody may have left twice: a store that can't be opened could not be mended.
  (schema) => `
DELETE FROM ${schema}.feeds f USING ${schema}.feeds g WHERE f.gone AND g.gone
  AND (f.feed, f.collection, f.key) = (g.feed, g.collection, g.key) AND (f.position, f.nth) < (g.position, g.nth);
DROP INDEX IF EXISTS ${schema}.feeds_gone;
CREATE UNIQUE INDEX feeds_gone ON ${schema}.${goneByName};`,
  // Rows of feeds are deleted by key, and a commit finds out that the database came to another server.
  (schema) => `${settleFunction(schema)}
${commitFunction(schema)}`,
];

/**
 * What is kept of a long name, and of a long value. What is kept of long names has a mark 65 characters before its end; a short name that has
 * one there is kept in the same way, so that no two names come to one.
 */
export function textFunctions(schema: string): string {
  return `
CREATE FUNCTION ${schema}.short(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT CASE WHEN octet_length(name) <= 1000 AND left(right(name, 65), 1) <> '~' THEN name
    ELSE left(name, 100) || '~' || length(name)::text || '~' || md5(name) || md5(reverse(name)) END
$function$;
CREATE FUNCTION ${schema}.bounded(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT left(value, ${longestValue})
$function$;`;
}

/**
 * Short names with a mark that were kept as they are, of documents that declare them. What such a name comes to may be another one's, kept as
 * it was until now: so all of them are taken out before any is put in, which takes until they are sorted. Of a document that left such a feed
 * nothing tells whether its name was this or a long one, so both tell that it is gone.
 */
function keepAnew(schema: string): string {
  const marked = (name: string) => `octet_length(${name}) <= 1000 AND left(right(${name}, 65), 1) = '~'`;
  const ofDocument = (row: string) => `(d.collection, d.key) = (${row}.collection, ${row}.key)`;
  return `
WITH moved AS (
  DELETE FROM ${schema}.claims c USING ${schema}.documents d
  WHERE ${marked("c.claim")} AND ${ofDocument("c")} AND d.claims ? c.claim RETURNING c.collection, c.key
)
INSERT INTO ${schema}.claims (claim, collection, key)
SELECT DISTINCT ${schema}.short(x.claim), m.collection, m.key FROM moved m JOIN ${schema}.documents d ON ${ofDocument("m")}
CROSS JOIN jsonb_array_elements_text(d.claims) AS x(claim) ORDER BY 1 ON CONFLICT (claim) DO NOTHING;
WITH moved AS (
  DELETE FROM ${schema}.feeds f USING ${schema}.documents d
  WHERE ${marked("f.feed")} AND NOT f.gone AND ${ofDocument("f")} AND d.feeds ? f.feed
  RETURNING f.collection, f.key, f.position, f.nth
)
INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
SELECT DISTINCT ${schema}.short(x.feed), m.collection, m.key, m.position, m.nth, false
FROM moved m JOIN ${schema}.documents d ON ${ofDocument("m")} CROSS JOIN jsonb_array_elements_text(d.feeds) AS x(feed)
ORDER BY 1, 2, 3 ON CONFLICT (feed, collection, key) DO NOTHING;
INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
SELECT ${schema}.short(f.feed), f.collection, f.key, f.position, f.nth, true FROM ${schema}.feeds f WHERE ${marked("f.feed")} AND f.gone
ON CONFLICT (feed, collection, key) DO NOTHING;`;
}

/** A store whose row of `store` is gone. */
export function lacksStoreRow(): StoreError {
  return new StoreError(
    "corrupt",
    "The database lacks the row of the table store, which says what store it is. fieldroll reindex makes it anew, and so does opening it.",
  );
}

/** The schema that this software writes. */
export const schemaVersion = migrations.length;

/** The row of `store`. */
export interface StoreRow extends Row {
  readonly id: string;
  readonly migrations: number;
}

const made = "SELECT to_regclass($1) IS NOT NULL AS there";

/**
 * How many migrations a database has had; 0 where there is none of ours. Where the row that counts them is gone, as many as make the
 * tables as they are: the others can be done again.
 */
export async function migrationsOf(transaction: Transaction, schema: string): Promise<number> {
  const [found] = await transaction.rows<{ there: boolean }>(made, [`${schema}.store`]);
  if (!found?.there) return 0;
  const [row] = await transaction.rows<StoreRow>(`SELECT migrations FROM ${schema}.store`);
  if (row) return row.migrations;
  const [places] = await transaction.rows<{ there: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass('${schema}.documents') AND attname = 'nth' AND NOT attisdropped) AS there`,
  );
  return places?.there ? withPlaces : 1;
}

/** The migration that made the tables' present keys. */
const withPlaces = 13;

/** Whether opening finds everything as this software writes it, on the cluster that it was written on: then it has nothing to do that takes long. */
export async function isCurrent(
  transaction: Transaction,
  { name, schema }: { readonly name: string; readonly schema: string },
): Promise<boolean> {
  // From the tables themselves: a connection that has asked for a name that leads to nothing may not see that another one makes it.
  const [found] = await transaction.rows<{ there: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM pg_class c WHERE c.relnamespace = n.oid AND c.relname = 'store')
      AND EXISTS (SELECT 1 FROM pg_proc p WHERE p.pronamespace = n.oid AND p.proname = 'cluster') AS there
    FROM pg_namespace n WHERE n.nspname = $1`,
    [name],
  );
  if (!found?.there) return false;
  const [row] = await transaction.rows<StoreRow & { same: boolean }>(
    `SELECT migrations, cluster = ${schema}.cluster() AS same FROM ${schema}.store`,
  );
  return row?.migrations === schemaVersion && row.same;
}

/**
 * Texts are stored as code points beyond what most encodings have, and measured in characters, of which a database without an
 * encoding (SQL_ASCII) knows nothing: it would cut them within one.
 *
 * @throws StoreError `unavailable` for a database whose encoding is not UTF-8
 */
export async function refuseEncoding(transaction: Transaction, where: string): Promise<void> {
  const [found] = await transaction.rows<{ encoding: string }>(
    "SELECT pg_encoding_to_char(encoding) AS encoding FROM pg_database WHERE datname = current_database()",
  );
  if (found?.encoding === "UTF8") return;
  throw new StoreError(
    "unavailable",
    `${where}: the database's encoding is ${found?.encoding}, and texts of all languages need UTF8. It was left as it is. Make ` +
      "another one, with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0, and name that.",
  );
}

/**
 * With a limit, an index of substrings gives a random part of what it finds, and nobody could tell.
 *
 * @throws StoreError `unavailable` where a role or a database sets one
 */
export async function refuseFuzzySearch(transaction: Transaction, where: string): Promise<void> {
  const [found] = await transaction.rows<{ most: string }>(
    "SELECT current_setting('gin_fuzzy_search_limit') AS most",
  );
  if (found?.most === "0") return;
  throw new StoreError(
    "unavailable",
    `${where}: gin_fuzzy_search_limit is ${found?.most}, by which searches would find a random part of what is there. It was left as it ` +
      "is; set it to 0 for this role or this database (ALTER ROLE … SET gin_fuzzy_search_limit = 0).",
  );
}

/** A schema's name as statements have it: quoted where it is a word of the database's own, such as `user`. */
export async function quotedName(transaction: Transaction, name: string): Promise<string> {
  const [found] = await transaction.rows<{ quoted: string }>("SELECT quote_ident($1) AS quoted", [name]);
  return found?.quoted ?? name;
}

/**
 * Brings the schema up to date, in one transaction. Processes that open a database at the same time wait for each other.
 *
 * @throws StoreError `newer-schema` when later software has been there.
 */
export async function migrate(transaction: Transaction, schema: string, where: string): Promise<void> {
  await transaction.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`fieldroll ${schema}`]);
  const done = await migrationsOf(transaction, schema);
  refuseNewer(done, where);
  if (done === 0) {
    await makeSchema(transaction, schema);
    await transaction.rows(firstStatements(schema));
  } else {
    // By which a store is known that has lost its row.
    await keepOpeningFunctions(transaction, schema);
    await keepStoreRow(transaction, schema);
  }
  for (const migration of migrations.slice(done)) await transaction.rows(migration(schema));
  if (done < schemaVersion) {
    await transaction.rows(`UPDATE ${schema}.store SET migrations = ${schemaVersion}`);
  }
  await keepPositionsRising(transaction, schema);
}

/** Opening itself calls these, so that it has to make them where they are gone; what else is, rebuilding makes. */
async function keepOpeningFunctions(transaction: Transaction, schema: string): Promise<void> {
  const sql = "SELECT to_regprocedure($1) IS NOT NULL AS there";
  for (const [name, make] of [
    ["cluster", clusterFunction],
    ["settle_here", settleFunction],
  ] as const) {
    const [found] = await transaction.rows<{ there: boolean }>(sql, [`${schema}.${name}()`]);
    if (!found?.there) await transaction.rows(make(schema));
  }
}

/** @throws StoreError `newer-schema` for a number of migrations that this software does not know. */
export function refuseNewer(done: number, where: string): void {
  if (done <= schemaVersion) return;
  throw new StoreError(
    "newer-schema",
    `${where}: the database has schema ${done}, this software knows schemas up to ${schemaVersion}. It was left as it ` +
      "is; open it with the version of the software that wrote it, or a later one.",
  );
}

/**
 * Keeps the schema from being upgraded until the transaction ends, which writes what this software knows.
 *
 * @throws StoreError as {@link refuseNewer} does.
 */
export async function holdSchema(transaction: Transaction, schema: string, where: string): Promise<void> {
  if ((await migrationsOf(transaction, schema)) === 0) return;
  const [row] = await transaction.rows<StoreRow>(`SELECT migrations FROM ${schema}.store FOR UPDATE`);
  refuseNewer(row?.migrations ?? 0, where);
}

/** IF NOT EXISTS would ask for the right to make schemas also of a user who was given this one. */
async function makeSchema(transaction: Transaction, schema: string): Promise<void> {
  const sql = "SELECT to_regnamespace($1) IS NOT NULL AS there";
  const [found] = await transaction.rows<{ there: boolean }>(sql, [schema]);
  if (!found?.there) await transaction.rows(`CREATE SCHEMA ${schema}`);
}

function firstStatements(schema: string): string {
  return `CREATE TABLE ${schema}.store (
  one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (one),
  id text NOT NULL,
  migrations integer NOT NULL,
  shift bigint NOT NULL,
  cluster text NOT NULL
);
INSERT INTO ${schema}.store (id, migrations, shift, cluster)
SELECT ${newId}, 0, 0, system_identifier::text FROM pg_control_system();`;
}

/** Puts the row of `store` back where it is gone: another store then, whose positions begin above those there are. */
export async function keepStoreRow(transaction: Transaction, schema: string): Promise<void> {
  const [found] = await transaction.rows(`SELECT 1 FROM ${schema}.store`);
  if (found) return;
  await transaction.rows(
    `INSERT INTO ${schema}.store (id, migrations, shift, cluster)
    SELECT ${newId}, ${schemaVersion}, ${risingShift(schema)}, ${schema}.cluster() FROM (SELECT 0::bigint AS shift) s`,
  );
}
