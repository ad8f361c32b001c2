import { statSync } from "node:fs";
import { access, constants, link, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { StoreError } from "@fieldroll/core";

/**
 * Refuses a path that a client would read as another one: better-sqlite3 cuts space off, and SQLite ends at U+0000, so that what is
 * asked about a file's size, its log and its name would be about a file that is not the one opened.
 *
 * @throws StoreError `bad-request`
 */
export function checkPath(path: string): void {
  if (path.trim() === path && !path.includes("\0")) return;
  throw new StoreError(
    "bad-request",
    `${JSON.stringify(path)}: a database's path may not begin or end with a space or a line break, nor hold U+0000. ` +
      "Name another file.",
  );
}

export async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The folder that a file would lie in, where that is not there. */
export async function missingFolder(path: string): Promise<string | undefined> {
  const folder = dirname(path);
  return (await fileExists(folder)) ? undefined : folder;
}

/** Whether the system keeps whoever runs this from reading or writing a file. */
export async function isForbidden(path: string): Promise<boolean> {
  return access(path, constants.R_OK | constants.W_OK).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === "EACCES",
  );
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** What a client takes for something else than a file: a database in memory, a temporary one, a URL. */
const noFile = /^$|^:memory:$|^[a-z][a-z\d+.-]+:/i;

/** Whether a path names a file, as better-sqlite3 reads it. */
export function isFilePath(path: string): boolean {
  return !noFile.test(path);
}

/** Links that lead to each other; systems follow no more either. */
const mostLinks = 40;

/**
 * Makes an empty file that only its owner may read, as it will hold everything about everybody. SQLite makes a database of it, and
 * gives what it keeps beside it the same mode. A file that is there keeps its own.
 */
export async function makePrivate(path: string): Promise<void> {
  if (!isFilePath(path)) return;
  let wanted: string | undefined = path;
  for (let links = 0; wanted !== undefined && links <= mostLinks; links++) {
    // Where none can be made, the client that is to open it says why.
    const file = await open(wanted, "wx", 0o600).catch(() => undefined);
    if (file) return file.close();
    // SQLite goes where a link leads, and where nothing is yet makes a file that others may read.
    wanted = await targetOf(wanted);
  }
}

/** Where a link leads, from the folder that it truly lies in; `undefined` for whatever is no link. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return resolve(await realpath(dirname(path)), await readlink(path));
  } catch {
    return undefined;
  }
}

/** In bytes; 0 where there is no such file. */
export async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/**
 * Whether a file has a log: the last process to close it leaves none; another that has it open does. SQLite keeps the log beside the
 * file itself, also where that is reached by a link.
 */
export async function hasLog(path: string): Promise<boolean> {
  // Of a file that is not there yet, or of what is no file at all, nothing is beside it either.
  const file = await realpath(path).catch(() => path);
  return (await fileSize(`${file}-wal`)) > 0;
}

/** Tells files of one name apart, also where a number is given again once its file is gone; `undefined` where there is none. */
export async function identityOf(path: string): Promise<string | undefined> {
  return stat(path, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`,
    () => undefined,
  );
}

/**
 * Tells, whenever it is asked, the number of the file that a path leads to by now, by which SQLite tells files apart as well; `undefined`
 * where there is none. The path is one from the folder in which the process is at first.
 */
export function numberOfFile(path: string): () => bigint | undefined {
  const place = resolve(path);
  const found = { bigint: true, throwIfNoEntry: false } as const;
  return () => (isFilePath(path) ? statSync(place, found)?.ino : undefined);
}

/** Removes a file; where there is none, nothing happens. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Removes a database that nobody has open, with what SQLite keeps beside it. */
export async function removeDatabase(path: string): Promise<void> {
  for (const rest of ["", "-wal", "-shm", "-journal"]) await removeFile(`${path}${rest}`);
}

/**
 * Waits until a file is on the disk, then gives it another name, and waits for that.
 *
 * @throws Error with the code `EEXIST` when there is a file of that name.
 */
export async function nameDurably(from: string, to: string): Promise<void> {
  await syncFile(from);
  await nameOnce(from, to);
  await syncFolder(dirname(to));
}

/** A link is refused where the name is taken, in one step; a rename would put itself in the place of what is there. */
async function nameOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" || (await fileExists(to))) {
      throw Object.assign(new Error(`${to} is there already`), { code: "EEXIST" });
    }
    // Some drives know no links.
    return rename(from, to);
  }
  await rm(from);
}

/** Waits until what was written to a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Has the disk write what a file has by now, while more is written to it. */
export interface EarlySync {
  begin(): void;
  /** Waits for what was begun. Rejects where the disk failed: a system tells that once, and {@link syncFile} would not hear of it. */
  end(): Promise<void>;
}

export async function syncEarly(path: string): Promise<EarlySync> {
  const file = await open(path, "r+");
  const begun: Promise<void>[] = [];
  return {
    begin() {
      // Asked for at once, in a thread of the system's: whoever calls may not wait for anything before long.
      const sync = file.sync();
      sync.catch(() => undefined);
      begun.push(sync);
    },
    async end() {
      await Promise.allSettled(begun);
      await file.close();
      await Promise.all(begun);
    },
  };
}

/** Windows opens no folders, and needs no waiting for them. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  if (!folder) return;
  try {
    await folder.sync();
  } catch (error) {
    if (codeOf(error) !== "EINVAL" && codeOf(error) !== "EPERM") throw error;
  } finally {
    await folder.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
