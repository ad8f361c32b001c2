import { StoreError } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { pendingFeeds } from "./pending-feeds.ts";

/**
 * The present schema's tables beside `documents`, as the migrations leave them; a test compares the two. Those of `built` have
 * nothing that does not follow from the documents.
 */
const built = {
  claims: `(
    claim TEXT NOT NULL PRIMARY KEY,
    collection TEXT NOT NULL,
    key TEXT NOT NULL
  ) WITHOUT ROWID`,
  entries: `(
    idx INTEGER NOT NULL,
    value TEXT NOT NULL,
    key TEXT NOT NULL,
    first INTEGER NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (idx, value, key)
  ) WITHOUT ROWID`,
  feeds: `(
    feed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    told INTEGER,
    collection TEXT,
    key TEXT,
    PRIMARY KEY (feed, position)
  ) WITHOUT ROWID`,
  [pendingFeeds]: `(
    position INTEGER NOT NULL,
    feed INTEGER NOT NULL,
    told INTEGER,
    collection TEXT,
    key TEXT,
    was INTEGER NOT NULL,
    PRIMARY KEY (position, feed)
  ) WITHOUT ROWID`,
  departures: `(
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    feed INTEGER NOT NULL,
    position INTEGER NOT NULL,
    PRIMARY KEY (collection, key, feed)
  ) WITHOUT ROWID`,
};

/** What is in these is kept, where they are sound: processes that have the file open know the numbers. */
const kept = {
  store: "(id TEXT NOT NULL, position INTEGER NOT NULL)",
  indexes: `(
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    idx TEXT NOT NULL,
    several INTEGER NOT NULL,
    UNIQUE (collection, idx)
  )`,
  feed_names: "(id INTEGER PRIMARY KEY, feed TEXT NOT NULL UNIQUE)",
  substring_indexes: "(number INTEGER PRIMARY KEY, idx TEXT NOT NULL UNIQUE)",
  damage: "(found TEXT NOT NULL)",
  unexamined: "(note TEXT)",
};

/** A row in one of these says of the whole file what `soundness.ts` writes there. */
export type Mark = "damage" | "unexamined";

/** All of the present schema but the tables of trigrams. */
export const tableNames: readonly string[] = ["documents", ...Object.keys(built), ...Object.keys(kept)];

/**
 * Makes the tables that are missing, and empties those that are to be built from the documents. Must run in a transaction.
 *
 * @throws StoreError `corrupt` without the table of documents, or where its rows have no numbers.
 */
export function renewTables(connection: Connection, where: string): void {
  if (documentColumns(connection).length === 0) {
    throw new StoreError(
      "corrupt",
      `${where}: the table documents is missing, and with it every document; nothing else in the file tells what they were. ` +
        "Nothing was written. Restore a backup.",
    );
  }
  if (!numbersRows(connection, "documents")) {
    throw new StoreError("corrupt", `${where}: ${unnumbered}. Nothing was written. Restore a backup.`);
  }
  // Not only emptied: one that somebody made or altered may have other columns.
  for (const [name, columns] of Object.entries(built)) {
    connection.script(`DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} ${columns}`);
  }
  for (const [name, columns] of Object.entries(kept)) {
    connection.script(`CREATE TABLE IF NOT EXISTS ${name} ${columns}`);
  }
}

/** Makes one of the tables that are kept anew, and empty. Must run in a transaction. */
export function renewTable(
  connection: Connection,
  name: "indexes" | "feed_names" | "substring_indexes",
): void {
  connection.script(`DROP TABLE IF EXISTS ${name}; CREATE TABLE ${name} ${kept[name]}`);
}

/**
 * Makes the tables for marks. Must run in a transaction. A table that is made takes a free page, and in a damaged file one that is called
 * free may be in use: so they are there before anything is to be marked.
 */
export function addMarks(connection: Connection): void {
  const isNoted = hasTable(connection, "unexamined");
  for (const mark of ["damage", "unexamined"] as const) addMark(connection, mark);
  // Until then the table itself was the note.
  if (isNoted) connection.run("INSERT INTO unexamined (note) VALUES (NULL)");
}

/** Makes one of them where it is missing. */
export function addMark(connection: Connection, mark: Mark): void {
  connection.script(`CREATE TABLE IF NOT EXISTS ${mark} ${kept[mark]}`);
}

export function hasTable(connection: Connection, name: string): boolean {
  return connection.row("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", name) !== undefined;
}

const numberColumns = {
  documents: "id",
  indexes: "id",
  feed_names: "id",
  substring_indexes: "number",
} as const;

/** Whether a table's numbers are those of its rows: where a letter of its declaration is damaged, they are not. */
export function numbersRows(connection: Connection, table: keyof typeof numberColumns): boolean {
  const sql = "SELECT 1 FROM pragma_table_info(?) WHERE name = ? AND type = 'INTEGER' AND pk = 1";
  return connection.row(sql, table, numberColumns[table]) !== undefined;
}

/** For messages. */
export const unnumbered =
  "the declaration of the table documents is damaged, so that its rows have no numbers, by which all else names them";

/** Empty without the table. */
export function documentColumns(connection: Connection): readonly string[] {
  const rows = connection.rows<{ name: string }>("SELECT name FROM pragma_table_info('documents')");
  return rows.map(({ name }) => name);
}

/** What SQLite says of a table that is not there, or not as the schema has it; it has no code of its own for that. */
const shapes =
  /^(no such (table|column|index): |table \S+ has no column |duplicate column name: |vtable constructor failed: |use DROP VIEW |(table|view|index) \S+ already exists|there is already another (table|index))/;

/** SQLite's word for tables that are not those of the schema, as the error that says so; `undefined` for any other. */
export function wrongTables(error: unknown, says: string): StoreError | undefined {
  const reason = error instanceof StoreError ? error.cause : error;
  if (!(reason instanceof Error && shapes.test(reason.message))) return undefined;
  return new StoreError("corrupt", `${says} (${reason.message}).`, { cause: reason });
}
