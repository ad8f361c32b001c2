import type { Condition, Entries } from "@fieldroll/core";
import type { ColumnRow } from "./rows.ts";

/** What queries see of a document. */
export interface Indexed {
  readonly key: string;
  readonly entries: Entries;
}

/** The part of a column's row that does not name it. */
export type ColumnData = Omit<ColumnRow, "id" | "indexes">;

/** Makes the columns of a block, by index. Documents must come in the order of their keys. */
export function columnsOf(documents: readonly Indexed[]): Map<string, ColumnData> {
  const indexes = new Map<string, Map<string, number[]>>();
  for (const [number, { entries }] of documents.entries()) {
    for (const [index, values] of Object.entries(entries)) {
      const owned = indexes.get(index) ?? new Map<string, number[]>();
      indexes.set(index, owned);
      addValues(owned, values, 2 * number);
    }
  }
  return new Map([...indexes].flatMap(([index, owned]) => (owned.size > 0 ? [[index, dataOf(owned)]] : [])));
}

function addValues(owned: Map<string, number[]>, values: readonly string[], first: number): void {
  let owner = first;
  for (const value of values) {
    const owners = owned.get(value);
    // A value named twice counts once, where it came first.
    if (!owners) owned.set(value, [owner]);
    else if ((owners.at(-1) ?? -1) < first) owners.push(owner);
    owner = first + 1;
  }
}

function dataOf(owned: ReadonlyMap<string, readonly number[]>): ColumnData {
  const values = [...owned.keys()].sort();
  const ends = new Uint32Array(values.length);
  const owners = values.flatMap((value) => owned.get(value) ?? []);
  let end = 0;
  for (const [i, value] of values.entries()) {
    end += owned.get(value)?.length ?? 0;
    ends[i] = end;
  }
  return { text: values.join("\u0000"), ends, owners: Uint16Array.from(owners) };
}

/** A column as queries use it. Its values are cut out of the text only where they are asked for. */
export interface Column {
  /** How many distinct values there are. */
  readonly size: number;
  /** Roughly the bytes it takes. */
  readonly weight: number;
  value(at: number): string;
  /** The number of the first value that is not before a text. */
  from(text: string): number;
  /** The owners of a value, as {@link ColumnRow} writes them. */
  owners(at: number): Uint16Array;
  /** Visits owners value by value, from a value on, forwards or backwards, as long as told to. */
  walk(from: number, step: 1 | -1, visit: (owner: number, at: number) => boolean): void;
  /** The numbers of the values that meet a condition. */
  meeting(condition: Condition): readonly number[];
}

export function openColumn({ text, ends, owners }: ColumnData): Column {
  const size = ends.length;
  let known: Uint32Array | undefined;
  // Where each value begins, and after the last one where the next would.
  const begins = () => {
    known ??= beginnings(text, size);
    return known;
  };
  const value = (at: number) => text.slice(begins()[at], (begins()[at + 1] ?? 0) - 1);
  const from = (wanted: string) => firstWhere(size, (at) => value(at) >= wanted);
  return {
    size,
    weight: 2 * text.length + 8 * size + 2 * owners.length,
    value,
    from,
    owners: (at) => owners.subarray(at > 0 ? ends[at - 1] : 0, ends[at]),
    walk: (first, step, visit) => walkOwners({ ends, owners }, first, { step, visit }),
    meeting(condition) {
      if ("anyOf" in condition) {
        return [...new Set(condition.anyOf)].flatMap((wanted) => {
          const at = from(wanted);
          return at < size && value(at) === wanted ? [at] : [];
        });
      }
      if ("contains" in condition) return holding(condition.contains);
      if ("prefix" in condition) {
        const first = from(condition.prefix);
        const rest = firstWhere(size - first, (at) => !value(first + at).startsWith(condition.prefix));
        return counted(first, first + rest);
      }
      const first = condition.from === undefined ? 0 : from(condition.from);
      return counted(first, condition.below === undefined ? size : from(condition.below));
    },
  };

  function holding(part: string): number[] {
    const found: number[] = [];
    // No value holds U+0000, and the text has it between two.
    if (part.includes("\u0000")) return found;
    for (let at = text.indexOf(part); at >= 0 && found.length < size; ) {
      const number = firstWhere(size, (each) => (begins()[each + 1] ?? 0) > at);
      if (number >= size) break;
      found.push(number);
      const next = begins()[number + 1] ?? 0;
      at = next > text.length ? -1 : text.indexOf(part, next);
    }
    return found;
  }
}

function walkOwners(
  { ends, owners }: Pick<ColumnData, "ends" | "owners">,
  first: number,
  { step, visit }: { step: 1 | -1; visit: (owner: number, at: number) => boolean },
): void {
  const begin = (at: number) => (at > 0 ? (ends[at - 1] ?? 0) : 0);
  const end = (at: number) => ends[at] ?? 0;
  let at = first;
  for (let i = step > 0 ? begin(at) : end(at) - 1; i >= 0 && i < owners.length; i += step) {
    // A value has at least one owner.
    if (i < begin(at) || i >= end(at)) at += step;
    if (!visit(owners[i] ?? 1, at)) return;
  }
}

function beginnings(text: string, size: number): Uint32Array {
  const begins = new Uint32Array(size + 1);
  for (let i = 1, at = 0; i < size; i++) {
    at = text.indexOf("\u0000", at) + 1;
    begins[i] = at;
  }
  begins[size] = text.length + 1;
  return begins;
}

/** The first number for which a test holds that holds for all after it; `size` where there is none. */
export function firstWhere(size: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, size];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function counted(from: number, below: number): number[] {
  return Array.from({ length: Math.max(0, below - from) }, (_, i) => from + i);
}
