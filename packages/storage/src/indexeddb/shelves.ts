import type { Block } from "./block.ts";
import { type Column, type Indexed, openColumn } from "./column.ts";
import { blockOf, type ColumnKind, columnId, columnSpan } from "./names.ts";
import { createRecent } from "./recent.ts";
import { answered, rangeOf, readShelf, storeOf, type Work } from "./requests.ts";
import type { BlockNote, ColumnRow } from "./rows.ts";

/** What queries of one collection see at the time of a transaction. */
export interface Shelf {
  readonly blocks: readonly Block[];
  /** Documents that are not packed yet. */
  readonly recent: readonly Indexed[];
}

/** What was read of the database before, so that a query reads only what is new. */
export interface Shelves {
  /** @param indexes those that will be looked at */
  read(work: Work, collection: string, indexes: readonly string[]): Promise<Shelf>;
}

/** A block as far as it was read. Its columns never change; more of its documents die. */
interface Held {
  readonly number: number;
  readonly size: number;
  /** By index; the keys under an empty name. `null` where the block has none. */
  readonly columns: Map<string, Column | null>;
  readonly dead: Uint8Array;
  /** How many dead were read. */
  known: number;
  /** The newest recent row that was asked for dead. */
  asked: number;
}

/** What is kept in memory, at most, in bytes. A query that needs more than that may still have it. */
const most = 48_000_000;

/** Unless more than so many of a collection's blocks lack a column, each is read by itself. */
const few = 8;

/** Blocks have numbers of their own for good, so what was read once need not be read again. */
export function createShelves(): Shelves {
  const recent = createRecent();
  let shelves = new Map<string, readonly Held[]>();
  let weight = 0;
  return {
    async read(work, collection, indexes) {
      if (weight > most) {
        shelves = new Map();
        weight = 0;
      }
      const [notes] = await Promise.all([readShelf(work, collection), recent.refresh(work)]);
      const blocks = heldBlocks(notes, shelves.get(collection));
      shelves.set(collection, blocks);
      const [, ...weights] = await Promise.all([
        readDead(work, { collection, blocks, notes }),
        ...["", ...new Set(indexes)].map((index) => readColumns(work, { collection, blocks, index })),
      ]);
      for (const each of weights) weight += each;
      const views = blocks.map((block) => {
        const view = viewOf(block);
        block.asked = recent.bury(view, collection, block.asked);
        return view;
      });
      return { blocks: views, recent: recent.living(collection) };
    },
  };
}

function heldBlocks(notes: readonly BlockNote[], before: readonly Held[] = []): Held[] {
  const known = new Map(before.map((block) => [block.number, block]));
  return notes.map(([number, size]): Held => {
    const fresh = () => ({
      number,
      size,
      columns: new Map(),
      dead: new Uint8Array(size),
      known: 0,
      asked: 0,
    });
    return known.get(number) ?? fresh();
  });
}

interface Part {
  readonly collection: string;
  readonly blocks: readonly Held[];
}

/** Reads an index's columns where they are lacking. @returns what they weigh */
async function readColumns(
  work: Work,
  { collection, blocks, index }: Part & { index: string },
): Promise<number> {
  const lacking = blocks.filter(({ columns }) => !columns.has(index));
  const kind: ColumnKind = index === "" ? "keys" : "values";
  const rows = await readSome(work, lacking, { collection, index, kind });
  let weight = 0;
  for (const { number, columns } of lacking) {
    const row = rows.get(number);
    // Another query may have read the same meanwhile.
    if (columns.has(index)) continue;
    const column = row ? openColumn(row) : null;
    columns.set(index, column);
    weight += column?.weight ?? 0;
  }
  return weight;
}

async function readDead(
  work: Work,
  { collection, blocks, notes }: Part & { notes: readonly BlockNote[] },
): Promise<void> {
  const stale = blocks.filter(({ known }, i) => known < (notes[i]?.[2] ?? 0));
  const rows = await readSome(work, stale, { collection, index: "", kind: "dead" });
  for (const block of stale) {
    const owners = rows.get(block.number)?.owners ?? [];
    for (const number of owners) block.dead[number] = 1;
    block.known = owners.length;
  }
}

/** Reads the same column of several blocks, by block: all that there are in one go, if that is less trouble. */
export async function readSome(
  work: Work,
  blocks: readonly { readonly number: number }[],
  { collection, index, kind }: { collection: string; index: string; kind: ColumnKind },
): Promise<ReadonlyMap<number, ColumnRow>> {
  const columns = storeOf(work, "columns");
  const ids = blocks.map(({ number }) => columnId(collection, index, { kind, block: number }));
  const rows: readonly (ColumnRow | undefined)[] =
    ids.length > few
      ? await answered<ColumnRow[]>(columns.getAll(rangeOf(work, columnSpan(collection, index, kind))))
      : await Promise.all(ids.map((id) => answered<ColumnRow | undefined>(columns.get(id))));
  return new Map(rows.flatMap((row) => (row ? [[blockOf(row.id), row]] : [])));
}

function viewOf({ size, dead, columns }: Held): Block {
  const keys = columns.get("");
  return {
    size,
    dead,
    key: (number) => keys?.value(number) ?? "",
    from: (key) => keys?.from(key) ?? size,
    column: (index) => columns.get(index) ?? undefined,
  };
}
