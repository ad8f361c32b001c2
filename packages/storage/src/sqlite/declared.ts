import type { Entries } from "@fieldroll/core";
import { toColumn } from "./text.ts";

/** One row of `entries`, without the document's key, written for columns. */
export interface Entry {
  readonly idx: string;
  readonly value: string;
  /** Whether sorting by the index uses this value. */
  readonly first: boolean;
}

/** What has to be written and erased for a table to follow a change. */
export interface Difference<T> {
  readonly write: readonly T[];
  readonly erase: readonly T[];
}

/** The entries to write and erase when a document's entries change. Unchanged ones stay untouched. */
export function entriesDifference(before: Entries, after: Entries): Difference<Entry> {
  const changed = (name: string) => !isSame(before[name], after[name]);
  const old = entryRows(before, changed);
  const current = entryRows(after, changed);
  return {
    write: [...current]
      .filter(([name, entry]) => old.get(name)?.first !== entry.first)
      .map(([, entry]) => entry),
    erase: [...old].filter(([name]) => !current.has(name)).map(([, entry]) => entry),
  };
}

/** The texts to write and erase when a list of texts changes; its order and repetitions do not matter. */
export function textsDifference(before: readonly string[], after: readonly string[]): Difference<string> {
  const old = new Set(before);
  const current = new Set(after);
  return {
    write: [...current].filter((text) => !old.has(text)).map(toColumn),
    erase: [...old].filter((text) => !current.has(text)).map(toColumn),
  };
}

/** Whether a document has the same values in an index, in the same order. */
export function isSame(before: readonly string[] = [], after: readonly string[] = []): boolean {
  return before.length === after.length && before.every((value, at) => value === after[at]);
}

function entryRows(entries: Entries, isWanted: (index: string) => boolean): Map<string, Entry> {
  const rows = new Map<string, Entry>();
  for (const [index, values] of Object.entries(entries)) {
    if (!isWanted(index)) continue;
    const idx = toColumn(index);
    for (const [place, text] of values.entries()) {
      const value = toColumn(text);
      // A repeated value keeps its first place. No column holds U+0000, so the joined name is unambiguous.
      const name = `${idx}\u0000${value}`;
      if (!rows.has(name)) rows.set(name, { idx, value, first: place === 0 });
    }
  }
  return rows;
}
