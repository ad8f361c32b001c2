import Database from "better-sqlite3";
import { type Rate, startClock } from "./stores-figures.ts";

/**
 * The least that SQLite can do for a register, with the adapter's own client and settings: a table of a key and a text of
 * 1.5 kB, as many rows as the register has records.
 */
export class RawTable {
  readonly #database: Database.Database;
  readonly #upsert: Database.Statement;
  readonly #read: Database.Statement;
  readonly #rows: number;
  #turn = 0;

  constructor(path: string, rows: number) {
    this.#database = new Database(path);
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;
      PRAGMA wal_autocheckpoint = 4000; CREATE TABLE raw (key TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID`);
    this.#upsert = this.#database.prepare(
      "INSERT INTO raw (key, body) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET body = excluded.body",
    );
    this.#read = this.#database.prepare("SELECT body FROM raw WHERE key = ?").pluck();
    this.#rows = rows;
    this.#together(rows);
  }

  /** Rows a second, each in a commit of its own that waits for the disk. No row is written as it was. */
  commits(count: number): Rate {
    const keys = Array.from({ length: count }, () => this.#nextKey());
    const clock = startClock();
    for (const key of keys) this.#upsert.run(key, this.#body());
    return clock(count);
  }

  /** Rows a second, a thousand in a commit. */
  bulk(count: number): Rate {
    const clock = startClock();
    for (let done = 0; done < count; done += 1000) this.#together(1000);
    return clock(count);
  }

  /** Rows a second, each read by its key, as text. */
  reads(count: number): Rate {
    const keys = Array.from({ length: count }, () => this.#nextKey());
    const clock = startClock();
    for (const key of keys) this.#read.get(key);
    return clock(count);
  }

  close(): void {
    this.#database.close();
  }

  #together(count: number): void {
    this.#database.exec("BEGIN IMMEDIATE");
    for (let nth = 0; nth < count; nth++) this.#upsert.run(this.#nextKey(), this.#body());
    this.#database.exec("COMMIT");
  }

  #nextKey(): string {
    this.#turn += 1;
    return `00000000-0000-4000-8000-${String((this.#turn * 7919) % this.#rows).padStart(12, "0")}`;
  }

  #body(): string {
    return `{"name":"${"x".repeat(1480)}","turn":${this.#turn}}`;
  }
}
