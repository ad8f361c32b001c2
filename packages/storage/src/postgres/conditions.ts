import type { Condition, Position } from "@fieldroll/core";
import { pastAll, toColumn } from "../text.ts";
import type { Value } from "./client.ts";
import { escaped } from "./list-text.ts";
import { kept, longestValue } from "./rows.ts";

/** Collects the values of a statement while its text is written: each gets its parameter. */
export class Parameters {
  readonly values: Value[] = [];
  readonly #known = new Map<Value, string>();

  /** The parameter that stands for a value, with its type, which no statement is left to guess. */
  text(value: string): string {
    return this.#add(value, "text");
  }

  number(value: number): string {
    return this.#add(value, "bigint");
  }

  list(values: readonly string[]): string {
    return this.#add(values, "text[]");
  }

  #add(value: Value, type: string): string {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    this.values.push(value);
    const parameter = `$${this.values.length}::${type}`;
    this.#known.set(value, parameter);
    return parameter;
  }
}

const nothing = "false";

/**
 * A place in a query's order as columns have it. Nothing stored has U+0000, which comes before every other character: a place
 * with one lies just past what is before it.
 */
export function placeOf({ value, key }: Position, descending: boolean): Position {
  const end = key.indexOf("\u0000");
  const column = end < 0 ? toColumn(key) : toColumn(key.slice(0, end)) + (descending ? "\u0001" : "");
  if (value === null) return { value, key: column };
  const cut = value.indexOf("\u0000");
  return cut < 0 ? { value: kept(value), key: column } : { value: kept(value.slice(0, cut)), key: pastAll };
}

/** Whether the condition asks for one value. */
export function isEquality(condition: Condition): boolean {
  return "anyOf" in condition && new Set(condition.anyOf).size === 1;
}

/** Whether what an index keeps of values may not tell whether they meet a condition. */
export function isCut(condition: Condition): boolean {
  const texts = Object.entries(condition).flatMap(([name, value]: [string, unknown]) =>
    name === "index" || value === undefined ? [] : [value].flat(),
  );
  return "contains" in condition || texts.some((text) => toColumn(String(text)).length >= longestValue);
}

/**
 * That a document, the row named `d` of `documents`, has a value that meets the condition.
 * Written as what can't be turned into a join: which way to go is decided by the adapter, see `plan.ts`.
 */
export function documentMeets(condition: Condition, add: Parameters): string {
  const values = "anyOf" in condition ? storable(condition.anyOf).map(toColumn) : [];
  // A parameter that no statement names has no type.
  if ("anyOf" in condition && values.length === 0) return nothing;
  const list = `d.indexed -> ${add.text(columnName(condition.index))}`;
  if ("anyOf" in condition) return `${list} ?| ${add.list(values)}`;
  const test = valueMeets('v.value COLLATE "C"', condition, add);
  return `EXISTS (SELECT 1 FROM jsonb_array_elements_text(${list}) AS v(value) WHERE ${test})`;
}

/**
 * That a row of `entries`, named `w`, may meet the condition: it does, unless the condition {@link isCut}. A value that was cut
 * may have a substring that the index does not: `select.ts` finds those by themselves.
 */
export function entryMeets(condition: Condition, add: Parameters): string {
  if ("contains" in condition || !isCut(condition)) return valueMeets("w.value", condition, add);
  if ("anyOf" in condition) {
    return `w.value = ANY (${add.list(storable(condition.anyOf).map(kept))})`;
  }
  if ("prefix" in condition) {
    if (isStrange(condition.prefix)) return nothing;
    const prefix = kept(condition.prefix);
    return `w.value >= ${add.text(prefix)} AND w.value < ${add.text(prefix + pastAll)}`;
  }
  const { from = "", below } = condition;
  const upper = below === undefined ? "" : ` AND w.value <= ${add.text(kept(beforeNull(below)))}`;
  return `w.value >= ${add.text(kept(beforeNull(from)))}${upper}`;
}

/** That a whole value meets the condition. */
function valueMeets(value: string, condition: Condition, add: Parameters): string {
  if ("anyOf" in condition) {
    const values = storable(condition.anyOf).map(toColumn);
    const [only] = values;
    if (only === undefined) return nothing;
    return values.length === 1
      ? `${value} = ${add.text(only)}`
      : `${value} = ANY (${add.list([...new Set(values)])})`;
  }
  if ("prefix" in condition) return hasPrefix(value, condition.prefix, add);
  if ("contains" in condition) return hasPart(value, condition.contains, add);
  const { from, below } = condition;
  const lower = from === undefined ? "true" : beyond(value, { bound: from, past: ">", at: ">=" }, add);
  const upper = below === undefined ? "true" : beyond(value, { bound: below, past: "<=", at: "<" }, add);
  return `${lower} AND ${upper}`;
}

function hasPrefix(value: string, prefix: string, add: Parameters): string {
  if (isStrange(prefix)) return nothing;
  const column = toColumn(prefix);
  return `${value} >= ${add.text(column)} AND ${value} < ${add.text(column + pastAll)}`;
}

function hasPart(value: string, part: string, add: Parameters): string {
  if (isStrange(part)) return nothing;
  const pattern = escaped(toColumn(part), /[\\%_]/g);
  // The index folds case by the database's locale, and that of this letter may go by what follows it: of a part, other than of the whole.
  const looked = part.includes("Σ") ? `(${value} || '')` : value;
  return `${looked} LIKE ${add.text(`%${pattern}%`)}`;
}

/** No value has U+0000, and it comes before every other character: a bound with one lies just past what is before it. */
function beyond(
  value: string,
  { bound, past, at }: { readonly bound: string; readonly past: string; readonly at: string },
  add: Parameters,
): string {
  const end = bound.indexOf("\u0000");
  const column = toColumn(end < 0 ? bound : bound.slice(0, end));
  return `${value} ${end < 0 ? at : past} ${add.text(column)}`;
}

function beforeNull(text: string): string {
  const end = text.indexOf("\u0000");
  return end < 0 ? text : text.slice(0, end);
}

/** An index's name as a column has it. No index has U+0000 in its name, and none the one that stands for those. */
export function columnName(index: string): string {
  return isStrange(index) ? pastAll : toColumn(index);
}

/** No column takes U+0000, so nothing stored has it. */
function isStrange(text: string): boolean {
  return text.includes("\u0000");
}

function storable(values: readonly string[]): readonly string[] {
  return values.filter((value) => !isStrange(value));
}
