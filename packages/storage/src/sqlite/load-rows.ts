import { checkPut, type Document, type DocumentKey, type Entries } from "@fieldroll/core";
import { toColumn } from "../text.ts";
import type { Connection, SqliteValue } from "./client.ts";
import { feedNumbers, indexNumbers, severalNoted } from "./names.ts";
import { columnsOf, toRow } from "./rows.ts";
import { placed, placedColumns, type SubstringIndex, textOf } from "./substrings.ts";

/** Rows of feeds that are kept in memory until they are written, feed by feed: each feed has a place of its own in the table. */
const mostFeedRows = 100_000;

/** Documents whose rows are made before they are written: of what is dropped soon, the collector of memory copies little. */
const atOnce = 128;

/**
 * Writes the documents of a bulk load, their places in feeds, and their texts for substrings. Claims and entries are built from
 * what it writes: see `load-tables.ts`.
 */
export class LoadRows {
  readonly #connection: Connection;
  readonly #indexes: readonly SubstringIndex[];
  /** What is known of a collection's indexes, by name. */
  readonly #known = new Map<string, Map<string, "single" | "several">>();
  /** By the number of a feed: positions, each followed by its document. */
  readonly #feeds = new Map<number, number[]>();
  #feedRows = 0;
  #position = 0;
  #count = 0;
  #claims = 0;

  constructor(connection: Connection, indexes: readonly SubstringIndex[]) {
    this.#connection = connection;
    this.#indexes = indexes;
    // Claims that stand otherwise in a column than in JSON, which are few, are written by themselves.
    connection.script("CREATE TEMP TABLE moved (id INTEGER PRIMARY KEY)");
  }

  /** Documents so far. */
  get count(): number {
    return this.#count;
  }

  /** Claims that documents declared so far. */
  get claims(): number {
    return this.#claims;
  }

  /**
   * Answers the first document whose key another one had already.
   *
   * @throws StoreError `bad-request` for a document that breaks the port's rules.
   */
  add(documents: readonly Document[]): DocumentKey | undefined {
    const first = this.#count + 1;
    for (let from = 0; from < documents.length; from += atOnce) {
      this.#write(documents.slice(from, from + atOnce));
    }
    if (this.#feedRows > mostFeedRows) this.#writeFeeds();
    return this.#foundTwice(documents, first);
  }

  /** Writes what is still kept in memory. */
  end(): void {
    this.#writeFeeds();
    this.#connection.run("UPDATE store SET position = ?", this.#position);
  }

  #write(documents: readonly Document[]): void {
    const first = this.#count + 1;
    const rows: SqliteValue[] = [];
    for (const document of documents) {
      checkPut(document);
      this.#count += 1;
      const { collection, key, version, claims, entries, feeds, body } = toRow(document);
      const position = this.#tell(document);
      rows.push(this.#count, collection, key, version, position, claims, entries, feeds, body);
      this.#noteClaims(document, claims);
      if (document.entries) this.#noteIndexes(collection, document.entries);
    }
    const into =
      "INSERT INTO documents (id, collection, key, version, position, claims, indexed, feeds, body)";
    this.#connection.insert(into, rows, "ON CONFLICT DO NOTHING");
    this.#writeTexts(documents, first);
  }

  /** Answers the document's position; 0 where no feed tells it. */
  #tell({ feeds = [] }: Document): number {
    if (feeds.length === 0) return 0;
    this.#position += 1;
    const numberOf = feedNumbers(this.#connection);
    for (const feed of new Set(feeds)) {
      const number = numberOf(feed);
      const told = this.#feeds.get(number);
      if (told) told.push(this.#position, this.#count);
      else this.#feeds.set(number, [this.#position, this.#count]);
      this.#feedRows += 1;
    }
    return this.#position;
  }

  #noteClaims(document: Document, json: string): void {
    if (!document.claims?.length) return;
    const claims = new Set(document.claims);
    this.#claims += claims.size;
    if (toColumn(json) === json) return;
    const { collection, key } = columnsOf(document);
    const rows = [...claims].flatMap((claim) => [toColumn(claim), collection, key]);
    const into = "INSERT INTO claims (claim, collection, key)";
    this.#connection.insert(into, rows, "ON CONFLICT DO NOTHING");
    this.#connection.run("INSERT INTO temp.moved (id) VALUES (?)", this.#count);
  }

  /** @param collection Written for columns. */
  #noteIndexes(collection: string, entries: Entries): void {
    let known = this.#known.get(collection);
    if (!known) {
      known = new Map();
      this.#known.set(collection, known);
    }
    for (const index of Object.keys(entries)) {
      const values = entries[index] ?? [];
      const now = values.length > 1 && new Set(values).size > 1 ? "several" : "single";
      const before = known.get(index);
      if (values.length === 0 || before === now || before === "several") continue;
      known.set(index, now);
      const number = indexNumbers(this.#connection, collection)(toColumn(index));
      if (now === "several") severalNoted(this.#connection)(number);
    }
  }

  /** @param first The number of the first document's row. */
  #foundTwice(documents: readonly Document[], first: number): DocumentKey | undefined {
    const counted = "SELECT count(*) AS count FROM documents WHERE id >= ?";
    if (this.#connection.row<{ count: number }>(counted, first)?.count === documents.length) return undefined;
    const found = documents.find((document, nth) => {
      const { collection, key } = columnsOf(document);
      const sql = "SELECT id FROM documents WHERE collection = ? AND key = ?";
      return this.#connection.row<{ id: number }>(sql, collection, key)?.id !== first + nth;
    });
    return found && { collection: found.collection, key: found.key };
  }

  /** @param first The number of the first document's row. */
  #writeTexts(documents: readonly Document[], first: number): void {
    for (const { number, name } of this.#indexes) {
      const rows: SqliteValue[] = [];
      for (const [nth, document] of documents.entries()) {
        const values = document.entries && Object.hasOwn(document.entries, name) && document.entries[name];
        if (!values || values.length === 0) continue;
        rows.push(...placed(first + nth, columnsOf(document), textOf(values)));
      }
      this.#connection.insert(`INSERT INTO substrings_${number} ${placedColumns}`, rows);
    }
  }

  #writeFeeds(): void {
    const rows: SqliteValue[] = [];
    for (const [feed, told] of [...this.#feeds].sort(([a], [b]) => a - b)) {
      for (let at = 0; at < told.length; at += 2) rows.push(feed, told[at] ?? 0, told[at + 1] ?? 0);
    }
    this.#connection.insert("INSERT INTO feeds (feed, position, told)", rows);
    this.#feeds.clear();
    this.#feedRows = 0;
  }
}
