import type { Connection } from "./client.ts";
import type { SubstringIndex } from "./substrings.ts";

const tables = [
  "store",
  "documents",
  "claims",
  "entries",
  "feeds",
  "departures",
  "indexes",
  "feed_names",
  "substring_indexes",
];

/** What the present schema has and a file lacks, such as `trigger substrings_1_inserted`. */
export function missingObjects(
  connection: Connection,
  indexes: readonly SubstringIndex[],
): readonly string[] {
  const rows = connection.rows<{ type: string; name: string }>("SELECT type, name FROM sqlite_schema");
  const present = new Set(rows.map(({ type, name }) => `${type} ${name}`));
  return [...tables.map((name) => `table ${name}`), ...indexes.flatMap(ofSubstrings)].filter(
    (wanted) => !present.has(wanted),
  );
}

function ofSubstrings({ number }: SubstringIndex): readonly string[] {
  const triggers = ["inserted", "deleted", "updated"].map((when) => `trigger substrings_${number}_${when}`);
  return [`table substrings_${number}`, `table trigrams_${number}`, ...triggers];
}
