import type { Connection } from "./client.ts";

/** A trigram that so many texts have is common; to count further would tell nothing. */
const common = 50_000;

/** Counts that are remembered for one file. */
const mostCounts = 20_000;

interface Counted {
  readonly count: number;
  /** How many texts there were at most. */
  readonly of: number;
}

const counts = new WeakMap<Connection, Map<string, Counted>>();

/**
 * The trigrams that the fewest texts have. FTS5 reads the list of every trigram that it is asked for, and those of common ones grow with
 * the register; a few rare ones leave little for the texts to be tested.
 *
 * @param trigrams Quoted for FTS5.
 * @param of How many texts there are at most. A count holds until there are twice as many.
 */
export function rarestTrigrams(
  connection: Connection,
  trigrams: readonly string[],
  { table, most, of }: { readonly table: string; readonly most: number; readonly of: number },
): readonly string[] {
  if (trigrams.length <= most) return trigrams;
  const known = counts.get(connection) ?? new Map<string, Counted>();
  counts.set(connection, known);
  if (known.size > mostCounts) known.clear();
  const countOf = (trigram: string): number => {
    const name = `${table} ${trigram}`;
    const before = known.get(name);
    if (before && of <= 2 * before.of) return before.count;
    const sql = `SELECT count(*) AS count FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${common})`;
    const count = connection.row<{ count: number }>(sql, trigram)?.count ?? 0;
    known.set(name, { count, of });
    return count;
  };
  return trigrams
    .map((trigram) => ({ trigram, count: countOf(trigram) }))
    .sort((a, b) => a.count - b.count)
    .slice(0, most)
    .map(({ trigram }) => trigram);
}
