import type { StoreCensus } from "@fieldroll/core";
import type { Database, Transaction } from "./client.ts";
import { keyFrom } from "./rows.ts";
import { newId } from "./schema.ts";
import type { Tell } from "./verify.ts";

/**
 * Builds claims, entries and feeds anew from the documents, in one transaction: broken off, nothing was done. Nobody writes
 * meanwhile, and readers wait. Feeds keep their order; that something is gone is forgotten, as every reader begins anew.
 */
export function rebuildStore(database: Database, schema: string, tell: Tell): Promise<StoreCensus> {
  const rebuild = async (transaction: Transaction) => {
    await transaction.rows(`LOCK TABLE ${schema}.documents IN EXCLUSIVE MODE`);
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

async function rebuildClaims(transaction: Transaction, schema: string, tell: Tell): Promise<void> {
  await transaction.rows(`TRUNCATE ${schema}.claims`);
  await transaction.rows(
    `INSERT INTO ${schema}.claims (claim, collection, key)
    SELECT DISTINCT ON (${schema}.short(c.claim)) ${schema}.short(c.claim), d.collection, d.key
    FROM ${schema}.documents d CROSS JOIN jsonb_array_elements_text(CASE WHEN jsonb_typeof(d.claims) = 'array' THEN d.claims ELSE '[]' END) AS c(claim) ORDER BY 1, 2, 3`,
  );
  const losers = await transaction.rows<{ collection: string; key: string; claim: string }>(
    `SELECT DISTINCT d.collection, d.key, c.claim FROM ${schema}.documents d CROSS JOIN jsonb_array_elements_text(CASE WHEN jsonb_typeof(d.claims) = 'array' THEN d.claims ELSE '[]' END) AS c(claim)
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
  await transaction.rows(`TRUNCATE ${schema}.entries`);
  await transaction.rows(
    `INSERT INTO ${schema}.entries (collection, idx, value, key, first)
    SELECT d.collection, i.idx, ${schema}.bounded(v.value), d.key, bool_or(v.place = 1)
    FROM ${schema}.documents d CROSS JOIN jsonb_each(CASE WHEN jsonb_typeof(d.indexed) = 'object' THEN d.indexed ELSE '{}' END) AS i(idx, list)
    CROSS JOIN jsonb_array_elements_text(CASE WHEN jsonb_typeof(i.list) = 'array' THEN i.list ELSE '[]' END) WITH ORDINALITY AS v(value, place) GROUP BY 1, 2, 3, 4`,
  );
}

async function rebuildFeeds(transaction: Transaction, schema: string): Promise<void> {
  await transaction.rows(`CREATE TEMPORARY TABLE former ON COMMIT DROP AS SELECT * FROM ${schema}.feeds`);
  await transaction.rows(`TRUNCATE ${schema}.feeds`);
  await transaction.rows(
    `INSERT INTO ${schema}.feeds (feed, collection, key, position, nth, gone)
    SELECT n.feed, n.collection, n.key, s.shift + pg_current_xact_id()::text::bigint,
      row_number() OVER (PARTITION BY n.feed ORDER BY o.position NULLS LAST, o.nth, n.collection, n.key), false
    FROM ${schema}.store s CROSS JOIN (
      SELECT DISTINCT ${schema}.short(f.feed) AS feed, d.collection, d.key
      FROM ${schema}.documents d CROSS JOIN jsonb_array_elements_text(CASE WHEN jsonb_typeof(d.feeds) = 'array' THEN d.feeds ELSE '[]' END) AS f(feed)
    ) n LEFT JOIN former o ON o.feed = n.feed AND o.collection = n.collection AND o.key = n.key`,
  );
}
