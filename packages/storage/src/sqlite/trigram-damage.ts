import { StoreError } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { isCode } from "./result-codes.ts";

/**
 * A table of trigrams whose declaration is damaged: SQLite refuses each statement about it in words of its own, and with the code that
 * it has for statements that are wrong by themselves.
 *
 * @param error What a statement about a table threw that is there already.
 * @returns `undefined` for any other error, also where this SQLite can keep no trigrams at all.
 */
export function damagedTrigrams(
  connection: Connection,
  error: unknown,
  where: string,
): StoreError | undefined {
  if (!isOfStatement(error) || !keepsTrigrams(connection)) return undefined;
  return new StoreError(
    "corrupt",
    `${where}: the declaration of a table of trigrams is damaged (${error.message}). Examine the database with \`fieldroll verify\`; ` +
      "`fieldroll reindex` makes such tables anew.",
    { cause: error },
  );
}

/** Whether SQLite says that a statement is none, and not that something hinders it. */
export function isOfStatement(error: unknown): error is Error {
  return error instanceof Error && isCode(error, { name: "SQLITE_ERROR", number: 1 });
}

/** Tries it beside the file, in what only this connection has. */
function keepsTrigrams(connection: Connection): boolean {
  try {
    connection.script(`CREATE VIRTUAL TABLE temp.trial_of_trigrams USING fts5 (
      text, content = '', detail = none, columnsize = 0, tokenize = 'trigram case_sensitive 1'
    ); DROP TABLE temp.trial_of_trigrams`);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether FTS5 finds each trigram in as many texts as it has it for. What leads to a trigram may be lost while its list is whole: FTS5's
 * own check reads all lists one after the other, and passes over it. Must run in a transaction that is taken back.
 */
export function findsAllTrigrams(connection: Connection, table: string): boolean {
  connection.script(`CREATE VIRTUAL TABLE temp.${table}_kept USING fts5vocab ('main', '${table}', 'row')`);
  const sql = `SELECT 1 FROM temp.${table}_kept k WHERE k.doc IS NOT (SELECT f.doc FROM temp.${table}_kept f WHERE f.term = k.term) LIMIT 1`;
  return connection.row(sql) === undefined;
}

/**
 * Takes a table of trigrams away. To drop one SQLite has to understand its declaration first; one that it does not is struck out, and
 * what FTS5 kept of it are plain tables then. Must run in a transaction that changes other tables as well, so that others see it.
 *
 * @throws StoreError `corrupt` where the client lets nobody do that.
 */
export function dropTrigrams(connection: Connection, table: string): void {
  try {
    connection.script(`DROP TABLE IF EXISTS ${table}`);
  } catch (error) {
    if (!isOfStatement(error) || !keepsTrigrams(connection)) throw error;
    strikeOut(connection, table, error);
    for (const part of ["data", "idx", "config"]) connection.script(`DROP TABLE IF EXISTS ${table}_${part}`);
  }
}

function strikeOut(connection: Connection, table: string, reason: Error): void {
  try {
    connection.undefended(() => {
      connection.script("PRAGMA writable_schema = ON");
      try {
        connection.script(`DELETE FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`);
      } finally {
        connection.script("PRAGMA writable_schema = RESET");
      }
    });
  } catch (error) {
    throw new StoreError(
      "corrupt",
      `The declaration of the table ${table} is damaged (${reason.message}), and this client can't strike it out. Nothing was ` +
        "written. Use better-sqlite3, or restore a backup.",
      { cause: error },
    );
  }
}
