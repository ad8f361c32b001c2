import type { Connection } from "./client.ts";

/**
 * Rows and positions are counted up from 1, and no store comes so far. It is half of what a number holds exactly, so that counting on
 * from any number that is kept stays exact.
 */
export const farthest = 2 ** 52;

/** Whether a row of `documents` can have this number. */
export function isRowNumber(id: number): boolean {
  return Number.isSafeInteger(id) && id >= 1 && id <= farthest;
}

/**
 * Gives rows of `documents` whose number nothing can be counted on from another one, and takes away positions that are none, or that a
 * document with a smaller number has. Must run in a transaction, and before what names the rows is built.
 *
 * @returns The newest position that the store, or any document, has: whoever is given a new one comes after it.
 */
export function mendNumbers(connection: Connection): number {
  // In SQL, for not every client reads an integer of 64 bits as it is.
  const stray = `id < 1 OR id > ${farthest}`;
  let last = numberIn(
    connection,
    `SELECT max(id) AS number FROM documents WHERE id BETWEEN 1 AND ${farthest}`,
  );
  for (
    let left = numberIn(connection, `SELECT count(*) AS number FROM documents WHERE ${stray}`);
    left > 0;
    left--
  ) {
    last += 1;
    const sql = `UPDATE documents SET id = ? WHERE id = (SELECT id FROM documents WHERE ${stray} LIMIT 1)`;
    connection.run(sql, last);
  }
  const isPosition = `typeof(position) = 'integer' AND position BETWEEN 0 AND ${farthest}`;
  connection.run(`UPDATE documents SET position = 0 WHERE NOT (${isPosition})`);
  // SQLite sorts on the disk what there is no room for in memory: a register may have more documents than a set takes.
  connection.run(`UPDATE documents SET position = 0 WHERE id IN (
    SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY position ORDER BY id) AS nth FROM documents WHERE position > 0
    ) WHERE nth > 1)`);
  return Math.max(
    numberIn(connection, `SELECT max(position) AS number FROM store WHERE ${isPosition}`),
    numberIn(connection, "SELECT max(position) AS number FROM documents"),
  );
}

function numberIn(connection: Connection, sql: string): number {
  return connection.row<{ number: number | null }>(sql)?.number ?? 0;
}
