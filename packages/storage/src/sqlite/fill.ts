import { StoreError } from "@fieldroll/core";
import { Connection } from "./client.ts";
import {
  checkPath,
  fileExists,
  identityOf,
  missingFolder,
  nameDurably,
  removeDatabase,
  removeFile,
} from "./files.ts";
import { openClient, type SqliteByPath } from "./open.ts";
import { isBusy, refusal } from "./refusal.ts";

/** A file that is to be made, whole or not at all. */
export interface NewFile extends Pick<SqliteByPath, "path" | "open"> {
  /** For messages: what makes it. */
  readonly work: "backup" | "load";
}

/**
 * Has `<path>.partial` filled, and gives it its name once it is whole and on the disk. Nobody else fills that name meanwhile, and
 * whatever comes of it, nothing half-filled is left; cut off, it leaves what the next attempt replaces.
 *
 * @param isWhole Whether what was made is to get the name; otherwise it is thrown away.
 * @throws StoreError `bad-request` when the name is taken or being filled, or has no folder. What `fill` throws is passed on.
 */
export async function fillNew<T>(
  file: NewFile,
  fill: (partial: string) => Promise<T>,
  isWhole: (made: T) => boolean = () => true,
): Promise<T> {
  const { path } = file;
  checkPath(path);
  await checkFree(file);
  const unlock = await lock(file);
  try {
    // Whoever filled it until now may have ended.
    await checkFree(file);
    const partial = `${path}.partial`;
    await clear(partial);
    try {
      const made = await fill(partial);
      if (isWhole(made)) await name(file, partial);
      return made;
    } finally {
      await clear(partial);
    }
  } finally {
    await unlock();
  }
}

async function checkFree(file: NewFile): Promise<void> {
  const { path } = file;
  if (await fileExists(path)) throw taken(file);
  for (const rest of [`${path}-wal`, `${path}-journal`]) {
    if (await fileExists(rest))
      throw refused(
        `${rest}: this is what is left of another store, which would write over the new one. Move it away.`,
      );
  }
  const folder = await missingFolder(path);
  if (folder !== undefined)
    throw refused(`${path}: there is no folder ${folder}, so nothing was written. Make it first.`);
}

async function name(file: NewFile, partial: string): Promise<void> {
  await nameDurably(partial, file.path).catch((error: { code?: string }) => {
    throw error.code === "EEXIST" ? taken(file) : refusal(error, file.path);
  });
}

async function clear(partial: string): Promise<void> {
  await removeDatabase(partial).catch((error: unknown) => {
    throw refusal(error, partial);
  });
}

/**
 * Takes `<path>.partial-lock`, an empty database whose lock ends with its process, however that ends. The half-filled file can't be
 * that itself: it changes hands between connections, and whoever opens and closes a file beside SQLite loses its locks.
 *
 * @returns Gives it back.
 */
async function lock(file: NewFile): Promise<() => Promise<void>> {
  const path = `${file.path}.partial-lock`;
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const before = await identityOf(path);
    const connection = new Connection(await openClient({ path, ...(file.open && { open: file.open }) }));
    try {
      connection.script("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    } catch (error) {
      connection.close();
      throw isBusy(error) ? inUse(file) : refusal(error, path);
    }
    // Who has it removes it at the end; what was opened before that is nobody's any more.
    if (before !== undefined && before === (await identityOf(path))) return () => unlock(path, connection);
    connection.close();
  }
  throw inUse(file);
}

/** The first one makes the file, and each further one met somebody who ended at that moment. */
const mostAttempts = 10;

/** Removes the lock before it is given up; systems that remove no open file remove none that another has opened since either. */
async function unlock(path: string, connection: Connection): Promise<void> {
  const removed = await removeFile(path).then(
    () => true,
    () => false,
  );
  connection.close();
  if (!removed) await removeFile(path).catch(() => undefined);
}

function taken({ path, work }: NewFile): StoreError {
  return refused(`${path}: there is a file of this name, and a ${work} replaces none. Name another.`);
}

function inUse({ path, work }: NewFile): StoreError {
  const other = work === "load" ? "another load or backup" : "another backup or load";
  return refused(`${path}: ${other} is filling it. Wait until that has ended, or name another file.`);
}

function refused(message: string): StoreError {
  return new StoreError("bad-request", message);
}
