import type { StoreCensus } from "@fieldroll/core";
import type { Database, Transaction } from "./client.ts";
import { newId, risingShift } from "./cluster.ts";
import { damage, declaredEntries, isDamaged, textsOf } from "./declared.ts";
import { givePlaces, tellPlaces } from "./places.ts";
import { keyFrom } from "./rows.ts";
import { holdSchema, keepStoreRow } from "./schema.ts";
import { mendFunctions, mendObjects, missingObjects, refuseMissingTables } from "./schema-objects.ts";
import type { Tell } from "./verify.ts";

/**
 * Builds claims, entries and feeds anew from the documents, in one transaction: broken off, nothing was done. Nobody writes
 * meanwhile, and readers wait, or read what was before. Functions and indexes that are missing are made again. Feeds keep their order; that something is gone is forgotten, as every reader begins anew.
 *
 * @throws StoreError `newer-schema` when later software has upgraded the schema, whose functions are its own.
 */
export function rebuildStore(database: Database, schema: string, tell: Tell): Promise<StoreCensus> {
  const rebuild = async (transaction: Transaction) => {
    await transaction.rows(`LOCK TABLE ${schema}.documents IN EXCLUSIVE MODE`);
    await holdSchema(transaction, schema, database.where);
    const missing = await missingObjects(transaction, schema);
    refuseMissingTables(database.where, missing);
    await mendFunctions(transaction, schema, missing);
    await keepStoreRow(transaction, schema);
    await emptyTables(transaction, schema);
    await mendObjects(transaction, { schema, where: database.where, missing });
    await tellDamaged(transaction, schema, tell);
    await rebuildClaims(transaction, schema, tell);
    await rebuildEntries(transaction, schema);
    await rebuildFeeds(transaction, schema);
    await transaction.rows(`UPDATE ${schema}.store SET id = ${newId}`);
    const [census] = await transaction.rows<Record<keyof StoreCensus, string>>(
      `SELECT ${["documents", "claims", "entries", "feeds"].map((table) => `(SELECT count(*) FROM ${schema}.${table}) AS ${table}`).join(", ")}`,
    );
    return {
      documents: Number(census?.documents),
      claims: Number(census?.claims),
      entries: Number(census?.entries),
      feeds: Number(census?.feeds),
    };
  };
  return database.transaction(rebuild, { patient: true });
}

async function emptyTables(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows(`UPDATE ${schema}.store SET shift = ${risingShift(schema)}`);
  await removeAll(
    transaction,
    ["claims", "entries", "feeds"].map((table) => `${schema}.${table}`),
  );
}

/**
 * Readers wait for the end of a rebuilding that truncates. Where they read at another isolation than READ COMMITTED they have chosen
 * their state of the database before they wait, and a truncated table is empty in every earlier state: rows that are deleted are
 * there in it, at the price of their room.
 */
async function removeAll(transaction: Transaction, tables: readonly string[]): Promise<void> {
  const sql = "SELECT current_setting('default_transaction_isolation') AS isolation";
  const [setting] = await transaction.rows<{ isolation: string }>(sql);
  if (setting?.isolation === "read committed") await transaction.rows(`TRUNCATE ${tables.join(", ")}`);
  else for (const table of tables) await transaction.rows(`DELETE FROM ${table}`);
}

/** What is no text in such a document is left aside; the rest of it is found. */
async function tellDamaged(transaction: Transaction, schema: string, tell: Tell): Promise<void> {
  const damaged = await transaction.rows<{ collection: string; key: string }>(
    `SELECT d.collection, d.key FROM ${schema}.documents d WHERE ${isDamaged} ORDER BY 1, 2`,
  );
  for (const at of damaged) tell({ about: "document", at: keyFrom(at), message: damage });
}

async function rebuildClaims(transaction: Transaction, schema: string, tell: Tell): Promise<void> {
  await transaction.rows(
    `INSERT INTO ${schema}.claims (claim, collection, key)
    SELECT DISTINCT ON (${schema}.short(c.claim)) ${schema}.short(c.claim), d.collection, d.key
    FROM ${schema}.documents d CROSS JOIN ${textsOf("d.claims")} AS c(claim) ORDER BY 1, 2, 3`,
  );
  const losers = await transaction.rows<{ collection: string; key: string; claim: string }>(
    `SELECT DISTINCT d.collection, d.key, c.claim FROM ${schema}.documents d CROSS JOIN ${textsOf("d.claims")} AS c(claim)
    JOIN ${schema}.claims h ON h.claim = ${schema}.short(c.claim) WHERE (h.collection, h.key) <> (d.collection, d.key) ORDER BY 1, 2, 3`,
  );
  for (const { claim, ...at } of losers) {
    tell({
      about: "claim",
      at: keyFrom(at),
      message: `the claim ${claim} is declared, but another document has it`,
    });
  }
}

async function rebuildEntries(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows(
    `INSERT INTO ${schema}.entries (collection, idx, value, key, first) ${declaredEntries(schema, `${schema}.documents`)}`,
  );
}

/**
 * No reader has a place in the feeds as they are from now on, so that any will do that comes before all transactions: behind one of somebody
 * else that is open, whoever reads anew would find feeds empty, and let go of everything.
 */
async function rebuildFeeds(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows(givePlaces(schema, "d.position, d.nth"));
  await transaction.rows(tellPlaces(schema));
}
