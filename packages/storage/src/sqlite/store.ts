import {
  type ChangesPage,
  checkedChangesRequest,
  checkedClaims,
  checkedCount,
  checkedKeys,
  checkedNaming,
  checkedQuery,
  type DocumentKey,
  type Position,
  type Store,
  type StoredDocument,
  StoreError,
} from "@fieldroll/core";
import { readChanges, unnamedCopy } from "./changes.ts";
import { holderOf } from "./check.ts";
import type { Connection } from "./client.ts";
import { namedDamage } from "./damaged.ts";
import { findHolder } from "./find.ts";
import { CommitQueue, pauseForLock, waitFor } from "./group.ts";
import type { Leap } from "./leap.ts";
import type { Log } from "./log.ts";
import { countPage, runQuery } from "./query.ts";
import { rebuildStore } from "./rebuild.ts";
import { isBusy, refusal } from "./refusal.ts";
import { columnsOf, type DocumentRow, documentColumns, fromRow } from "./rows.ts";
import { checkSchema } from "./schema.ts";
import { type InTurn, type Upkeep, verifyStore } from "./verify.ts";

/** What a store works on. */
export interface OpenDatabase {
  readonly connection: Connection;
  /** Names the file in messages. */
  readonly where: string;
  /** What a `strict` commit waits for: `PRAGMA synchronous`. */
  readonly synchronous: "FULL" | "NORMAL";
  /** How long a call waits for another process's lock, in milliseconds. */
  readonly busyTimeout: number;
  /** To be made before the first commit. */
  readonly leap: Leap;
  readonly log: Log;
  /** Throws where the file is no longer what its name leads to. */
  readonly checkPlace: () => void;
}

/**
 * A statement waits for another process's lock no longer than this, in milliseconds, because its whole process waits with it;
 * then it is tried again, and others have their turn between.
 */
const longestBlock = 10;

// As it is when the program starts: a test that sets its own clock must not stop calls.
const { setImmediate: atEndOfTurn, setTimeout: later } = globalThis;

/** The store port over an open database of the present schema. */
export function createSqliteStore(database: OpenDatabase): Store {
  const { connection, where } = database;
  waitFor(connection, Math.min(database.busyTimeout, longestBlock));
  const turns = takeTurns();
  const commits = new CommitQueue(database);
  const { begun, end } = countCalls(where);
  const tried = async <T>(work: () => T | Promise<T>): Promise<T> => {
    for (let since: number | undefined; ; ) {
      try {
        commits.hurry();
        return work();
      } catch (error) {
        since ??= performance.now();
        if (!isBusy(error) || performance.now() - since >= database.busyTimeout) throw refusal(error, where);
      }
      await new Promise((resolve) => later(resolve, pauseForLock));
    }
  };
  const inTurn: InTurn = async (work) => {
    await turns.next();
    return tried(work);
  };
  const upkeep: Upkeep = { connection, where, inTurn };
  let closed: Promise<void> | undefined;
  return {
    get: begun(async (keys) => {
      const wanted = checkedKeys(keys);
      return tried(() => read(connection, wanted));
    }),
    resolve: begun(async (claims) => {
      const wanted = checkedClaims(claims);
      return tried(() => holders(connection, wanted));
    }),
    find: begun(async (claim, naming) => {
      checkedClaims([claim]);
      const asked = naming && checkedNaming(naming);
      return tried(() => findHolder(connection, claim, asked));
    }),
    query: begun(async (query) => {
      const asked = checkedQuery(query);
      await turns.next();
      return tried(() => looked(connection, () => runQuery(connection, asked)));
    }),
    count: begun(async (asked, isWanted = () => true) => {
      const wanted = checkedCount(asked);
      let count = 0;
      let after: Position | undefined;
      do {
        await turns.next();
        if (!isWanted()) return undefined;
        const query = { ...wanted, ...(after && { after }), limit: countedAtOnce };
        const page = await tried(() => looked(connection, () => countPage(connection, query)));
        count += page.count;
        after = page.next;
      } while (after);
      return count;
    }),
    changes: begun(async (request) => {
      const asked = checkedChangesRequest(request);
      const read = () => connection.snapshot(() => readChanges(connection, asked));
      return tried(() => read() ?? renewed(connection, where, read));
    }),
    commit: begun((commit) => tried(() => commits.add(commit))),
    verify: begun((tell) => verifyStore(upkeep, tell)),
    rebuild: begun((tell) => rebuildStore(upkeep, tell)),
    renew: begun(() => inTurn(() => renew(connection, where))),
    close: () => {
      closed ??= end().then(async () => {
        try {
          await tried(() => database.log.settle());
        } catch (error) {
          throw unsettled(error, where);
        } finally {
          connection.close();
        }
      });
      return closed;
    },
  };
}

/** Only `relaxed` commits have not been waited for, and whoever made them was told that they are made. */
function unsettled(error: unknown, where: string): StoreError {
  const { code, message, cause } = refusal(error, where);
  const says = `${where}: the store was closed, but the disk was not seen to keep its last relaxed commits: a loss of power may take them`;
  return new StoreError(code, `${says} (${message}).`, { cause });
}

/** Once a store is closed no call begins. Those that have begun run to their end. */
function countCalls(where: string) {
  let open = true;
  let running = 0;
  let ended = () => {};
  return {
    /** The call, counted. */
    begun<Given extends readonly unknown[], T>(call: (...given: Given) => Promise<T>) {
      return async (...given: Given): Promise<T> => {
        if (!open) throw new StoreError("closed", `${where}: this store was closed. Open the file again.`);
        running += 1;
        try {
          return await call(...given);
        } finally {
          running -= 1;
          if (running === 0) ended();
        }
      };
    },
    /** Lets no call begin any more, and waits for those that run. */
    async end(): Promise<void> {
      open = false;
      if (running > 0) await new Promise<void>((resolve) => (ended = resolve));
    },
  };
}

/** Runs a query in a snapshot. */
function looked<T>(connection: Connection, work: () => T): T {
  try {
    return connection.snapshot(work);
  } catch (error) {
    throw namedDamage(connection, error);
  }
}

/** Documents that are counted without letting others have their turn. */
const countedAtOnce = 20_000;

/** Queries that follow each other without a pause for so long, in milliseconds, let others have their turn. */
const longestStretch = 20;

/**
 * A synchronous client answers without ever waiting, so a search of many pages would keep everything else of its process
 * waiting, also who only asks whether it is alive.
 */
function takeTurns() {
  let since = 0;
  let pausing = false;
  return {
    async next(): Promise<void> {
      if (pausing || performance.now() - since < longestStretch) return;
      pausing = true;
      await new Promise((resolve) => atEndOfTurn(resolve));
      pausing = false;
      since = performance.now();
    },
  };
}

/** A page of a copy that draws its identity. */
function renewed(connection: Connection, where: string, read: () => ChangesPage | undefined): ChangesPage {
  renew(connection, where, unnamedCopy);
  const page = read();
  if (!page) throw new StoreError("unavailable", `${where}: the file was replaced just now. Try again.`);
  return page;
}

/** @param former the identity to be replaced; whichever there is, where that is left out */
function renew(connection: Connection, where: string, former?: string): void {
  connection.immediate(() => {
    checkSchema(connection, where);
    const drawn = "UPDATE store SET id = lower(hex(randomblob(8)))";
    if (former === undefined) connection.run(drawn);
    else connection.run(`${drawn} WHERE id = ?`, former);
  });
}

function holders(connection: Connection, claims: readonly string[]): readonly (DocumentKey | undefined)[] {
  const find = () => claims.map((claim) => holderOf(connection, claim));
  return claims.length === 1 ? find() : connection.snapshot(find);
}

function read(connection: Connection, keys: readonly DocumentKey[]): readonly (StoredDocument | undefined)[] {
  const find = (key: DocumentKey): StoredDocument | undefined => {
    const columns = columnsOf(key);
    const row = connection.row<DocumentRow>(
      `SELECT ${documentColumns} FROM documents d WHERE d.collection = ? AND d.key = ?`,
      columns.collection,
      columns.key,
    );
    return row && fromRow(row);
  };
  // One statement sees one state by itself.
  return keys.length === 1 ? keys.map(find) : connection.snapshot(() => keys.map(find));
}
