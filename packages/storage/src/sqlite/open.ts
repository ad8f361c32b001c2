import { type Store, StoreError } from "@fieldroll/core";
import { refuseOptions } from "../refuse-options.ts";
import { Connection, type SqliteClient } from "./client.ts";
import {
  checkPath,
  fileExists,
  hasLog,
  isFilePath,
  isFolder,
  isForbidden,
  makePrivate,
  missingFolder,
} from "./files.ts";
import { waitFor } from "./group.ts";
import { Leap } from "./leap.ts";
import { copyWhenLong, Log } from "./log.ts";
import { stayingAt } from "./moved.ts";
import { byClient, byPath, isClient } from "./option-rules.ts";
import { isBusy, refusal } from "./refusal.ts";
import { isEarlier, isStore, migrate, recognise } from "./schema.ts";
import { hasAllObjects } from "./schema-objects.ts";
import { checkSoundness, databaseBytes, noteUnexamined, refuseUnsound } from "./soundness.ts";
import { createSqliteStore } from "./store.ts";
import { addSubstringIndexes } from "./substring-tables.ts";

/** How a database is opened, however it is reached. */
export interface SqliteDurability {
  /**
   * What a `strict` commit survives. `full` (default): a crash of the machine. `normal`: a crash of the process;
   * the last commits before a loss of power may be lost, whole and in order. Commits are several times quicker.
   */
  readonly durability?: "full" | "normal";
  /** How long a call waits for another process's commit, in milliseconds; the process goes on meanwhile. Default 5000. */
  readonly busyTimeout?: number;
  /**
   * The indexes in which `contains` finds terms of three and more characters without reading all values. Default:
   * `name` and `address`. One that the file does not have yet is made while it opens; those it has stay.
   * They need a SQLite with FTS5, 3.34 or later; `[]` does without.
   */
  readonly substringIndexes?: readonly string[];
  /**
   * What to do with a file that its last process did not close. `check` (default): examine it, and refuse it as `corrupt` when
   * it is damaged; a file by its path only. `open`: open it as it is, to verify, rebuild or export it; a later opening examines it,
   * unless a verification found no fault.
   */
  readonly afterCrash?: "check" | "open";
  /** Whether an empty database becomes a store. Default: yes; otherwise it is refused, and left as it was. */
  readonly create?: boolean;
}

/** A client that is open already. The store takes it over: it sets it up, and closes it with itself. */
export interface SqliteByClient extends SqliteDurability {
  readonly client: SqliteClient;
  /** Names the database in messages. */
  readonly name?: string;
}

/**
 * Pages kept in memory, at most. SQLite's own 2 MB hold the inner pages of some ten thousand records only, and each page that
 * is missing is a call of the system, whatever the system itself has in memory.
 *
 * A tree that is balanced gives a page the number of the one at 1 GiB for a moment, and SQLite then looks through all pages in
 * memory for what lies beyond the file's end (`balance_nonroot` and `pcache1Truncate` in sqlite3.c). Nearly each commit pays
 * that, a tenth of a millisecond for 64 MB, until the file itself is larger.
 */
const pageCacheKibibytes = { small: 16 * 1024, large: 64 * 1024 };

const pendingByte = 2 ** 30;

/** Pages that a commit changes before it writes some of them ahead of time, and perhaps again: 64 MB. */
const unwrittenPages = 16_384;

/** A file, made for its owner only when it is not there; its folder must be. */
export interface SqliteByPath extends SqliteDurability {
  readonly path: string;
  /** Opens a file with the client of one's choice. Default: `better-sqlite3`, which must be installed. */
  readonly open?: (path: string) => SqliteClient | Promise<SqliteClient>;
}

/**
 * Opens a store on a SQLite database. Any number of processes may have one file open.
 *
 * Its `close` rejects, as `quota` or `unavailable`, when the disk can't be made to keep the last `relaxed` commits; the file is closed
 * nevertheless. Where all commits have been waited for, as at `strict`, it does not matter to `close` whether the log could be copied to the
 * file: the next opening finds it. At the durability `normal` no commit is waited for, here neither.
 *
 * @throws StoreError `corrupt` when the file is no database or another application's, `newer-schema` when later
 * software wrote it, `bad-request` for an option that is missing or of another kind, when its path is one that clients read differently or it is empty and
 * `create` is `false`,
 * `unavailable` when it can't be opened. The file is then left as it was; one that was not there may be left empty.
 * @example
 * const store = await openSqliteStore({ path: "registry.db" });
 */
export async function openSqliteStore(options: SqliteByClient | SqliteByPath): Promise<Store> {
  const where = checkedName(options);
  const busyTimeout = wholeMilliseconds(options.busyTimeout ?? 5000);
  await refuseMissing(options);
  const crashed = "path" in options && (await hasLog(options.path));
  const connection = new Connection("client" in options ? options.client : await openClient(options));
  const synchronous = options.durability === "normal" ? "NORMAL" : "FULL";
  const leap = new Leap({ connection, where, synchronous });
  let isOurs = false;
  try {
    // Before the first statement that writes.
    waitFor(connection, busyTimeout);
    recognise(connection, where);
    refuseEmpty(connection, where, options.create);
    setUp(connection, where, synchronous);
    const refuse = options.afterCrash !== "open";
    // An upgrade writes most of the file anew: from damaged pages it would make sound ones without what was on them.
    if (refuse && isEarlier(connection)) refuseUnsound(connection, where, crashed);
    migrate(connection, { where, damaged: !refuse });
    // In a file whose schema is not what it says, nothing is noted either.
    isOurs = true;
    if (hasAllObjects(connection, { where, refuse })) {
      addIndexes(connection, options, where);
    }
    if (refuse) {
      checkSoundness(connection, where, crashed);
      // At once, so that readers who were told of what is lost can read on. Otherwise it is time before the first commit.
      if (synchronous === "NORMAL") leap.make();
    } else if (crashed) noteUnexamined(connection);
  } catch (error) {
    if (crashed && isOurs) noteUnexamined(connection);
    connection.close();
    throw refusal(error, where);
  }
  const [log, checkPlace] = [new Log(connection), stayingAt(options)];
  return createSqliteStore({ connection, where, synchronous, busyTimeout, leap, log, checkPlace });
}

/** What the database is called in messages. Refuses options that can't be meant. */
function checkedName(options: SqliteByClient | SqliteByPath): string {
  refuseOptions("openSqliteStore", options, "client" in Object(options) ? byClient : byPath);
  if ("client" in options) return options.name ?? "the SQLite database";
  const { path, open } = options;
  checkPath(path);
  if (path === "" && !open) {
    // SQLite's word for a temporary database, which is gone once it is closed.
    const advice = 'Name a file, such as registry.db, or for one in memory, ":memory:".';
    throw new StoreError("bad-request", `A database's path is empty. ${advice}`);
  }
  return path;
}

/** What SQLite keeps for one connection only, and the log, which it keeps for all. */
function setUp(connection: Connection, where: string, synchronous: "NORMAL" | "FULL"): void {
  useWriteAheadLog(connection, where);
  connection.script(`PRAGMA synchronous = ${synchronous}`);
  connection.script(`PRAGMA cache_size = -${cacheFor(connection)}; PRAGMA cache_spill = ${unwrittenPages}`);
  copyWhenLong(connection);
  // What was erased leaves few bytes in the pages it lay on. It costs nothing that can be measured: they are written anyway.
  connection.script("PRAGMA secure_delete = ON");
}

/** All trigrams follow from the documents: where they are damaged, the file can be looked after still. */
function addIndexes(
  connection: Connection,
  { substringIndexes = ["name", "address"], afterCrash }: SqliteDurability,
  where: string,
): void {
  try {
    addSubstringIndexes(connection, substringIndexes, where);
  } catch (error) {
    if (afterCrash !== "open" || refusal(error, where).code !== "corrupt") throw error;
  }
}

/** To open what is not there makes a file, which is not asked for where none is to become a store. */
async function refuseMissing(options: SqliteByClient | SqliteByPath): Promise<void> {
  if (options.create !== false || !("path" in options) || options.open) return;
  const { path } = options;
  if (!isFilePath(path) || (await fileExists(path))) return;
  const advice = "Name the store's, or leave out `create: false` to make one.";
  throw new StoreError("bad-request", `${path}: there is no such file. ${advice}`);
}

function refuseEmpty(connection: Connection, where: string, create = true): void {
  if (create || isStore(connection)) return;
  throw new StoreError("bad-request", `${where}: this is an empty database, and no store. Name the store's.`);
}

/** Opens a file as the options say; one that is not there is made, for its owner only. */
export async function openClient({ path, open = openBetterSqlite }: SqliteByPath): Promise<SqliteClient> {
  await makePrivate(path);
  let client: SqliteClient;
  try {
    client = await open(path);
  } catch (cause) {
    const why = cause instanceof StoreError ? undefined : await whyNoFile(path);
    throw why === undefined ? refusal(cause, path) : new StoreError("unavailable", why, { cause });
  }
  if (isClient(client)) return client;
  const advice = "Let it give an open database of better-sqlite3 or node:sqlite.";
  throw new StoreError("bad-request", `${path}: the option open gave no SQLite client. ${advice}`);
}

/** What is wrong with a path by itself, whatever a client says of it. */
async function whyNoFile(path: string): Promise<string | undefined> {
  if (await isFolder(path))
    return `${path}: this is a folder. Name a file in it, such as ${path}/registry.db.`;
  const folder = await missingFolder(path);
  if (folder) return `${path}: there is no folder ${folder}. Make it first, or name another file.`;
  if (!(await isForbidden(path))) return undefined;
  const advice =
    "Run this as the user whose it is, or let this one read and write it and what lies beside it";
  return `${path}: whoever runs this may not read and write this file. ${advice} (${path}-wal, ${path}-shm).`;
}

async function openBetterSqlite(path: string): Promise<SqliteClient> {
  const module = await import("better-sqlite3").catch((error: unknown) => {
    throw new StoreError(
      "unavailable",
      `${path}: the package better-sqlite3 can't be loaded. Install it (npm install better-sqlite3), or pass ` +
        "`open` or `client` to use another SQLite client.",
      { cause: error },
    );
  });
  try {
    return new module.default(path);
  } catch (error) {
    throw unbuilt(error, path) ?? error;
  }
}

/** The package has a part in machine code, which some installations leave out, or which is of another Node. */
function unbuilt(error: unknown, path: string): StoreError | undefined {
  const reason = error instanceof Error ? error.message : "";
  if (!/Could not locate the bindings file|NODE_MODULE_VERSION/.test(reason)) return undefined;
  return new StoreError(
    "unavailable",
    `${path}: better-sqlite3 is installed, but not built for this Node and machine. Run: npm rebuild better-sqlite3`,
    { cause: error },
  );
}

/** Readers and a writer in several processes, and commits at `NORMAL`, rest on the write-ahead log. */
function useWriteAheadLog(connection: Connection, where: string): void {
  const mode = switchToWal(connection);
  // A database in memory has no log, and nothing to lose.
  if (mode === "wal" || mode === "memory") return;
  throw new StoreError(
    "unavailable",
    `${where}: SQLite keeps no write-ahead log here (journal mode ${mode}), as on some network drives. ` +
      "Put the file on a local disk.",
  );
}

/** The switch does not wait for locks as other statements do, so two processes that make a file together collide. */
function switchToWal(connection: Connection): string | undefined {
  for (let attempt = 1; ; attempt++) {
    try {
      return connection.row<{ journal_mode: string }>("PRAGMA journal_mode = WAL")?.journal_mode;
    } catch (error) {
      if (!isBusy(error) || attempt === 100) throw error;
      // Waits for the other's lock, as far as the busy timeout goes.
      connection.immediate(() => undefined);
    }
  }
}

function cacheFor(connection: Connection): number {
  return databaseBytes(connection) > pendingByte ? pageCacheKibibytes.large : pageCacheKibibytes.small;
}

/** What SQLite takes, some 24 days: of anything more it makes 0. */
const longestTimeout = 2 ** 31 - 1;

function wholeMilliseconds(timeout: number): number {
  if (Number.isSafeInteger(timeout) && timeout >= 0 && timeout <= longestTimeout) return timeout;
  throw new StoreError(
    "bad-request",
    `busyTimeout is ${timeout}; give whole milliseconds, from 0 to ${longestTimeout}.`,
  );
}
