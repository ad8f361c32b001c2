import { StoreError } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { refusal } from "./refusal.ts";
import { addMarks, documentColumns, hasTable, wrongTables } from "./schema-tables.ts";
import { renewSubstringIndexes, withoutTrigrams } from "./substring-tables.ts";
import { toSchema4 } from "./upgrade.ts";

/** "Frol" in ASCII: what `PRAGMA application_id` of a Fieldroll database says. */
export const applicationId = 0x46726f6c;

/** "Frld": of a file that a bulk load is filling, until it is whole. */
export const loadingId = 0x46726c64;

/** How a file is brought up to date. */
export interface Upgrade {
  /** Names the file in messages. */
  readonly where: string;
  /** What the file then says it is. */
  readonly application?: number;
  /** Whether it may be damaged, and is opened to be looked after all the same. */
  readonly damaged?: boolean;
}

/**
 * Migrations, in order. `PRAGMA user_version` counts those a database has had. One that was published is never
 * changed; a new one goes to the end. Of the tables that schema 4 replaces (see `upgrade.ts`) this tells how they were.
 *
 * - `documents` has a small integer id, so that a full-text index can name rows and a large body stays out of
 *   the key's index.
 * - `entries` is what queries walk: its key gives equality, ranges and order, the second index what one document
 *   has in one index. `first` marks the value that sorting uses; the third index tells whether there are others.
 * - `feeds` has one row for each feed and document, moved forward at each change.
 * - `store` has one row: who this store is, and the newest position of any feed.
 * - `substring_indexes` numbers the indexes that have tables of trigrams: see `substrings.ts`, which makes those tables.
 * - The column with what a document declares for the indexes got another name, so that a process of software without
 *   trigrams that still has the file open can't write documents past them: its statements fail.
 * - Schema 5 had what FTS5 finds numbered in about the order of the values, and schema 6 writes trigrams together: see
 *   `pending-trigrams.ts`. Schema 8 makes the tables for that anew, whatever they were.
 * - Schema 6 has the tables for marks from the beginning: see `addMarks`.
 * - Schema 7 writes places in feeds together: see `pending-feeds.ts`. A column of `feeds` got another name, so that a process of software
 *   that does not look there can't read them past those.
 * - Schema 8 makes the tables of trigrams anew: the trigrams are of codes (see `codes.ts`).
 */
const migrations: readonly (string | ((connection: Connection) => void))[] = [
  `CREATE TABLE store (
    id TEXT NOT NULL,
    position INTEGER NOT NULL
  );
  INSERT INTO store (id, position) VALUES (lower(hex(randomblob(8))), 0);

  CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    version INTEGER NOT NULL,
    claims TEXT NOT NULL,
    entries TEXT NOT NULL,
    feeds TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (collection, key)
  );

  CREATE TABLE claims (
    claim TEXT NOT NULL PRIMARY KEY,
    collection TEXT NOT NULL,
    key TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE entries (
    collection TEXT NOT NULL,
    idx TEXT NOT NULL,
    value TEXT NOT NULL,
    key TEXT NOT NULL,
    first INTEGER NOT NULL,
    PRIMARY KEY (collection, idx, value, key)
  ) WITHOUT ROWID;
  CREATE INDEX entries_of_document ON entries (collection, key, idx, first, value);
  CREATE INDEX entries_further ON entries (collection, idx) WHERE first = 0;

  CREATE TABLE feeds (
    feed TEXT NOT NULL,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    position INTEGER NOT NULL,
    gone INTEGER NOT NULL,
    PRIMARY KEY (feed, collection, key)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX feeds_in_order ON feeds (feed, position);`,
  `CREATE TABLE substring_indexes (
    number INTEGER PRIMARY KEY,
    idx TEXT NOT NULL UNIQUE
  );`,
  `ALTER TABLE documents RENAME COLUMN entries TO indexed;`,
  toSchema4,
  "",
  addMarks,
  (connection) => {
    // In a damaged file that is opened to be mended.
    if (hasTable(connection, "feeds")) connection.script("ALTER TABLE feeds RENAME COLUMN document TO told");
    connection.script(`CREATE TABLE IF NOT EXISTS pending_feeds (
      position INTEGER NOT NULL,
      feed INTEGER NOT NULL,
      told INTEGER,
      collection TEXT,
      key TEXT,
      was INTEGER NOT NULL,
      PRIMARY KEY (position, feed)
    ) WITHOUT ROWID`);
  },
  renewTrigrams,
];

function renewTrigrams(connection: Connection): void {
  renewSubstringIndexes(connection);
}

/** Leaves the tables of trigrams, which follow from the documents, as they are. */
const withoutRenewing = migrations.map((migration) => (migration === renewTrigrams ? "" : migration));

/** The schema that this software writes. */
export const schemaVersion = migrations.length;

/**
 * Makes sure that the file is a database of ours, or a new and empty one; reads only.
 *
 * @throws StoreError `corrupt` for another application's database, one that was never filled to its end, or one whose tables are not
 * those of the schema that it says it has; `newer-schema` for one of later software.
 */
export function recognise(connection: Connection, where: string): void {
  const found = identity(connection);
  if (found.application === loadingId) {
    throw new StoreError(
      "corrupt",
      `${where}: a bulk load began to fill this file and did not end, so it has only a part of the documents, and nothing of ` +
        "what finds them. It was left as it was. Unless the load still runs, remove the file, and load from the start.",
    );
  }
  if (found.application === applicationId) {
    if (found.version <= schemaVersion) {
      checkVersion(connection, found.version, where);
      return;
    }
    throw new StoreError(
      "newer-schema",
      `${where}: the database has schema ${found.version}, this software knows schemas up to ${schemaVersion}. ` +
        "It was left as it is; open it with the version of the software that wrote it, or a later one.",
    );
  }
  if (found.application === 0 && found.version === 0 && found.tables === 0) return;
  throw new StoreError(
    "corrupt",
    `${where}: this is a SQLite database of another application (application_id ${found.application}, ` +
      `${found.tables} tables). It was left as it is; name another file.`,
  );
}

/** The columns of `documents` tell which schema a file has: each of these came with one. */
const columnsBySchema = [
  { column: "position", from: 4, to: 8 },
  { column: "indexed", from: 3, to: 3 },
  { column: "entries", from: 1, to: 2 },
] as const;

/** Somebody may have written another number into the file than its tables have; to migrate those would only damage them. */
function checkVersion(connection: Connection, version: number, where: string): void {
  const columns = documentColumns(connection);
  const known = columnsBySchema.find(({ column }) => columns.includes(column));
  const fits = known ? version >= known.from && version <= known.to : version === schemaVersion;
  if (fits) return;
  const its = known
    ? `its tables are those of schema ${schemasOf(known)}`
    : "it has no table of documents of any schema";
  throw new StoreError("corrupt", `${where}: ${wrongVersion(version)}, but ${its}. ${restored}.`);
}

function schemasOf({ from, to }: (typeof columnsBySchema)[number]): string {
  if (from === to) return `${to}`;
  return `${from} ${to - from === 1 ? "or" : "to"} ${to}`;
}

const wrongVersion = (version: number) =>
  `the database says that it has schema ${version} (PRAGMA user_version)`;

const restored = "Something other than this software has changed it. It was left as it is; restore a backup";

/** Whether a database that was recognised is a store, and not an empty one. */
export function isStore(connection: Connection): boolean {
  return identity(connection).application === applicationId;
}

/** Whether a database that was recognised has an earlier schema than this software writes. */
export function isEarlier(connection: Connection): boolean {
  return isStore(connection) && identity(connection).version < schemaVersion;
}

/**
 * Makes sure that the schema is still the one this software writes; asked in each transaction that writes.
 *
 * @throws StoreError `newer-schema` when later software has upgraded the file since it was opened, `corrupt` when it says that it has
 * an earlier one.
 */
export function checkSchema(connection: Connection, where: string): void {
  if (isOfSchema(connection, where)) return;
  throw new StoreError(
    "corrupt",
    `${where}: ${wrongVersion(identity(connection).version)}, but it had schema ${schemaVersion} when it was opened. ${restored}.`,
  );
}

/**
 * Whether a file has the schema that this software writes, and not an earlier one.
 *
 * @throws StoreError `newer-schema` when later software has upgraded it since it was opened.
 */
export function isOfSchema(connection: Connection, where: string): boolean {
  return knownVersion(connection, where) === schemaVersion;
}

/** The first schema whose tables for marks are always there, so that a row in one is the mark, and not the table itself. */
const marksAreRowsFrom = 6;

/** Whether what is marked is told by rows. Throws as {@link isOfSchema} does. */
export function hasRowsForMarks(connection: Connection, where: string): boolean {
  return knownVersion(connection, where) >= marksAreRowsFrom;
}

function knownVersion(connection: Connection, where: string): number {
  const version = connection.row<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
  if (version <= schemaVersion) return version;
  throw new StoreError(
    "newer-schema",
    `${where}: later software has upgraded the database to schema ${version} while this one, which knows schema ` +
      `${schemaVersion}, had it open. Nothing was written; stop this process and start the later software.`,
  );
}

/** Brings the schema up to date, in one transaction. */
export function migrate(connection: Connection, upgrade: Upgrade): void {
  try {
    migrateBy(connection, upgrade, migrations);
  } catch (error) {
    // Whoever looks after a damaged file finds that tables are missing, and all else as it was.
    if (!upgrade.damaged || refusal(error, upgrade.where).code !== "corrupt") throw error;
    migrateBy(connection, upgrade, withoutRenewing);
  }
}

function migrateBy(connection: Connection, upgrade: Upgrade, all: typeof migrations): void {
  const { where, application = applicationId } = upgrade;
  if (identity(connection).version === schemaVersion) return;
  connection.immediate(() => {
    // Another process may have been quicker.
    recognise(connection, where);
    const { version } = identity(connection);
    try {
      for (const migration of all.slice(version)) {
        if (typeof migration === "string") connection.script(migration);
        else migration(connection);
      }
    } catch (error) {
      throw (
        withoutTrigrams(error, where) ??
        wrongTables(error, `${where}: ${wrongVersion(version)}, but its tables are others. ${restored}`) ??
        error
      );
    }
    connection.script(`PRAGMA application_id = ${application}; PRAGMA user_version = ${schemaVersion}`);
  });
}

function identity(connection: Connection): { application: number; version: number; tables: number } {
  const application = connection.row<{ application_id: number }>("PRAGMA application_id");
  const version = connection.row<{ user_version: number }>("PRAGMA user_version");
  const tables = connection.row<{ tables: number }>("SELECT count(*) AS tables FROM sqlite_master");
  return {
    application: application?.application_id ?? 0,
    version: version?.user_version ?? 0,
    tables: tables?.tables ?? 0,
  };
}
