import { comparePositions, type Position, type Query } from "@fieldroll/core";
import type { Column } from "./column.ts";

/** Packed documents, as a query sees them. They are counted in the order of their keys. */
export interface Block {
  readonly size: number;
  /** 1 for each document that was replaced or removed since. */
  readonly dead: Uint8Array;
  key(number: number): string;
  /** The first document whose key is not before this one. */
  from(key: string): number;
  /** What the documents have in an index; `undefined` where none has anything. */
  column(index: string): Column | undefined;
}

/** The part of a query that chooses and orders. */
export type Choice = Pick<Query, "where" | "sort" | "after">;

/** The first places, in order, of a block's documents that meet a query and have a value to be sorted by. */
export function valuedPlaces(block: Block, choice: Choice, wanted: number): Position[] {
  const { sort, after } = choice;
  const column = sort && block.column(sort.index);
  if (!sort || !column || after?.value === null) return [];
  const chosen = chosenIn(block, choice);
  const { descending = false } = sort;
  const step = descending ? -1 : 1;
  let left = chosen.reduce((sum, each) => sum + each, 0);
  const places: Position[] = [];
  if (left === 0) return places;
  column.walk(firstValue(column, after, step), step, (owner, at) => {
    if (owner % 2 === 1 || !chosen[owner >> 1]) return true;
    left--;
    const place = { value: column.value(at), key: block.key(owner >> 1) };
    if (!after || comparePositions(place, after, descending) > 0) places.push(place);
    return left > 0 && places.length < wanted;
  });
  return places;
}

function firstValue(column: Column, after: Position | undefined, step: number): number {
  if (!after) return step > 0 ? 0 : column.size - 1;
  const at = column.from(after.value ?? "");
  return step > 0 ? at : Math.min(at, column.size - 1);
}

/** The first places, by key, of a block's documents that meet a query and have no value to be sorted by. */
export function valuelessPlaces(block: Block, choice: Choice, wanted: number): Position[] {
  const { sort, after } = choice;
  const chosen = chosenIn(block, choice);
  const column = sort && block.column(sort.index);
  if (column) {
    for (let at = 0; at < column.size; at++) for (const owner of column.owners(at)) chosen[owner >> 1] = 0;
  }
  const places: Position[] = [];
  const step = sort?.descending ? -1 : 1;
  for (let number = firstAfter(block, after, step); number >= 0 && number < block.size; number += step) {
    if (!chosen[number]) continue;
    places.push({ value: null, key: block.key(number) });
    if (places.length === wanted) break;
  }
  return places;
}

function firstAfter(block: Block, after: Position | undefined, step: number): number {
  if (after?.value !== null) return step > 0 ? 0 : block.size - 1;
  const at = block.from(after.key);
  if (step < 0) return at - 1;
  return at < block.size && block.key(at) === after.key ? at + 1 : at;
}

/** 1 for each document that lives and meets every condition. */
function chosenIn(block: Block, { where = [] }: Choice): Uint8Array {
  const chosen = block.dead.map((dead) => 1 - dead);
  for (const condition of where) {
    const met = new Uint8Array(block.size);
    const column = block.column(condition.index);
    for (const at of column?.meeting(condition) ?? []) {
      for (const owner of column?.owners(at) ?? []) met[owner >> 1] = 1;
    }
    for (let number = 0; number < block.size; number++)
      chosen[number] = (chosen[number] ?? 0) & (met[number] ?? 0);
  }
  return chosen;
}

/** The number of a key in a block, `undefined` where it is not there. Most blocks have keys of about one time, so their ends tell. */
export function numberOf(block: Pick<Block, "size" | "key" | "from">, key: string): number | undefined {
  if (key < block.key(0) || key > block.key(block.size - 1)) return undefined;
  const at = block.from(key);
  return at < block.size && block.key(at) === key ? at : undefined;
}
