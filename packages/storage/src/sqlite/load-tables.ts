import type { DocumentKey } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { type DocumentRow, documentColumns, fromRow, keyFrom } from "./rows.ts";

/** What keeps documents from being one store's: a key, or a claim, that two of them have. Then there is no file. */
export type SqliteLoadConflict =
  | { readonly kind: "key"; readonly at: DocumentKey }
  | {
      readonly kind: "claim";
      readonly claim: string;
      readonly at: DocumentKey;
      /** Another document that declares it. */
      readonly holder: DocumentKey;
    };

/** Writes the claims of all documents, of which the first keeps one that several declare; answers how many there are. */
export function buildClaims(connection: Connection): number {
  connection.script(`INSERT INTO claims (claim, collection, key)
    SELECT c.value, d.collection, d.key FROM documents d CROSS JOIN json_each(d.claims) c
    WHERE d.claims <> '[]' AND d.id NOT IN (SELECT id FROM temp.moved) ORDER BY c.value, d.id
    ON CONFLICT DO NOTHING`);
  return connection.row<{ count: number }>("SELECT count(*) AS count FROM claims")?.count ?? 0;
}

/**
 * Writes the entries of all documents, whose indexes have their numbers. A repeated value keeps its first place. SQLite sorts
 * what fits into its memory for pages at a time, and merges that: what a processor has in its own memory is sorted soonest.
 */
export function buildEntries(connection: Connection): void {
  connection.script(`PRAGMA cache_size = -${sortedKibibytes};
    INSERT INTO entries (idx, value, key, first, document)
    SELECT i.id, v.value, d.key, v.key = 0, d.id FROM documents d NOT INDEXED CROSS JOIN json_each(d.indexed) a
    CROSS JOIN indexes i ON i.collection = d.collection AND i.idx = a.key CROSS JOIN json_each(a.value) v
    WHERE 1 ORDER BY i.id, v.value, d.key, v.key
    ON CONFLICT DO NOTHING`);
}

const sortedKibibytes = 4 * 1024;

const atOnce = 500;

/** The first document that declares a claim which another one keeps. */
export function findTakenClaim(connection: Connection): SqliteLoadConflict | undefined {
  const sql = `SELECT d.id, ${documentColumns} FROM documents d WHERE d.id > ? AND d.claims <> '[]' ORDER BY d.id LIMIT ${atOnce}`;
  for (let after = 0; ; ) {
    const rows = connection.rows<DocumentRow & { id: number }>(sql, after);
    for (const row of rows) {
      const found = takenOf(connection, row);
      if (found) return found;
    }
    const last = rows.at(-1);
    if (!last) return undefined;
    after = last.id;
  }
}

function takenOf(connection: Connection, row: DocumentRow): SqliteLoadConflict | undefined {
  const { collection, key, claims } = fromRow(row);
  for (const claim of claims) {
    const sql = "SELECT collection, key FROM claims WHERE claim = ?";
    const holder = connection.row<{ collection: string; key: string }>(sql, toColumn(claim));
    if (!holder || (holder.collection === row.collection && holder.key === row.key)) continue;
    return { kind: "claim", claim, at: { collection, key }, holder: keyFrom(holder) };
  }
  return undefined;
}
