import type { Connection } from "./client.ts";

/**
 * Pages in the write-ahead log before they are copied to the file: 16 MB. A commit changes a dozen pages, many of them again
 * and again, and each is copied once for all that the log has of it.
 */
const logPages = 4000;

/** Documents and commits that are written without waiting for the disk; about what fills the log. */
const mostUnflushed = 256;

/** Has SQLite copy the log to the file in a commit that finds it long. */
export function copyWhenLong(connection: Connection): void {
  connection.script(`PRAGMA wal_autocheckpoint = ${logPages}`);
}

/**
 * What of the write-ahead log may not be on the disk yet. SQLite flushes the log before it copies it, in the commit that finds it long,
 * and tells nobody when that fails: the next flush may succeed without having written what this one was to write, and what is
 * acknowledged then lies behind a gap. So only commits that have just flushed the log themselves, and were told of it, copy it.
 */
export class Log {
  readonly #connection: Connection;
  /** Documents and commits since the disk was last waited for. */
  #unflushed = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Whether so many more documents and commits may be written without waiting: at times the log has to be copied. */
  mayLeave(count: number): boolean {
    return this.#unflushed + count <= mostUnflushed;
  }

  /** In WAL mode a commit at NORMAL is whole and ordered but not waited for; the next one at FULL makes it last. */
  leave<T>(count: number, run: () => T): T {
    this.#connection.script("PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL");
    try {
      const result = run();
      this.#unflushed += count;
      return result;
    } finally {
      this.#connection.script("PRAGMA synchronous = FULL");
      copyWhenLong(this.#connection);
    }
  }

  /** A commit at FULL, which makes all before it last. */
  flush<T>(run: () => T): T {
    const result = run();
    this.#unflushed = 0;
    return result;
  }

  /**
   * Makes last what was not waited for. SQLite would flush it when it closes the file, and tells nobody when that fails. Where a commit was
   * told that the disk failed, so is everybody else by now.
   */
  settle(): void {
    if (this.#unflushed > 0 && !this.#connection.isDown) this.flush(() => this.#connection.touch());
  }
}
