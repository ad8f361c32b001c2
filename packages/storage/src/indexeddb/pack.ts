import { compareCodeUnits, type Entries } from "@fieldroll/core";
import { numberOf } from "./block.ts";
import { readDocuments } from "./bundles.ts";
import { type ColumnData, columnsOf, type Indexed, openColumn } from "./column.ts";
import { type ColumnKind, columnId, documentId } from "./names.ts";
import { answered, readCounter, readShelf, storeOf, type Work } from "./requests.ts";
import {
  type BlockNote,
  type ColumnRow,
  type RecentEntry,
  type RecentRow,
  type ShelfRow,
  type StateRow,
  shelfName,
} from "./rows.ts";
import { readSome } from "./shelves.ts";

/** Recent changes are packed when there are so many; a row counts as two, for reading it costs more than its content. */
export const packedFrom = 1_000;

/** How much recent rows cost those who query. */
export function burden(rows: number, documents: number): number {
  return 2 * rows + documents;
}

/** Documents of one block at most. */
const blockSize = 1_000;

/** Characters of a column at most, if there is more than one document: Chromium keeps values from 64 KiB on in files. */
const columnSize = 48_000;

/** A block with fewer living documents is packed anew together with the next ones. */
const smallBlock = 200;

/**
 * Packs recent changes into columns, in one transaction, if their burden is large enough.
 *
 * @returns the burden of what is left
 */
export async function pack(work: Work, from: number): Promise<number> {
  const rows = await answered<RecentRow[]>(storeOf(work, "recent").getAll());
  const changes = new Map<string, RecentEntry[]>();
  let documents = 0;
  for (const { collection, text } of rows) {
    const entries = JSON.parse(text) as RecentEntry[];
    documents += entries.length;
    const known = changes.get(collection) ?? [];
    for (const each of entries) known.push(each);
    changes.set(collection, known);
  }
  const weight = burden(rows.length, documents);
  if (weight < from) return weight;
  let newest = await readCounter(work, "block");
  for (const [collection, entries] of changes)
    newest = await packCollection(work, { collection, entries, newest });
  writeCounter(work, newest);
  storeOf(work, "recent").delete(work.ranges.upperBound(rows.at(-1)?.n ?? 0));
  return 0;
}

interface Change {
  readonly entries: Entries | null;
  readonly replaces: boolean;
}

async function packCollection(
  work: Work,
  { collection, entries, newest }: { collection: string; entries: readonly RecentEntry[]; newest: number },
): Promise<number> {
  const changes = new Map<string, Change>();
  for (const [key, each, replaces] of entries) {
    changes.set(key, { entries: each, replaces: replaces === 1 || (changes.get(key)?.replaces ?? false) });
  }
  const notes = await bury(work, collection, changes);
  const documents = [...changes].flatMap(([key, each]) =>
    each.entries ? [{ key, entries: each.entries }] : [],
  );
  const [small, kept] = divide(notes, documents.length);
  for (const note of small) for (const each of await unpack(work, collection, note)) documents.push(each);
  documents.sort((a, b) => compareCodeUnits(a.key, b.key));
  const blocks = [...kept, ...writeBlocks(work, { collection, documents, newest })];
  writeShelf(work, collection, blocks);
  return Math.max(newest, ...blocks.map(([number]) => number));
}

/** Notes in the blocks which of their documents were replaced or removed. */
async function bury(
  work: Work,
  collection: string,
  changes: ReadonlyMap<string, Change>,
): Promise<readonly BlockNote[]> {
  const notes = await readShelf(work, collection);
  const replaced = [...changes].flatMap(([key, { replaces }]) => (replaces ? [key] : []));
  if (replaced.length === 0) return notes;
  const blocks = notes.map(([number]) => ({ number }));
  const [keys, graves] = await Promise.all([
    readSome(work, blocks, { collection, index: "", kind: "keys" }),
    readSome(work, blocks, { collection, index: "", kind: "dead" }),
  ]);
  return notes.map(([number, size, dead, full]) => {
    const row = keys.get(number);
    const known = new Set(graves.get(number)?.owners);
    if (row) for (const each of numbersIn(row, size, replaced)) known.add(each);
    if (known.size > dead) {
      const owners = Uint16Array.from(known);
      putColumn(work, columnId(collection, "", { kind: "dead", block: number }), { ...nothing(), owners });
    }
    return [number, size, known.size, full];
  });
}

function numbersIn(row: ColumnRow, size: number, keys: readonly string[]): number[] {
  const column = openColumn(row);
  const block = { size, key: column.value, from: column.from };
  return keys.flatMap((key) => numberOf(block, key) ?? []);
}

/** Blocks to pack anew: those mostly dead, and small ones, unless they are larger than what comes. */
function divide(notes: readonly BlockNote[], coming: number): [BlockNote[], BlockNote[]] {
  let room = 4 * smallBlock;
  const small = notes.filter(([, size, dead, full]) => {
    const living = size - dead;
    const wanted = living * 2 < size || (full === 0 && living < smallBlock && living <= coming);
    if (!wanted || living > room) return false;
    room -= living;
    return true;
  });
  return [small, notes.filter((note) => !small.includes(note))];
}

/** Takes a block apart; gives its living documents, as they are now. */
async function unpack(work: Work, collection: string, [number]: BlockNote): Promise<Indexed[]> {
  const [rows, graves] = await Promise.all([
    readSome(work, [{ number }], { collection, index: "", kind: "keys" }),
    readSome(work, [{ number }], { collection, index: "", kind: "dead" }),
  ]);
  const row = rows.get(number);
  const dead = new Set(graves.get(number)?.owners);
  const keys = row ? row.text.split("\u0000").filter((_, at) => !dead.has(at)) : [];
  const ids = keys.map((key) => documentId({ collection, key }));
  const documents = (await readDocuments(work, ids)).filter((document) => document !== undefined);
  const columns = storeOf(work, "columns");
  const remove = (index: string, kind: ColumnKind) =>
    columns.delete(columnId(collection, index, { kind, block: number }));
  for (const index of row?.indexes ?? []) remove(index, "values");
  remove("", "keys");
  remove("", "dead");
  return documents;
}

/** Writes documents, which come in the order of their keys, as blocks. */
export function writeBlocks(
  work: Work,
  {
    collection,
    documents,
    newest,
    full = 0,
  }: { collection: string; documents: readonly Indexed[]; newest: number; full?: 0 | 1 },
): BlockNote[] {
  if (documents.length === 0) return [];
  const columns = columnsOf(documents);
  const longest = Math.max(0, ...[...columns.values()].map(({ text }) => text.length));
  const parts = Math.ceil(Math.max(documents.length / blockSize, longest / columnSize));
  if (parts > 1 && documents.length > 1) {
    const half = Math.ceil(documents.length / 2);
    const part = { collection, full: 1 as const };
    const first = writeBlocks(work, { ...part, documents: documents.slice(0, half), newest });
    const rest = { ...part, documents: documents.slice(half), newest: newest + first.length };
    return [...first, ...writeBlocks(work, rest)];
  }
  const block = newest + 1;
  for (const [index, data] of columns)
    putColumn(work, columnId(collection, index, { kind: "values", block }), data);
  const keys = documents.map(({ key }) => key);
  const ends = Uint32Array.from(keys, (_, i) => i + 1);
  putColumn(work, columnId(collection, "", { kind: "keys", block }), {
    ...nothing(),
    text: keys.join("\u0000"),
    ends,
    indexes: [...columns.keys()],
  });
  return [[block, documents.length, 0, full]];
}

function nothing(): ColumnData {
  return { text: "", ends: new Uint32Array(), owners: new Uint16Array() };
}

function putColumn(work: Work, id: string, data: Omit<ColumnRow, "id">): void {
  const row: ColumnRow = { id, ...data };
  storeOf(work, "columns").put(row);
}

export function writeShelf(work: Work, collection: string, blocks: readonly BlockNote[]): void {
  const row: ShelfRow = { name: shelfName(collection), blocks };
  storeOf(work, "state").put(row);
}

export function writeCounter(work: Work, block: number): void {
  const row: StateRow = { name: "block", value: block };
  storeOf(work, "state").put(row);
}
