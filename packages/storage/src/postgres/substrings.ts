import { StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Database, Transaction } from "./client.ts";
import { literal } from "./select.ts";

/**
 * New values wait in a list for many others, whose trigrams are then written together: by itself each of twenty costs a walk down
 * the tree. The list is read at each search, and a long one makes the database think that reading all values is cheaper; this is the
 * shortest there is, 64 kB.
 */
export const shortPending = "fastupdate = on, gin_pending_list_limit = 64";

/**
 * Adds the indexes of trigrams that are not there yet, one for each index name: a GIN index over the values of that name
 * alone, which the database uses for `LIKE '%…%'` where the statement names the index.
 *
 * @throws StoreError `unavailable` when the extension pg_trgm can't be had.
 */
export async function addSubstringIndexes(
  database: Database,
  schema: string,
  names: readonly string[],
): Promise<void> {
  const missing = async (transaction: Transaction) => {
    const rows = await transaction.rows<{ idx: string }>(`SELECT idx FROM ${schema}.substring_indexes`);
    const present = new Set(rows.map(({ idx }) => idx));
    return [...new Set(names.map(toColumn))].filter((idx) => !present.has(idx));
  };
  if ((await missing(database)).length === 0) return;
  const make = async (transaction: Transaction) => {
    await transaction.rows("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", ["fieldroll pg_trgm"]);
    for (const idx of await missing(transaction)) {
      await transaction.rows(`INSERT INTO ${schema}.substring_indexes (idx) VALUES ($1)`, [idx]);
      await makeSubstringIndex(transaction, { schema, where: database.where, idx });
    }
  };
  await database.transaction(make, { patient: true });
}

/** @throws StoreError as {@link addSubstringIndexes} does. */
export async function makeSubstringIndex(
  transaction: Transaction,
  { schema, where, idx }: { readonly schema: string; readonly where: string; readonly idx: string },
): Promise<void> {
  const operators = await trigramOperators(transaction, where);
  await transaction.rows(
    `CREATE INDEX ON ${schema}.entries USING gin (value ${operators}) WITH (${shortPending}) WHERE idx = ${literal(idx)}`,
  );
}

/** The class of operators of trigrams, in whatever schema the extension is. */
async function trigramOperators(transaction: Transaction, where: string): Promise<string> {
  // Whatever the session's search_path is, and not in a schema that is dropped with one store.
  const [found] = await transaction.rows<{ there: boolean }>(
    "SELECT to_regnamespace('public') IS NOT NULL AS there",
  );
  try {
    await transaction.rows(`CREATE EXTENSION IF NOT EXISTS pg_trgm${found?.there ? " SCHEMA public" : ""}`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreError(
      "unavailable",
      `${where}: the extension pg_trgm, by which substrings are found, can't be made here (${reason}). Let the server's ` +
        "administrator run CREATE EXTENSION pg_trgm in this database, or open it with `substringIndexes: []`, which reads all " +
        "values of an index to find a term.",
      { cause: error },
    );
  }
  const [row] = await transaction.rows<{ schema: string }>(
    "SELECT quote_ident(n.nspname) AS schema FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_trgm'",
  );
  return `${row?.schema ?? "public"}.gin_trgm_ops`;
}
