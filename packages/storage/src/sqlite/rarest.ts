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
 * Trigrams that together the fewest texts have. FTS5 reads the list of every trigram that it is asked for, and those of common
 * ones grow with the register; a few rare ones leave little for the texts to be tested.
 *
 * @param trigrams As FTS5 is asked for them.
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
  const left = new Map(trigrams.map((trigram) => [trigram, countOf(trigram)]));
  const chosen: string[] = [];
  while (chosen.length < most) {
    const weighed = [...left].map(([trigram, count]) => ({
      trigram,
      weight: count * likeness(trigram, chosen),
    }));
    const { trigram } = weighed.reduce((least, each) => (each.weight < least.weight ? each : least));
    left.delete(trigram);
    chosen.push(trigram);
  }
  return chosen;
}

/**
 * How many times as common a trigram may be that shares nothing with those chosen, and still leave as few texts. One that begins as
 * another ends often stands where that one does, and then tells no more.
 */
function likeness(trigram: string, chosen: readonly string[]): number {
  return Math.max(
    ...[0, ...chosen.map((other) => overlap(codesIn(trigram), codesIn(other)))].map((shared) => 4 ** shared),
  );
}

/** How many codes one of two ends with that the other begins with. */
function overlap(a: readonly string[], b: readonly string[]): number {
  const meets = (before: readonly string[], after: readonly string[], length: number) =>
    before.slice(-length).join("") === after.slice(0, length).join("");
  return [2, 1].find((length) => meets(a, b, length) || meets(b, a, length)) ?? 0;
}

/** Of one trigram, without its quotes; none of one in all the ways in which it may go on. */
function codesIn(asked: string): readonly string[] {
  return asked.startsWith('"') ? [...asked.slice(1, -1)] : [];
}
