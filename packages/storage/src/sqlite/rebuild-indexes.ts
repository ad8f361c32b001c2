import { type DocumentKey, StoreError } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection } from "./client.ts";
import { keyAsText, textFrom } from "./damaged.ts";
import { farthest } from "./rebuild-numbers.ts";
import { refusal } from "./refusal.ts";
import { numbersRows, renewTable } from "./schema-tables.ts";
import { faultsOfPages } from "./soundness.ts";
import type { Tell } from "./verify.ts";

/** What a rebuild works on. */
interface Ground {
  readonly connection: Connection;
  /** Names the file in messages. */
  readonly where: string;
  readonly tell: Tell;
}

/**
 * Makes what finds documents, and numbers names, agree with itself; all else that is built asks these. Must run in a transaction.
 *
 * @throws StoreError `corrupt` where two rows are of one document.
 */
export function mendIndexes(ground: Ground): void {
  const { connection, where } = ground;
  mendKeys(ground);
  // Rows that have the numbers are built anew, and the store gets another name, by which others know that they have to ask again.
  for (const table of ["indexes", "feed_names"] as const) {
    if (!isSound(connection, table, where)) renewTable(connection, table);
  }
  if (!isSound(connection, "substring_indexes", where)) mendNames(connection, where);
}

/** The rows tell which documents there are, whatever their index says of them. */
function mendKeys({ connection, where, tell }: Ground): void {
  const strange = attempt(where, () => strangersTo(connection)) ?? [];
  try {
    connection.script("REINDEX main.documents");
  } catch (error) {
    throw doubled(connection, where) ?? error;
  }
  for (const at of strange) {
    const message =
      "the row has a key that the index of keys had not: one of the two is damaged, and which can't be told. It was taken as the " +
      "row has it; compare it with a backup";
    tell({ about: "document", at: keyAsText(at), message });
  }
}

/** So many of one kind tell enough. */
const most = 100;

/** Documents whose keys their index lacks. One that only leads from a key to another row is damaged by itself. */
function strangersTo(connection: Connection): readonly DocumentKey[] {
  return connection.rows<DocumentKey>(
    `SELECT d.collection, d.key FROM documents d NOT INDEXED
    WHERE typeof(d.collection) = 'text' AND typeof(d.key) = 'text' AND NOT EXISTS (
      SELECT 1 FROM documents i INDEXED BY sqlite_autoindex_documents_1 WHERE i.collection = d.collection AND i.key = d.key
    ) LIMIT ${most}`,
  );
}

function doubled(connection: Connection, where: string): StoreError | undefined {
  const double = attempt(where, () =>
    connection.row<DocumentKey>(
      "SELECT collection, key FROM documents NOT INDEXED GROUP BY collection, key HAVING count(*) > 1 LIMIT 1",
    ),
  );
  if (!double) return undefined;
  const { collection, key } = keyAsText(double);
  return new StoreError(
    "corrupt",
    `${where}: the document ${collection} ${JSON.stringify(key)} is there more than once, so nothing can be built from the documents. ` +
      "Nothing was written. Restore a backup, or delete the row that is wrong.",
  );
}

const columns = {
  indexes: { number: "id", texts: ["collection", "idx"], integers: ["several"] },
  feed_names: { number: "id", texts: ["feed"], integers: [] },
  substring_indexes: { number: "number", texts: ["idx"], integers: [] },
} as const;

/** Whether a table of numbered names agrees with its index, and has what can be names and numbers. */
function isSound(connection: Connection, table: keyof typeof columns, where: string): boolean {
  const { number, texts, integers } = columns[table];
  const odd = [
    `${number} NOT BETWEEN 1 AND ${farthest}`,
    ...texts.map((column) => `typeof(${column}) <> 'text'`),
    ...integers.map((column) => `typeof(${column}) <> 'integer'`),
  ];
  const sound = attempt(where, () => {
    const faults = faultsOfPages(connection, `integrity_check('${table}')`, table);
    const row = connection.row(`SELECT 1 FROM ${table} NOT INDEXED WHERE ${odd.join(" OR ")}`);
    return faults.length === 0 && row === undefined && numbersRows(connection, table);
  });
  return sound ?? false;
}

/** No document tells which indexes have trigrams: each name that can still be read is kept. */
function mendNames(connection: Connection, where: string): void {
  const names = ["NOT INDEXED", "INDEXED BY sqlite_autoindex_substring_indexes_1"].flatMap((how) => {
    const read = () =>
      connection.rows<{ idx: unknown }>(
        `SELECT idx FROM substring_indexes ${how} WHERE typeof(idx) = 'text' ORDER BY idx`,
      );
    return (attempt(where, read) ?? []).map(({ idx }) => toColumn(textFrom(idx)));
  });
  renewTable(connection, "substring_indexes");
  for (const name of new Set(names)) connection.run("INSERT INTO substring_indexes (idx) VALUES (?)", name);
}

/** `undefined` where damage hinders it. */
function attempt<T>(where: string, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (refusal(error, where).code !== "corrupt") throw error;
    return undefined;
  }
}
