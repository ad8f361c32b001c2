import type { Document } from "@fieldroll/core";
import { refuseOptions } from "../refuse-options.ts";
import { Connection, type SqliteClient } from "./client.ts";
import { type EarlySync, fileSize, syncEarly, syncFile } from "./files.ts";
import { fillNew } from "./fill.ts";
import { LoadRows } from "./load-rows.ts";
import { buildClaims, buildEntries, findTakenClaim, type SqliteLoadConflict } from "./load-tables.ts";
import { openClient } from "./open.ts";
import { loadRules } from "./option-rules.ts";
import { refusal } from "./refusal.ts";
import { applicationId, loadingId, migrate } from "./schema.ts";
import { beginSubstringIndexes, gatherTrigrams } from "./substring-tables.ts";
import type { SubstringIndex } from "./substrings.ts";

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
 * The file gets its name once it is whole and on the disk. Cut off, it leaves `<path>.partial`, which no store opens before it is
 * whole and which the next attempt replaces, and an empty `<path>.partial-lock`, which keeps nobody away. Sorting needs about as much room as the file, in the folder that SQLite has for temporary files. Each
 * slice, and the end, is done without a pause: run it in a process or thread of its own beside a server.
 *
 * @throws StoreError `bad-request` for an option that is missing or of another kind, when there is a file named `path`, no folder for it, or another load or backup fills it, or when a document breaks the port's rules,
 * `quota` when there is no room, `unavailable` otherwise. What the iteration throws is passed on. In all these cases no file is left.
 * @example
 * const loaded = await loadSqliteStore({ path: "copy.db", documents: pagesOf(other) });
 */
export async function loadSqliteStore(load: SqliteLoad): Promise<SqliteLoaded> {
  refuseOptions("loadSqliteStore", load, loadRules);
  const { path, open } = load;
  const made = await fillNew(
    { path, work: "load", ...(open && { open }) },
    (partial) => fill(load, partial),
    ({ ok }) => ok,
  );
  return made.ok ? { ...made, size: await fileSize(path) } : made;
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
    const refuse = (error: unknown) => {
      throw refusal(error, path);
    };
    const disk = await syncEarly(partial).catch(refuse);
    let conflict: SqliteLoadConflict | undefined;
    try {
      conflict = asked(() => build(connection, rows, { indexes, disk }));
    } finally {
      await disk.end().catch(refuse);
    }
    if (conflict) return { ok: false, conflict };
    // Only then the file says what it is.
    await syncFile(partial).catch(refuse);
    asked(() => connection.script(`PRAGMA application_id = ${applicationId}`));
    return { ok: true, documents: rows.count, size: 0 };
  } finally {
    connection.close();
  }
}

/** Nobody else has the file, and cut off it is thrown away: there is no journal, and no waiting for the disk before the end. */
function begin(connection: Connection, names: readonly string[], where: string): readonly SubstringIndex[] {
  migrate(connection, { where, application: loadingId });
  connection.script(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
    PRAGMA cache_size = -${cacheKibibytes}; BEGIN IMMEDIATE`);
  return beginSubstringIndexes(connection, names, where);
}

function build(
  connection: Connection,
  rows: LoadRows,
  { indexes, disk }: { readonly indexes: readonly SubstringIndex[]; readonly disk: EarlySync },
): SqliteLoadConflict | undefined {
  rows.end();
  if (buildClaims(connection) !== rows.claims) return findTakenClaim(connection);
  disk.begin();
  buildEntries(connection);
  disk.begin();
  for (const index of indexes) gatherTrigrams(connection, index);
  connection.script("COMMIT");
  return undefined;
}
