import { type Store, StoreError } from "@fieldroll/core";
import { refuseOptions } from "../refuse-options.ts";
import { unnamedCopy } from "./changes.ts";
import { Connection, type SqliteClient } from "./client.ts";
import { checkPath, fileExists, fileSize, hasLog, makePrivate } from "./files.ts";
import { fillNew } from "./fill.ts";
import { openClient, openSqliteStore } from "./open.ts";
import { backupRules } from "./option-rules.ts";
import { refusal } from "./refusal.ts";
import { isOfSchema, isStore, recognise } from "./schema.ts";
import { checkSoundness, noteUnexamined, refuseUnsound } from "./soundness.ts";

/** What to copy, and where to. */
export interface SqliteBackup {
  /** The database's file, which may be in use. */
  readonly path: string;
  /** The copy's file: a name that is free, in a folder that exists. */
  readonly to: string;
  /** Opens a file with the client of one's choice. Default: `better-sqlite3`, which must be installed. */
  readonly open?: (path: string) => SqliteClient | Promise<SqliteClient>;
  /**
   * Works on the copy, opened as a store, before it gets its name: cut off, there is no copy without it. What it throws is passed
   * on, and no copy is left. A copy of an earlier schema is brought up to date for it.
   */
  readonly prepare?: (copy: Store) => Promise<void>;
}

/** A copy that was made. */
export interface SqliteBackupMade {
  /** Of the copy, in bytes. */
  readonly size: number;
  /** Documents in the copy, after `prepare`. */
  readonly documents: number;
}

/**
 * Copies a store's file while others read and write it: the copy is the state of one moment, whole and without what was
 * erased, but for trigrams that FTS5 has not merged yet; a rebuilding of the copy makes them anew. Nobody waits for it but this
 * process, which does nothing else meanwhile; run it in a process or thread of its own.
 *
 * The copy has no identity, and draws one wherever it is put in place: cursors given before are refused then, so that
 * devices notice and read anew; those of the same copy put in place before, too. It is checked and on the disk before it gets its name; cut off, it leaves `<to>.partial`, and beside
 * it an empty `<to>.partial-lock`, which the next attempt replaces.
 *
 * @throws StoreError `bad-request` for an option that is missing or of another kind, when there is a file named `to`, no folder for it, another backup or load that fills it, or no
 * file named `path`, `corrupt` when the file is damaged, marked so, or no store, `newer-schema`, `quota` when there is no room,
 * `unavailable` otherwise. The original is left as it was, but for the mark that it is damaged.
 * @example
 * await backupSqliteStore({ path: "registry.db", to: "backups/2026-03-01.db" });
 */
export async function backupSqliteStore(backup: SqliteBackup): Promise<SqliteBackupMade> {
  refuseOptions("backupSqliteStore", backup, backupRules);
  const { path, to, open } = backup;
  checkPath(path);
  if (!(await fileExists(path)))
    throw refused(`${path}: there is no such file, so nothing was copied. Name the database.`);
  return fillNew({ path: to, work: "backup", ...(open && { open }) }, (partial) => copied(backup, partial));
}

async function copied({ path, open, prepare }: SqliteBackup, partial: string): Promise<SqliteBackupMade> {
  const crashed = await hasLog(path);
  await makePrivate(partial);
  await using(path, open, (original) => {
    examine(original, path, crashed);
    copyInto(original, path, partial);
  });
  await using(partial, open, (copy) => refuseDamaged(copy, partial));
  if (prepare) await prepared(partial, open, prepare);
  const documents = await using(partial, open, finish);
  await refuseLog(partial);
  return { documents, size: await fileSize(partial) };
}

async function prepared(
  partial: string,
  open: SqliteBackup["open"],
  prepare: NonNullable<SqliteBackup["prepare"]>,
): Promise<void> {
  // It has the indexes that the original has.
  const copy = await openSqliteStore({ path: partial, substringIndexes: [], ...(open && { open }) });
  try {
    await prepare(copy);
  } finally {
    await copy.close();
  }
}

/** What stays in the log of a copy does not go with its file. */
async function refuseLog(partial: string): Promise<void> {
  if ((await fileSize(`${partial}-wal`)) === 0) return;
  throw new StoreError(
    "unavailable",
    `${partial}: what the copy was to say of itself stayed in its log, so it was thrown away. Make room on the disk and try again.`,
  );
}

async function using<T>(
  path: string,
  open: SqliteBackup["open"],
  work: (connection: Connection) => T,
): Promise<T> {
  const connection = new Connection(await openClient({ path, ...(open && { open }) }));
  try {
    return work(connection);
  } catch (error) {
    throw refusal(error, path);
  } finally {
    connection.close();
  }
}

/** A copy of a damaged file is none to rest on, and closing one that a crash has left takes away what tells of the crash. */
function examine(original: Connection, path: string, crashed: boolean): void {
  recognise(original, path);
  if (!isStore(original))
    throw refused(`${path}: this is an empty database, so nothing was copied. Name the store's.`);
  original.script("PRAGMA busy_timeout = 5000");
  // Of a file of an earlier schema only the pages can be examined: it stays to be examined.
  if (isOfSchema(original, path)) checkSoundness(original, path, crashed);
  else refuseUnsound(original, path, crashed);
}

function copyInto(original: Connection, path: string, partial: string): void {
  try {
    original.run("VACUUM INTO ?", partial);
  } catch (error) {
    // Damage is the original's; whatever else hinders is about the new file.
    const { code } = refusal(error, path);
    if (code !== "corrupt") throw refusal(error, partial);
    noteUnexamined(original);
    throw error;
  }
}

function refuseDamaged(copy: Connection, partial: string): void {
  const found = copy.row<{ quick_check: string }>("PRAGMA quick_check(1)")?.quick_check;
  if (found !== "ok") {
    throw new StoreError(
      "corrupt",
      `${partial}: the copy is damaged (${found}), so it was thrown away. Look after the original: fieldroll verify.`,
    );
  }
}

/** Takes the copy's identity away, whatever was read of it meanwhile, and counts what it has. */
function finish(copy: Connection): number {
  copy.run("UPDATE store SET id = ?", unnamedCopy);
  return copy.row<{ count: number }>("SELECT count(*) AS count FROM documents")?.count ?? 0;
}

function refused(message: string): StoreError {
  return new StoreError("bad-request", message);
}
