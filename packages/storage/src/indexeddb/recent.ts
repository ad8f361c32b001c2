import type { Entries } from "@fieldroll/core";
import { type Block, numberOf } from "./block.ts";
import type { Indexed } from "./column.ts";
import { answered, storeOf, type Work } from "./requests.ts";
import type { RecentEntry, RecentRow } from "./rows.ts";

/** The changes that are not packed yet, as far as they were read. */
export interface Recent {
  /** Reads those made since, and forgets those packed since. */
  refresh(work: Work): Promise<void>;
  /** Documents of a collection as they are now. */
  living(collection: string): Indexed[];
  /** Marks documents of a block that were replaced or removed since a row. @returns the newest row */
  bury(block: Block, collection: string, since: number): number;
}

export function createRecent(): Recent {
  let rows: (Omit<RecentRow, "text"> & { readonly text: string; entries?: readonly RecentEntry[] })[] = [];
  let asked: { rows: typeof rows; collection: string; since: number; keys: readonly string[] } | undefined;

  /** Of one collection, since a row. Parsed only where they are asked for. */
  function entriesOf(collection: string, since = 0): RecentEntry[] {
    return rows.flatMap((row) => {
      if (row.collection !== collection || row.n <= since) return [];
      row.entries ??= JSON.parse(row.text) as readonly RecentEntry[];
      return row.entries;
    });
  }

  /** Keys of documents that were replaced or removed. Most blocks ask since the same row. */
  function replacedSince(collection: string, since: number): readonly string[] {
    if (asked?.rows !== rows || asked.collection !== collection || asked.since !== since) {
      const keys = entriesOf(collection, since).flatMap(([key, , replaces]) => (replaces ? [key] : []));
      asked = { rows, collection, since, keys };
    }
    return asked.keys;
  }

  return {
    async refresh(work) {
      const store = storeOf(work, "recent");
      const newer = work.ranges.lowerBound(newestOf(rows), true);
      const [first, more] = await Promise.all([
        answered(store.getKey(work.ranges.lowerBound(0)) as IDBRequest<number | undefined>),
        answered(store.getAll(newer) as IDBRequest<RecentRow[]>),
      ]);
      // Another query may have added the same rows meanwhile.
      const last = newestOf(rows);
      const all = [...rows, ...more.filter(({ n }) => n > last)];
      rows = first === undefined ? [] : all.filter(({ n }) => n >= first);
    },
    living(collection) {
      const newest = new Map<string, Entries | null>();
      for (const [key, entries] of entriesOf(collection)) newest.set(key, entries);
      return [...newest].flatMap(([key, entries]) => (entries ? [{ key, entries }] : []));
    },
    bury(block, collection, since) {
      for (const key of replacedSince(collection, since)) {
        const number = numberOf(block, key);
        if (number !== undefined) block.dead[number] = 1;
      }
      return Math.max(since, newestOf(rows));
    },
  };
}

function newestOf(rows: readonly { readonly n: number }[]): number {
  return rows.at(-1)?.n ?? 0;
}
