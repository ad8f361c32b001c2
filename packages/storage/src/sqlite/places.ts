/**
 * Where a document's text stands among those of an index of trigrams. FTS5 hands out what it finds in order of rowid, so a rowid
 * that follows the order of values gives a page of a sorted search after reading no more than it needs.
 *
 * A place has 63 bits: 3 of the collection, 32 of the value that sorting uses, and 28 are the number of the document's row, which is
 * so found without an index. What the first two make is a bucket: buckets are in the order of the values, and within one,
 * places are in no order. A bucket is a number that JavaScript holds exactly, a place is not: it passes in digits.
 */

const rowBits = 28;
const orderBits = 32;

/** Rows from this number on are in no order. */
export const rowsInOrder = 2 ** rowBits;

/** Collections share 7 parts of the places; the last part is for rows with higher numbers. */
const parts = 7;
const buckets = 2 ** orderBits;

/** SQL for the bucket of a place, and for what tells places of one bucket apart. */
export const placeColumns = (place: string) =>
  `${place} >> ${rowBits} AS bucket, ${place} & ${rowsInOrder - 1} AS nth`;

/** SQL for the number of the document's row. */
export const rowAt = (place: string) =>
  `iif(${place} >= ${asideFrom}, ${place} - ${asideFrom}, ${place} & ${rowsInOrder - 1})`;

/** SQL for the first place of those that are in no order. */
const asideFrom = `(${parts} << ${rowBits + orderBits})`;

/** The first and the last one, in digits. */
export const firstAside = placeIn(parts * buckets, 0);
export const lastPlace = (2n ** 63n - 1n).toString();

/** A place of a bucket, in digits. */
export function placeIn(bucket: number, nth: number): string {
  return (BigInt(bucket) * BigInt(rowsInOrder) + BigInt(nth)).toString();
}

/** The first and the last place of a bucket. */
export function placesOf(bucket: number): readonly [string, string] {
  return [placeIn(bucket, 0), placeIn(bucket, rowsInOrder - 1)];
}

/** The place, in digits, of a document's text whose first value is this one. */
export function placeOf(collection: string, value: string, row: number): string {
  return row < rowsInOrder ? placeIn(bucketOf(collection, value), row) : placeIn(parts * buckets, row);
}

/** Names and values are written for columns. */
export function bucketOf(collection: string, value: string): number {
  return partOf(collection) * buckets + spelled(value).order;
}

/** The first and the last bucket of a collection. */
export function bucketsOf(collection: string): readonly [number, number] {
  const first = partOf(collection) * buckets;
  return [first, first + buckets - 1];
}

/** What all values begin with that are in the same bucket as this one. */
export function startInBucket(value: string): string {
  return value.slice(0, spelled(value).whole);
}

/** Collections of one store seldom meet in a part; where they do, their places mix. */
function partOf(collection: string): number {
  let hash = 7;
  for (let at = 0; at < collection.length; at++) hash = (hash * 31 + collection.charCodeAt(at)) % 1_000_003;
  return hash % parts;
}

/**
 * The first bits of a value's spelling, which are in the order of values, and how many code units these tell whole. The
 * spelling of a character depends on those before it only, none begins with another's, and the end comes before all.
 */
function spelled(value: string): { readonly order: number; readonly whole: number } {
  let order = 0;
  let left = orderBits;
  let block = 0;
  let at = 0;
  while (at < value.length) {
    const point = value.codePointAt(at) ?? 0;
    const { code, bits } = block === 0 ? inLatin(point) : inBlock(point, block);
    if (bits > left) return { order: order * 2 ** left + Math.floor(code / 2 ** (bits - left)), whole: at };
    order = order * 2 ** bits + code;
    left -= bits;
    at += point > 0xffff ? 2 : 1;
    if (point >= beyondLatin) block = point - (point % blockSize);
    else if (point >= 0x61 && point <= 0x7a) block = 0;
  }
  return { order: order * 2 ** left, whole: at };
}

interface Code {
  readonly code: number;
  readonly bits: number;
}

const beyondLatin = 0x280;
const blockSize = 128;
const farBits = 17;

/** After no letter, or a Latin one: five bits for most of what follows. */
function inLatin(point: number): Code {
  if (point >= 0x61 && point <= 0x7a) return { code: 4 + point - 0x61, bits: 5 };
  if (point === 0x20) return { code: 2, bits: 5 };
  if (point < 0x20) return { code: 2 ** 5 + point, bits: 10 };
  if (point <= 0x60) return { code: 3 * 2 ** 6 + point - 0x21, bits: 11 };
  if (point < 0x27b) return { code: 30 * 2 ** 9 + point - 0x7b, bits: 14 };
  if (point < 0x127b) return { code: 62 * 2 ** 12 + point - 0x27b, bits: 18 };
  return { code: 63 * 2 ** farBits + far(point - 0x127b), bits: 6 + farBits };
}

/** After a letter of another script: eight bits for those of the same 128. */
function inBlock(point: number, block: number): Code {
  if (point === 0x20) return { code: 3, bits: 4 };
  if (point < 0x20) return { code: 2 * 2 ** 5 + point, bits: 9 };
  if (point < block) return { code: 2 ** farBits + point - 0x21, bits: 2 + farBits };
  const nth = point - block;
  if (nth < blockSize - 1) return { code: blockSize + nth, bits: 8 };
  return { code: 255 * 2 ** farBits + far(nth - blockSize + 1), bits: 8 + farBits };
}

/** Columns have no character so far away but the one that bounds prefixes. */
function far(distance: number): number {
  return Math.min(distance, 2 ** farBits - 1);
}
