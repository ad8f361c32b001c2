import type { DocumentKey, StoredDocument } from "./port.ts";
import { joinedKey } from "./rules.ts";

/** What memory stores keep their data in. Two stores on one medium are two handles on the same store. */
export interface MemoryMedium {
  /** Which store this is: a cursor of another one is refused. */
  readonly name: string;
  /** Collection to key to document. */
  readonly collections: Map<string, Map<string, StoredDocument>>;
  /** Claim to holder. */
  readonly claims: Map<string, DocumentKey>;
  /** Joined collection, index name and value, to the keys of the documents that have it. */
  readonly entries: Map<string, Set<string>>;
  readonly feeds: Map<string, MemoryFeed>;
  /** The newest position given to a change, in any feed. */
  position: number;
  /** How often it was rebuilt: a cursor is good for one identity. */
  identity: number;
}

/** A feed: each document's newest position, and a log in order of position that may hold outdated lines. */
export interface MemoryFeed {
  readonly rows: Map<string, FeedRow>;
  log: FeedRow[];
}

/** One place in a feed. Whether it is gone is written in the row, because the document may live on elsewhere. */
export interface FeedRow extends DocumentKey {
  readonly position: number;
  readonly gone: boolean;
}

let made = 0;

/**
 * Makes an empty medium.
 *
 * @param options.name Which store it is, as cursors say it. Default: a number, another one for each medium of this process.
 *   Give one where cursors outlive the process, drawn at random, or where they must be the same in every run, a fixed one.
 */
export function createMemoryMedium({ name = `${++made}` }: { readonly name?: string } = {}): MemoryMedium {
  return {
    name,
    collections: new Map(),
    claims: new Map(),
    entries: new Map(),
    feeds: new Map(),
    position: 0,
    identity: 0,
  };
}

/** Finds a document. */
export function lookUp(medium: MemoryMedium, key: DocumentKey): StoredDocument | undefined {
  return medium.collections.get(key.collection)?.get(key.key);
}

/** Takes a document and its claims and entries out; its feeds learn of it by {@link tell}. */
export function takeOut(medium: MemoryMedium, document: StoredDocument): void {
  medium.collections.get(document.collection)?.delete(document.key);
  for (const claim of document.claims) medium.claims.delete(claim);
  for (const name of entryNames(document)) {
    const keys = medium.entries.get(name);
    keys?.delete(document.key);
    if (keys?.size === 0) medium.entries.delete(name);
  }
}

/** Puts a document in, with its claims and entries. The claims must be free. */
export function putIn(medium: MemoryMedium, document: StoredDocument): void {
  const { collection, key } = document;
  gotten(medium.collections, collection, () => new Map<string, StoredDocument>()).set(key, document);
  for (const claim of document.claims) medium.claims.set(claim, Object.freeze({ collection, key }));
  for (const name of entryNames(document)) gotten(medium.entries, name, () => new Set<string>()).add(key);
}

/** Moves a document to the end of a feed. */
export function tell(medium: MemoryMedium, name: string, row: FeedRow): void {
  const feed = gotten(medium.feeds, name, (): MemoryFeed => ({ rows: new Map(), log: [] }));
  feed.rows.set(joinedKey(row), row);
  feed.log.push(row);
  if (feed.log.length > 32 && feed.log.length > 2 * feed.rows.size)
    feed.log = feed.log.filter(isNewest(feed));
}

/** The rows of a feed beyond a position, at most `limit` of them, oldest first. */
export function rowsAfter(feed: MemoryFeed, position: number, limit: number): FeedRow[] {
  const newest = isNewest(feed);
  const rows: FeedRow[] = [];
  for (let at = firstBeyond(feed.log, position); at < feed.log.length && rows.length < limit; at++) {
    const row = feed.log[at];
    if (row && newest(row)) rows.push(row);
  }
  return rows;
}

/** Names one value of one index. */
export function entryName(collection: string, index: string, value: string): string {
  return `${collection}\u0000${index}\u0000${value}`;
}

function entryNames(document: StoredDocument): string[] {
  return Object.entries(document.entries).flatMap(([index, values]) =>
    values.map((value) => entryName(document.collection, index, value)),
  );
}

function isNewest(feed: MemoryFeed): (row: FeedRow) => boolean {
  return (row) => feed.rows.get(joinedKey(row)) === row;
}

function firstBeyond(log: readonly FeedRow[], position: number): number {
  let low = 0;
  let high = log.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((log[middle]?.position ?? 0) > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

function gotten<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
