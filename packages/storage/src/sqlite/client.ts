import { isDiskFailure, isIndexFull } from "./result-codes.ts";

/** What this adapter binds to a parameter. */
export type SqliteValue = string | number | null;

/** A prepared statement, as the adapter uses it. */
export interface SqliteStatement {
  run(...values: SqliteValue[]): unknown;
  /** The first row as an object by column name, or `undefined`. */
  get(...values: SqliteValue[]): unknown;
  /** All rows. */
  all(...values: SqliteValue[]): unknown[];
}

/**
 * The part of a synchronous SQLite client that the adapter needs. A `Database` of `better-sqlite3`
 * and a `DatabaseSync` of `node:sqlite` are such clients as they come.
 */
export interface SqliteClient {
  prepare(sql: string): SqliteStatement;
  exec(sql: string): unknown;
  close(): unknown;
}

/** What clients have by which statements may write the schema itself: that of `better-sqlite3`, and that of `node:sqlite`. */
interface Defended {
  unsafeMode?(unsafe: boolean): unknown;
  enableDefensive?(active: boolean): unknown;
}

/**
 * A piece of SQL with the values for its parameters, in order. A limit is written `LIMIT ? + 0`: SQLite 3.47 and later look
 * into a bare parameter when they plan, and so prepare the statement anew each time another value is bound.
 */
export interface Sql {
  readonly text: string;
  readonly values: readonly SqliteValue[];
}

const mostStatements = 500;

/** Rows that one statement inserts, from the most down: whatever their number, few statements are prepared. */
const rowsAtOnce = [64, 16, 4, 1] as const;

/** Names of one kind, and kinds, that are remembered. */
const mostNumbers = 20_000;
const mostKinds = 500;

/** A statement that inserts rows, and how many values each has. */
interface Insertion {
  readonly text: string;
  readonly width: number;
}

/** The disk failed while something was written; `cause` is what it said. */
export class DiskFailure extends Error {}

/** For so long, in milliseconds, others may have the lock when a commit that failed is to be written over. */
const longestOverwriting = 5000;

/** A client with its prepared statements kept. One connection: nothing of it runs at the same time. */
export class Connection {
  readonly #client: SqliteClient;
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #numbers = new Map<string, Map<string, number>>();
  #numbersOf: string | undefined;
  /** By the statement around its rows, and their number. */
  readonly #insertions = new Map<string, Readonly<Record<number, Insertion>>>();
  #failure: DiskFailure | undefined;

  constructor(client: SqliteClient) {
    this.#client = client;
  }

  run(sql: string, ...values: SqliteValue[]): void {
    this.#prepared(sql).run(...values);
  }

  /** The first row, or `undefined`. `Row` is the caller's word for what the statement selects. */
  row<Row>(sql: string, ...values: SqliteValue[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  rows<Row>(sql: string, ...values: SqliteValue[]): readonly Row[] {
    return this.#prepared(sql).all(...values) as readonly Row[];
  }

  /**
   * Inserts rows, several with one statement.
   *
   * @param into The statement up to `VALUES`; it names its columns.
   * @param values Those of all rows, one after the other.
   * @param end What follows the rows.
   */
  insert(into: string, values: readonly SqliteValue[], end = ""): void {
    if (values.length === 0) return;
    let at = 0;
    for (const count of rowsAtOnce) {
      const { text, width } = this.#insertion(into, count, end);
      for (; values.length - at >= count * width; at += count * width) {
        this.#prepared(text).run(...values.slice(at, at + count * width));
      }
    }
  }

  /**
   * Numbers that the database has for names, and does not change while the store is the same; each looked up once.
   *
   * @param kind What is numbered, such as the indexes of one collection.
   * @param look Looks a number up, or gives one out.
   */
  numbers(kind: string, look: (name: string) => number): (name: string) => number {
    const known = this.#numbersKnown(kind);
    return (name) => {
      const number = known.get(name);
      if (number !== undefined) return number;
      if (known.size >= mostNumbers) known.clear();
      const found = look(name);
      known.set(name, found);
      return found;
    };
  }

  /** Looks every number up again when the store is another one than at the last call. */
  keepNumbersOf(store: string | undefined): void {
    if (store !== this.#numbersOf) this.forgetNumbers();
    this.#numbersOf = store;
  }

  /** Looks every number up again. */
  forgetNumbers(): void {
    this.#numbers.clear();
  }

  /** Runs statements that give no rows, unprepared. */
  script(sql: string): void {
    this.#refuseFailed();
    this.#client.exec(sql);
  }

  /** All reads of the work see the same state of the file. */
  snapshot<T>(work: () => T): T {
    return this.#inTransaction("BEGIN", work);
  }

  /** Takes the file's one write lock first, so that what the work reads holds until it has written. */
  immediate<T>(work: () => T): T {
    return this.#inTransaction("BEGIN IMMEDIATE", work);
  }

  /** Takes the write lock for the work, and takes back what it writes. */
  undone<T>(work: () => T): T {
    return this.#inTransaction("BEGIN IMMEDIATE", work, "ROLLBACK");
  }

  /** A commit that changes nothing, for what the disk is asked with it. Page 1, where the version lies, is always written. */
  touch(): void {
    this.immediate(() => {
      const row = this.row<{ user_version: number }>("PRAGMA user_version");
      this.script(`PRAGMA user_version = ${row?.user_version}`);
    });
  }

  /** Whether a commit has failed so that everything is refused. */
  get isDown(): boolean {
    return this.#failure !== undefined;
  }

  /** Lets the work write the schema itself, as far as the client lets anybody. */
  undefended(work: () => void): void {
    const client: SqliteClient & Defended = this.#client;
    const defend = (active: boolean) => {
      client.unsafeMode?.(!active);
      client.enableDefensive?.(active);
    };
    defend(false);
    try {
      work();
    } finally {
      defend(true);
    }
  }

  close(): void {
    this.#statements.clear();
    this.#client.close();
  }

  #numbersKnown(kind: string): Map<string, number> {
    const known = this.#numbers.get(kind);
    if (known) return known;
    if (this.#numbers.size >= mostKinds) this.#numbers.clear();
    const made = new Map<string, number>();
    this.#numbers.set(kind, made);
    return made;
  }

  #insertion(into: string, count: number, end: string): Insertion {
    const all = into + end;
    const known = this.#insertions.get(all)?.[count];
    if (known) return known;
    const width = into.split(",").length;
    const row = `(${"?, ".repeat(width - 1)}?)`;
    const text = `${into} VALUES ${`${row}, `.repeat(count - 1)}${row} ${end}`;
    const made = { text, width };
    this.#insertions.set(all, { ...this.#insertions.get(all), [count]: made });
    return made;
  }

  #inTransaction<T>(begin: string, work: () => T, end: "COMMIT" | "ROLLBACK" = "COMMIT"): T {
    this.run(begin);
    let isEnding = false;
    try {
      const result = work();
      isEnding = true;
      this.run(end);
      return result;
    } catch (error) {
      this.#rollBack();
      if (end === "ROLLBACK" || !isDiskFailure(error, isEnding)) throw error;
      throw this.#failed(error);
    }
  }

  /**
   * What to tell of a commit that the medium failed. After a flush that failed, the next one may succeed without having written what this
   * one was to write: nobody can rest on what is told from now on. Where there was only no room to note in the log's index what the log
   * has already, and the log no longer has it, nothing was written, and whoever comes next may go on.
   */
  #failed(cause: unknown): unknown {
    if (isIndexFull(cause)) {
      const levels = this.#levels();
      if (levels && this.#overwrite("FULL")) {
        this.#client.exec(levels);
        return cause;
      }
    } else {
      this.#overwrite("OFF");
    }
    // To close the file copies the log.
    this.#client.exec("PRAGMA synchronous = FULL");
    this.#failure = new DiskFailure("the disk failed during a commit", { cause });
    return this.#failure;
  }

  /** The statements that put back how this connection writes and waits. */
  #levels(): string | undefined {
    try {
      // Prepared anew: a statement that is kept tells what held when it was prepared.
      const read = (pragma: string) => Object.values(this.#client.prepare(`PRAGMA ${pragma}`).get() ?? {})[0];
      const pragmas = ["wal_autocheckpoint", "synchronous", "busy_timeout"];
      return pragmas.map((pragma) => `PRAGMA ${pragma} = ${read(pragma)}`).join("; ");
    } catch {
      return undefined;
    }
  }

  /**
   * The log may have the whole commit: SQLite goes on as if it had not, but whoever puts the log together after a crash would find it.
   * A commit that changes nothing takes its place. Page 1, where the version lies, is always written.
   *
   * @param synchronous Whether it is waited for until the disk has it.
   * @returns Whether it was made.
   */
  #overwrite(synchronous: "FULL" | "OFF"): boolean {
    try {
      // Nothing is copied from the log meanwhile, as it may not be waited for.
      this.#client.exec(`PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = ${synchronous};
        PRAGMA busy_timeout = ${longestOverwriting}; BEGIN IMMEDIATE`);
      const row = this.row<{ user_version: number }>("PRAGMA user_version");
      this.#client.exec(`PRAGMA user_version = ${row?.user_version}; COMMIT`);
      return true;
    } catch {
      // A disk that takes nothing any more; what failed first is the one to tell.
      this.#rollBack();
      return false;
    }
  }

  #refuseFailed(): void {
    if (this.#failure) throw this.#failure;
  }

  #rollBack(): void {
    // Some may have been given out in this transaction.
    this.forgetNumbers();
    try {
      this.run("ROLLBACK");
    } catch {
      // SQLite rolls back by itself on errors such as a full disk; the first error is the one to tell.
    }
  }

  #prepared(sql: string): SqliteStatement {
    this.#refuseFailed();
    const known = this.#statements.get(sql);
    if (known) return known;
    // Queries come in as many shapes as callers combine conditions; the common ones are soon prepared again.
    if (this.#statements.size >= mostStatements) this.#statements.clear();
    const made = this.#client.prepare(sql);
    this.#statements.set(sql, made);
    return made;
  }
}
