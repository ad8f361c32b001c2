import {
  checkNaming,
  type Entries,
  type Found,
  type Json,
  type Naming,
  type StoredDocument,
} from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { type DocumentRow, documentColumns, keyFrom } from "./rows.ts";
import { toColumn } from "./text.ts";

const holderSql = `SELECT ${documentColumns} FROM claims c
  CROSS JOIN documents d ON d.collection = c.collection AND d.key = c.key WHERE c.claim = ?`;

const namingSql = `SELECT ${documentColumns} FROM claims c
  CROSS JOIN entries w NOT INDEXED ON w.collection = ? AND w.idx = ? AND w.value = c.key
  CROSS JOIN documents d ON d.collection = w.collection AND d.key = w.key WHERE c.claim = ?`;

// The holder comes first: SQLite runs the parts of a UNION ALL one after the other.
const bothSql = `${holderSql} UNION ALL ${namingSql}`;

/** What a document declares for the indexes is long, and seldom looked at. */
function documentOf(row: DocumentRow): StoredDocument {
  return {
    ...keyFrom(row),
    version: row.version,
    claims: JSON.parse(row.claims) as string[],
    get entries() {
      return JSON.parse(row.entries) as Entries;
    },
    feeds: JSON.parse(row.feeds) as string[],
    body: JSON.parse(row.body) as Json,
  };
}

/**
 * Finds a claim's holder and the documents that name it, in one statement: it sees one state by itself, and taking the
 * file's read lock costs more than reading a document.
 */
export function findHolder(
  connection: Connection,
  claim: string,
  naming: Naming | undefined,
): Found | undefined {
  if (naming) checkNaming(naming);
  const column = toColumn(claim);
  const rows = naming
    ? connection.rows<DocumentRow>(
        bothSql,
        column,
        toColumn(naming.collection),
        toColumn(naming.index),
        column,
      )
    : connection.rows<DocumentRow>(holderSql, column);
  const [document, ...named] = rows.map(documentOf);
  return document && { document, naming: named };
}
