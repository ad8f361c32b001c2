import type { Found, Naming } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { indexNumber } from "./conditions.ts";
import { type DocumentRow, documentColumns, fromRow } from "./rows.ts";

const holderSql = `SELECT ${documentColumns} FROM claims c
  CROSS JOIN documents d ON d.collection = c.collection AND d.key = c.key WHERE c.claim = ?`;

const namingSql = `SELECT ${documentColumns} FROM claims c
  CROSS JOIN entries w ON w.idx = ${indexNumber} AND w.value = c.key
  CROSS JOIN documents d ON d.id = w.document WHERE c.claim = ?`;

// The holder comes first: SQLite runs the parts of a UNION ALL one after the other.
const bothSql = `${holderSql} UNION ALL ${namingSql}`;

/**
 * Finds a claim's holder and the documents that name it, in one statement: it sees one state by itself, and taking the
 * file's read lock costs more than reading a document.
 */
export function findHolder(
  connection: Connection,
  claim: string,
  naming: Naming | undefined,
): Found | undefined {
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
  const [document, ...named] = rows.map(fromRow);
  return document && { document, naming: named };
}
