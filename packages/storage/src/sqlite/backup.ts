import { StoreError } from "@fieldroll/core";
import { Connection, type SqliteClient } from "./client.ts";
import { fileExists, fileSize, missingFolder, nameDurably, removeFile } from "./files.ts";
import { openClient } from "./open.ts";
import { refusal } from "./refusal.ts";
import { applicationId, recognise } from "./schema.ts";

/** What to copy, and where to. */
export interface SqliteBackup {
  /** The database's file, which may be in use. */
  readonly path: string;
  /** The copy's file: a name that is free, in a folder that exists. */
  readonly to: string;
  /** Opens a file with the client of one's choice. Default: `better-sqlite3`, which must be installed. */
  readonly open?: (path: string) => SqliteClient | Promise<SqliteClient>;
}

/** A copy that was made. */
export interface SqliteBackupMade {
  /** Of the copy, in bytes. */
  readonly size: number;
  readonly documents: number;
}

/**
 * Copies a store's file while others read and write it: the copy is the state of one moment, whole and without what was
 * erased. Nobody waits for it but this process, which does nothing else meanwhile; run it in a process or thread of its own.
 *
 * The copy gets an identity of its own: once it is put in the place of the original, cursors given before are refused, so that
 * devices notice and read anew. It is checked and on the disk before it gets its name; cut off, it leaves `<to>.partial`, which
 * the next attempt replaces.
 *
 * @throws StoreError `bad-request` when there is a file named `to`, no folder for it, or no file named `path`, `corrupt` when the file is damaged or
 * no store, `newer-schema`, `quota` when there is no room, `unavailable` otherwise. The original is left as it was.
 * @example
 * await backupSqliteStore({ path: "registry.db", to: "backups/2026-03-01.db" });
 */
export async function backupSqliteStore({ path, to, open }: SqliteBackup): Promise<SqliteBackupMade> {
  if (!(await fileExists(path)))
    throw refused(`${path}: there is no such file, so nothing was copied. Name the database.`);
  if (await fileExists(to)) throw taken(to);
  const folder = await missingFolder(to);
  if (folder !== undefined)
    throw refused(`${to}: there is no folder ${folder}, so nothing was copied. Make it first.`);
  const partial = `${to}.partial`;
  await removeFile(partial);
  try {
    await using(path, open, (original) => copyInto(original, path, partial));
    const documents = await using(partial, open, (copy) => finish(copy, partial));
    await nameDurably(partial, to).catch((error: { code?: string }) => {
      throw error.code === "EEXIST" ? taken(to) : error;
    });
    return { documents, size: await fileSize(to) };
  } catch (error) {
    await removeFile(partial);
    throw refusal(error, to);
  }
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

function copyInto(original: Connection, path: string, partial: string): void {
  recognise(original, path);
  if (!isStore(original))
    throw refused(`${path}: this is an empty database, so nothing was copied. Name the store's.`);
  original.script("PRAGMA busy_timeout = 5000");
  try {
    original.run("VACUUM INTO ?", partial);
  } catch (error) {
    // Damage is the original's; whatever else hinders is about the new file.
    const { code } = refusal(error, path);
    throw code === "corrupt" ? error : refusal(error, partial);
  }
}

function isStore(connection: Connection): boolean {
  const row = connection.row<{ application_id: number }>("PRAGMA application_id");
  return row?.application_id === applicationId;
}

/** Gives the copy its identity, and checks it. */
function finish(copy: Connection, partial: string): number {
  copy.run("UPDATE store SET id = lower(hex(randomblob(8)))");
  const found = copy.row<{ quick_check: string }>("PRAGMA quick_check(1)")?.quick_check;
  if (found !== "ok") {
    throw new StoreError(
      "corrupt",
      `${partial}: the copy is damaged (${found}), so it was thrown away. Look after the original: fieldroll verify.`,
    );
  }
  return copy.row<{ count: number }>("SELECT count(*) AS count FROM documents")?.count ?? 0;
}

function taken(to: string): StoreError {
  return refused(`${to}: there is a file of this name, and a backup replaces none. Name another.`);
}

function refused(message: string): StoreError {
  return new StoreError("bad-request", message);
}
