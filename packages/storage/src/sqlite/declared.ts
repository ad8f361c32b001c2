import type { Entries } from "@fieldroll/core";
import { toColumn } from "../text.ts";

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
  const write: Entry[] = [];
  const erase: Entry[] = [];
  for (const index of Object.keys(after)) {
    const [old, current] = [valuesIn(before, index), valuesIn(after, index)];
    if (!isSame(old, current)) compare(toColumn(index), { old, current }, { write, erase });
  }
  for (const index of Object.keys(before)) {
    if (Object.hasOwn(after, index)) continue;
    compare(toColumn(index), { old: valuesIn(before, index), current: [] }, { write, erase });
  }
  return { write, erase };
}

interface Values {
  readonly old: readonly string[];
  readonly current: readonly string[];
}

/** Adds what differs in one index. A repeated value keeps its first place. */
function compare(
  idx: string,
  { old, current }: Values,
  { write, erase }: { readonly write: Entry[]; readonly erase: Entry[] },
): void {
  const [was, is] = [new Set(old), new Set(current)];
  for (const value of is) {
    const first = value === current[0];
    if (was.has(value) && first === (value === old[0])) continue;
    write.push({ idx, value: toColumn(value), first });
  }
  for (const value of was) {
    if (!is.has(value)) erase.push({ idx, value: toColumn(value), first: value === old[0] });
  }
}

const none: readonly string[] = [];

/** What a document has in an index. Any text may be an index's name, also one that every object has of its own. */
export function valuesIn(entries: Entries, index: string): readonly string[] {
  return (Object.hasOwn(entries, index) ? entries[index] : undefined) ?? none;
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
