import {
  checkedChangesRequest,
  checkedClaims,
  checkedCount,
  checkedKeys,
  checkedNaming,
  checkedQuery,
  type DocumentKey,
  type Found,
  type Naming,
  type Store,
  type StoredDocument,
} from "@fieldroll/core";
import { toColumn } from "../text.ts";
import { readChanges } from "./changes.ts";
import type { Database } from "./client.ts";
import { newId } from "./cluster.ts";
import { prepareCommit } from "./commit.ts";
import { CommitQueue } from "./group.ts";
import { countAll, runQuery } from "./query.ts";
import { rebuildStore } from "./rebuild.ts";
import { columnsOf, type DocumentRow, documentColumns, fromRow, keyFrom } from "./rows.ts";
import { holdSchema, lacksStoreRow } from "./schema.ts";
import { verifyStore } from "./verify.ts";

/** The store port over a database of the present schema. */
export function createPostgresStore(database: Database, schema: string): Store {
  const queue = new CommitQueue(database, schema);
  const call = <T>(work: () => Promise<T>) => database.calling(work);
  /** A call whose request is read before anything waits. */
  const asked =
    <Given, Checked, T>(check: (given: Given) => Checked, work: (checked: Checked) => Promise<T>) =>
    async (given: Given) => {
      const checked = check(given);
      return call(() => work(checked));
    };
  return {
    get: asked(checkedKeys, (keys) => read(database, schema, keys)),
    resolve: asked(checkedClaims, (claims) => holders(database, schema, claims)),
    find: async (claim, naming) => {
      checkedClaims([claim]);
      const wanted = { claim, naming: naming && checkedNaming(naming) };
      return call(() => findHolder(database, schema, wanted));
    },
    query: asked(checkedQuery, (query) => runQuery(database, schema, query)),
    count: async (query, isWanted) => {
      const wanted = checkedCount(query);
      return call(() => countAll(database, schema, wanted, isWanted));
    },
    changes: asked(checkedChangesRequest, (request) => readChanges(database, schema, request)),
    commit: asked(prepareCommit, (commit) => queue.add(commit)),
    verify: (tell) => call(() => verifyStore(database, schema, tell)),
    rebuild: (tell) => call(() => rebuildStore(database, schema, tell)),
    renew: () =>
      call(() =>
        database.transaction(async (transaction) => {
          await holdSchema(transaction, schema, database.where);
          const renewed = await transaction.rows(`UPDATE ${schema}.store SET id = ${newId} RETURNING 1`);
          if (renewed.length === 0) throw lacksStoreRow();
        }),
      ),
    close: () => database.close(),
  };
}

interface PlacedRow extends DocumentRow {
  readonly nth: string;
}

async function read(
  database: Database,
  schema: string,
  keys: readonly DocumentKey[],
): Promise<readonly (StoredDocument | undefined)[]> {
  const columns = keys.map(columnsOf);
  const [only] = columns;
  if (only && columns.length === 1) {
    const sql = `SELECT ${documentColumns} FROM ${schema}.documents d WHERE d.collection = $1 AND d.key = $2`;
    const [row] = await database.rows<DocumentRow>(sql, [only.collection, only.key]);
    return [row && fromRow(row)];
  }
  const rows = await database.rows<PlacedRow>(
    `SELECT n.nth, ${documentColumns} FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS n(collection, key, nth)
      JOIN ${schema}.documents d ON d.collection = n.collection AND d.key = n.key`,
    [columns.map(({ collection }) => collection), columns.map(({ key }) => key)],
  );
  const found = new Map(rows.map((row) => [Number(row.nth), row]));
  return keys.map((_, place) => {
    const row = found.get(place + 1);
    return row && fromRow(row);
  });
}

async function holders(
  database: Database,
  schema: string,
  claims: readonly string[],
): Promise<readonly (DocumentKey | undefined)[]> {
  const rows = await database.rows<{ nth: string; collection: string; key: string }>(
    `SELECT n.nth, c.collection, c.key FROM unnest($1::text[]) WITH ORDINALITY AS n(claim, nth)
      JOIN ${schema}.claims c ON c.claim = ${schema}.short(n.claim)`,
    [claims.map(claimable)],
  );
  const found = new Map(rows.map((row) => [Number(row.nth), keyFrom(row)]));
  return claims.map((_, place) => found.get(place + 1));
}

/**
 * No claim has U+0000 or half a surrogate pair, and no column takes them: what has one is nobody's, as is the empty claim. NULL
 * in a list is the claim "NULL" where `array_nulls` is off.
 */
function claimable(claim: string): string {
  return claim.includes("\u0000") || /\p{Surrogate}/u.test(claim) ? "" : claim;
}

async function findHolder(
  database: Database,
  schema: string,
  { claim, naming }: { readonly claim: string; readonly naming: Naming | undefined },
): Promise<Found | undefined> {
  const holder = `FROM ${schema}.claims c JOIN ${schema}.documents h ON h.collection = c.collection AND h.key = c.key
    WHERE c.claim = ${schema}.short($1::text)`;
  const own = `SELECT 0 AS part, ${documentColumns.replaceAll("d.", "h.")} ${holder}`;
  const others = `SELECT 1, ${documentColumns} FROM ${schema}.claims c
    JOIN ${schema}.entries w ON w.collection = $2::text AND w.idx = $3::text AND w.value = ${schema}.bounded(c.key)
    JOIN ${schema}.documents d ON d.collection = w.collection AND d.key = w.key AND d.indexed -> $3::text ? c.key
    WHERE c.claim = ${schema}.short($1::text)`;
  const rows = await database.rows<DocumentRow & { part: number }>(
    naming ? `${own} UNION ALL (${others} ORDER BY d.key)` : own,
    [claimable(claim), ...(naming ? [toColumn(naming.collection), toColumn(naming.index)] : [])],
  );
  const document = rows.find(({ part }) => part === 0);
  return (
    document && { document: fromRow(document), naming: rows.filter(({ part }) => part === 1).map(fromRow) }
  );
}
