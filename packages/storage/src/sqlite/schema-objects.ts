import { StoreError } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { pendingTable, trigramsTable } from "./pending-trigrams.ts";
import { tableNames } from "./schema-tables.ts";
import { tableOfSubstrings } from "./substring-tables.ts";
import { type SubstringIndex, substringIndexes } from "./substrings.ts";

/** What the present schema has and a file lacks, such as `trigger substrings_1_inserted`. */
export function missingObjects(
  connection: Connection,
  indexes: readonly SubstringIndex[],
): readonly string[] {
  const rows = connection.rows<{ type: string; name: string }>("SELECT type, name FROM sqlite_schema");
  const present = new Set(rows.map(({ type, name }) => `${type} ${name}`));
  return [...tableNames.map((name) => `table ${name}`), ...indexes.flatMap(ofSubstrings)].filter(
    (wanted) => !present.has(wanted),
  );
}

/**
 * Tables of texts and trigrams that no index has. They follow no change, so they may still have what was erased from documents.
 */
export function strayTables(connection: Connection, indexes: readonly SubstringIndex[]): readonly string[] {
  const belongs = new Set(indexes.flatMap(tablesOfIndex));
  const rows = connection.rows<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
  return rows.flatMap(({ name }) => (tableOfSubstrings.test(name) && !belongs.has(name) ? name : []));
}

/**
 * Whether a file of the present schema has all that belongs to it.
 *
 * @param refuse Whether it is refused when it has not.
 * @throws StoreError `corrupt`, which says what to do.
 */
export function hasAllObjects(
  connection: Connection,
  { where, refuse }: { readonly where: string; readonly refuse: boolean },
): boolean {
  const missing = connection.snapshot(() => {
    const tables = missingObjects(connection, []);
    return tables.length > 0 ? tables : missingObjects(connection, substringIndexes(connection));
  });
  if (missing.length === 0) return true;
  if (!refuse) return false;
  const advice = missing.includes("table documents")
    ? "With it went every document: restore a backup."
    : "`fieldroll reindex` makes anew what follows from the documents; or restore a backup.";
  throw new StoreError(
    "corrupt",
    `${where}: the ${missing.join(", the ")} ${missing.length === 1 ? "is" : "are"} missing, so the database was not opened. ${advice}`,
  );
}

function ofSubstrings(index: SubstringIndex): readonly string[] {
  const triggers = ["inserted", "deleted", "updated"].map(
    (when) => `trigger substrings_${index.number}_${when}`,
  );
  return [...tablesOfIndex(index).map((table) => `table ${table}`), ...triggers];
}

/** What an index of trigrams is kept in. */
export function tablesOfIndex({ number }: SubstringIndex): readonly string[] {
  return [`substrings_${number}`, trigramsTable(number), pendingTable(number)];
}
