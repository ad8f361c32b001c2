import { type Document, StoreError } from "@fieldroll/core";
import { Connection, type SqliteClient } from "./client.ts";
import { fileExists, fileSize, missingFolder, nameDurably, removeFile, syncFile } from "./files.ts";
import { LoadRows } from "./load-rows.ts";
import { buildClaims, buildEntries, findTakenClaim, type SqliteLoadConflict } from "./load-tables.ts";
import { openClient } from "./open.ts";
import { isBusy, refusal } from "./refusal.ts";
import { applicationId, loadingId, migrate } from "./schema.ts";
import { beginSubstringIndexes, gatherTrigrams, type SubstringIndex } from "./substrings.ts";

/** A new store's file, and what to fill it with. */
export interface SqliteLoad {
  /** A name that is free, in a folder that exists. */
  readonly path: string;
  /** What the store will hold: each document once, some hundreds at a time. Feeds tell them in this order. */
  readonly documents: AsyncIterable<readonly Document[]> | Iterable<readonly Document[]>;
  /** As the store is opened with afterwards. Default: `name` and `address`. */
  readonly substringIndexes?: readonly string[];
  /** Opens a file with the client of one's choice. Default: `better-sqlite3`, which must be installed. */
  readonly open?: (path: string) => SqliteClient | Promise<SqliteClient>;
}

export type SqliteLoaded =
  /** `size` is the file's, in bytes. */
  | { readonly ok: true; readonly documents: number; readonly size: number }
  | { readonly ok: false; readonly conflict: SqliteLoadConflict };

/** Pages kept in memory, and what is sorted at a time: 64 MB. */
const cacheKibibytes = 64 * 1024;

/**
 * Makes a store of many documents, several times quicker than commits do: their rows are written as they come, and what finds
 * them is built at the end, sorted. The store is then the one that putting each document, in their order, would have made.
 *
 * The file gets its name once it is whole and on the disk. Cut off, it leaves `<path>.partial`, which no store opens and which the
 * next attempt replaces. Sorting needs about as much room as the file, in the folder that SQLite has for temporary files. Each
 * slice, and the end, is done without a pause: run it in a process or thread of its own beside a server.
 *
 * @throws StoreError `bad-request` when there is a file named `path`, no folder for it, or a document breaks the port's rules,
 * `quota` when there is no room, `unavailable` otherwise. What the iteration throws is passed on. In all these cases no file is left.
 * @example
 * const loaded = await loadSqliteStore({ path: "copy.db", documents: pagesOf(other) });
 */
export async function loadSqliteStore(load: SqliteLoad): Promise<SqliteLoaded> {
  const { path } = load;
  if (await fileExists(path)) throw taken(path);
  for (const rest of [`${path}-wal`, `${path}-journal`]) {
    if (await fileExists(rest))
      throw refused(
        `${rest}: this is what is left of another store, which would write over the new one. Move it away.`,
      );
  }
  const folder = await missingFolder(path);
  if (folder !== undefined) {
    throw refused(`${path}: there is no folder ${folder}, so nothing was loaded. Make it first.`);
  }
  const partial = `${path}.partial`;
  if (await isInUse(partial, load.open)) {
    throw refused(`${partial}: another load is filling it. Wait until that has ended, or name another file.`);
  }
  await removeFile(partial);
  try {
    const loaded = await fill(load, partial);
    if (!loaded.ok) {
      await removeFile(partial);
      return loaded;
    }
    await nameDurably(partial, path).catch((error: { code?: string }) => {
      throw error.code === "EEXIST" ? taken(path) : refusal(error, path);
    });
    return { ...loaded, size: await fileSize(path) };
  } catch (error) {
    await removeFile(partial);
    throw error;
  }
}

/** What a load that was cut off has left is nobody's. */
async function isInUse(partial: string, open: SqliteLoad["open"]): Promise<boolean> {
  if (!(await fileExists(partial))) return false;
  const connection = new Connection(await openClient({ path: partial, ...(open && { open }) }));
  try {
    connection.script("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; ROLLBACK");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    connection.close();
  }
}

async function fill(
  { path, documents, substringIndexes = ["name", "address"], open }: SqliteLoad,
  partial: string,
): Promise<SqliteLoaded> {
  const connection = new Connection(await openClient({ path: partial, ...(open && { open }) }));
  const asked = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refusal(error, path);
    }
  };
  try {
    const indexes = asked(() => begin(connection, substringIndexes, path));
    const rows = new LoadRows(connection, indexes);
    for await (const some of documents) {
      const twice = asked(() => rows.add(some));
      if (twice) return { ok: false, conflict: { kind: "key", at: twice } };
    }
    const conflict = asked(() => build(connection, rows, indexes));
    if (conflict) return { ok: false, conflict };
    // Only then the file says what it is.
    await syncFile(partial);
    asked(() => connection.script(`PRAGMA application_id = ${applicationId}`));
    return { ok: true, documents: rows.count, size: 0 };
  } finally {
    connection.close();
  }
}

/** Nobody else has the file, and cut off it is thrown away: there is no journal, and no waiting for the disk before the end. */
function begin(connection: Connection, names: readonly string[], where: string): readonly SubstringIndex[] {
  migrate(connection, where, loadingId);
  connection.script(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA cache_size = -${cacheKibibytes}; BEGIN IMMEDIATE`);
  return beginSubstringIndexes(connection, names, where);
}

function build(
  connection: Connection,
  rows: LoadRows,
  indexes: readonly SubstringIndex[],
): SqliteLoadConflict | undefined {
  rows.end();
  if (buildClaims(connection) !== rows.claims) return findTakenClaim(connection);
  buildEntries(connection);
  for (const index of indexes) gatherTrigrams(connection, index);
  connection.script("COMMIT");
  return undefined;
}

function taken(path: string): StoreError {
  return refused(`${path}: there is a file of this name, and a load fills new ones only. Name another.`);
}

function refused(message: string): StoreError {
  return new StoreError("bad-request", message);
}
