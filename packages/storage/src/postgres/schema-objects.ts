import { StoreError } from "@fieldroll/core";
import { fromColumn } from "../text.ts";
import type { Transaction } from "./client.ts";
import { clusterFunction, settleFunction } from "./cluster.ts";
import { goneByName } from "./commit-feeds.ts";
import { commitFunction, lockFunction } from "./commit-function.ts";
import { keyFrom, longestValue } from "./rows.ts";
import { textFunctions } from "./schema.ts";
import { makeSubstringIndex } from "./substrings.ts";

/** What the present schema has and a database lacks. */
export interface Missing {
  readonly kind: "table" | "function" | "primary key of" | "index" | "index of substrings of";
  readonly name: string;
}

const tables = ["documents", "claims", "entries", "feeds", "store", "substring_indexes"];

const functions = [
  "short(text)",
  "bounded(text)",
  "cluster()",
  "settle_here()",
  "lock_asked(text[], text[], jsonb[], text[], text[], text[])",
  "commit(int, int[], int[], text[], text[], bigint[], text[], jsonb[], jsonb[], jsonb[], int[], text[], text[], boolean[], int[], " +
    "text[], text[], text[], text[], bigint[], int[], boolean)",
];

const keys: Readonly<Record<string, string>> = {
  documents: "(collection, key)",
  claims: "(claim)",
  entries: "(collection, idx, value, key) INCLUDE (first)",
  feeds: "(feed, position, nth)",
};

const indexes: Readonly<Record<string, string>> = {
  entries_further: "entries (collection, idx, value, key) WHERE NOT first",
  entries_cut: `entries (collection, idx) WHERE length(value) >= ${longestValue}`,
  feeds_gone: goneByName,
};

/** An index that keeps one row for each, on which commits rely. */
const uniqueIndex = "feeds_gone";

/** Of what an index `x` is, without what settings of the database, and itself, write otherwise. */
const definition = `regexp_replace(replace(substring(pg_get_indexdef(x.indexrelid) from 'USING (.*)'), '"', ''), '^btree|COLLATE C|::bigint|[() ]', '', 'g')`;

/** Whether commits can rely on an index `x`, which is to be of that table. */
const isUnique = (table: string) =>
  `x.indisunique AND x.indrelid = ${table} AND ${definition} = '${goneByName.replaceAll(/^feeds|COLLATE "C"|[() ]/g, "")}'`;

/** Of an index; where literals have escapes, backslashes are doubled in it. */
const predicate = `CASE current_setting('standard_conforming_strings') WHEN 'on' THEN pg_get_expr(x.indpred, x.indrelid)
          ELSE replace(pg_get_expr(x.indpred, x.indrelid), chr(92) || chr(92), chr(92)) END`;

/** What of the schema's tables, functions and indexes is not there; of an index, also what the database does not use. */
export async function missingObjects(transaction: Transaction, schema: string): Promise<readonly Missing[]> {
  const named = async (kind: Missing["kind"], names: readonly string[], condition: string) => {
    const rows = await transaction.rows<{ name: string }>(
      `SELECT n.name FROM unnest($1::text[]) WITH ORDINALITY AS n(name, nth) WHERE ${condition} ORDER BY n.nth`,
      [names],
    );
    return rows.map(({ name }): Missing => ({ kind, name }));
  };
  const at = (name: string) => `to_regclass('${schema}.' || ${name})`;
  const lost = await named("table", tables, `${at("n.name")} IS NULL`);
  const missing = [
    ...lost,
    ...(await named("function", functions, `to_regprocedure('${schema}.' || n.name) IS NULL`)),
    ...(await named("primary key of", Object.keys(keys), `NOT EXISTS (${keyOf(at)})`)),
    ...(await named(
      "index",
      Object.keys(indexes),
      `NOT EXISTS (SELECT 1 FROM pg_index x WHERE x.indexrelid = ${at("n.name")} AND x.indisvalid
        AND (n.name <> '${uniqueIndex}' OR ${isUnique(at("'feeds'"))}))`,
    )),
  ];
  if (lost.length > 0) return missing;
  const rows = await transaction.rows<{ idx: string }>(
    `SELECT s.idx FROM ${schema}.substring_indexes s WHERE NOT EXISTS (
      SELECT 1 FROM pg_index x JOIN pg_class c ON c.oid = x.indexrelid JOIN pg_am m ON m.oid = c.relam
      WHERE x.indrelid = ${at("'entries'")} AND x.indisvalid AND m.amname = 'gin'
        AND replace(replace(${predicate}, '"idx"', 'idx'), '::"text"', '::text') = '(idx = ''' || replace(s.idx, '''', '''''') || '''::text)') ORDER BY 1`,
  );
  return [...missing, ...rows.map(({ idx }): Missing => ({ kind: "index of substrings of", name: idx }))];
}

/**
 * What stands beside the schema, and lets other things be kept than what is written, for an operator: tables that a crash empties,
 * triggers and rules. None is made or taken away by this software, so whoever made it has to say.
 */
export async function strangeObjects(transaction: Transaction, schema: string): Promise<readonly string[]> {
  const rows = await transaction.rows<{ name: string; kind: "unlogged" | "trigger" | "rule"; own: string }>(
    `WITH tables AS (SELECT c.oid, c.relname::text AS name, c.relpersistence FROM unnest($1::text[]) AS n(name)
      JOIN pg_class c ON c.oid = to_regclass('${schema}.' || n.name))
    SELECT name, 'unlogged' AS kind, '' AS own FROM tables WHERE relpersistence <> 'p'
    UNION ALL SELECT c.name, 'trigger', t.tgname FROM tables c JOIN pg_trigger t ON t.tgrelid = c.oid WHERE NOT t.tgisinternal
    UNION ALL SELECT c.name, 'rule', r.rulename FROM tables c JOIN pg_rewrite r ON r.ev_class = c.oid ORDER BY 1, 2, 3`,
    [tables],
  );
  return rows.map(({ name, kind, own }) =>
    kind === "unlogged"
      ? `the table ${name} is unlogged, so a crash empties it; ALTER TABLE ${schema}.${name} SET LOGGED`
      : `the table ${name} has the ${kind} ${own}, which is not of this schema and may change what is written; take it away`,
  );
}

/** Any index that keeps the columns unique will do for what relies on it. */
function keyOf(at: (name: string) => string): string {
  const columns = Object.entries(keys).map(
    ([table, key]) => `WHEN '${table}' THEN '${sorted(key.replace(/ INCLUDE.*/, ""))}'`,
  );
  return `SELECT 1 FROM pg_index x WHERE x.indrelid = ${at("n.name")} AND x.indisunique AND x.indisvalid AND x.indpred IS NULL
    AND x.indexprs IS NULL AND CASE n.name ${columns.join(" ")} END = ${columnsOf("x")}`;
}

/** The columns of an index by which it is in order, sorted. */
function columnsOf(index: string): string {
  return `(SELECT string_agg(a.attname, ' ' ORDER BY a.attname::text COLLATE "C") FROM pg_attribute a
      WHERE a.attrelid = ${index}.indrelid AND a.attnum = ANY ((${index}.indkey::int2[])[0:${index}.indnkeyatts - 1]))`;
}

function sorted(columns: string): string {
  return (columns.match(/\w+/g) ?? []).toSorted().join(" ");
}

/** What is missing, for an operator. */
export function missingMessage({ kind, name }: Missing): string {
  const advice = kind === "table" ? "restore a backup" : "fieldroll reindex makes it again";
  const what = kind === "function" ? name.replace(/\(.*/, "") : fromColumn(name);
  return `the ${kind} ${what} is missing; ${advice}`;
}

/**
 * Makes again what is missing, in a transaction that keeps others from writing. Claims, entries and feeds have to be empty.
 *
 * @throws StoreError `corrupt` where that can't be done: a table is gone, or two rows are of one document.
 */
export async function mendObjects(
  transaction: Transaction,
  {
    schema,
    where,
    missing,
  }: { readonly schema: string; readonly where: string; readonly missing: readonly Missing[] },
): Promise<void> {
  for (const { kind, name } of missing) {
    if (kind === "index of substrings of")
      await makeSubstringIndex(transaction, { schema, where, idx: name });
    if (kind === "index") {
      await transaction.rows(`DROP INDEX IF EXISTS ${schema}.${name}`);
      const unique = name === uniqueIndex ? "UNIQUE" : "";
      await transaction.rows(`CREATE ${unique} INDEX ${name} ON ${schema}.${indexes[name]}`);
    }
    if (kind !== "primary key of") continue;
    if (name === "documents") await refuseDoubles(transaction, schema, where);
    await transaction.rows(`ALTER TABLE ${schema}.${name} ADD PRIMARY KEY ${keys[name]}`);
  }
}

/** Makes the functions again, if one is missing: what else is mended calls them. */
export async function mendFunctions(
  transaction: Transaction,
  schema: string,
  missing: readonly Missing[],
): Promise<void> {
  if (!missing.some(({ kind }) => kind === "function")) return;
  const texts = textFunctions(schema).replaceAll("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION");
  await transaction.rows(texts);
  for (const make of [clusterFunction, settleFunction, lockFunction, commitFunction])
    await transaction.rows(make(schema));
}

/** @throws StoreError `corrupt` where tables are missing, which nothing but a backup has. */
export function refuseMissingTables(where: string, missing: readonly Missing[]): void {
  const lost = missing.filter(({ kind }) => kind === "table").map(({ name }) => name);
  if (lost.length === 0) return;
  throw new StoreError(
    "corrupt",
    `${where}: the table ${lost.join(", the table ")} is missing, so nothing was done. Restore a backup.`,
  );
}

async function refuseDoubles(transaction: Transaction, schema: string, where: string): Promise<void> {
  const [double] = await transaction.rows<{ collection: string; key: string }>(
    `SELECT collection, key FROM ${schema}.documents GROUP BY 1, 2 HAVING count(*) > 1 ORDER BY 1, 2 LIMIT 1`,
  );
  if (!double) return;
  const { collection, key } = keyFrom(double);
  throw new StoreError(
    "corrupt",
    `${where}: the document ${collection} ${key} is there more than once, so the primary key of documents can't be made. Nothing ` +
      "was done. Delete the rows that are wrong, or restore a backup.",
  );
}
