import type { Commit, CommitResult } from "@fieldroll/core";
import type { Connection } from "./client.ts";
import { runCommit } from "./commit.ts";
import { forgetFormerNumbers } from "./names.ts";
import { type PreparedCommit, prepareCommit } from "./prepare.ts";
import { isBusy, refusal } from "./refusal.ts";
import { checkSchema } from "./schema.ts";
import type { OpenDatabase } from "./store.ts";
import { SubstringWrites } from "./substring-writes.ts";
import { substringIndexes } from "./substrings.ts";

/** A group takes in no more commits once it has run for so long, in milliseconds: others of the process wait meanwhile. */
const longestGroup = 20;

/** Commits wait no longer for the end of a turn, in milliseconds: one that reads on and on would never let it come. */
const longestTurn = 20;

// As it is when the program starts: a test that sets its own clock must not stop commits.
const { setImmediate: atEndOfTurn, setTimeout: later } = globalThis;

/** While another process has the lock, it is asked for again so often, in milliseconds. Whatever else is ready comes between. */
export const pauseForLock = 5;

interface Waiting {
  readonly commit: PreparedCommit;
  readonly since: number;
  resolve(result: CommitResult): void;
  reject(error: unknown): void;
}

/** A commit could not be written, for a reason that need not concern the others of its group. */
class WriteFault extends Error {}

/** A group that was not to be waited for tells feeds of something: nothing of it was written. */
class Telling extends Error {}

/**
 * Commits that are asked for in the same turn of the event loop share one transaction, and so one wait for the disk. They are
 * checked and written one after the other, each on what those before it left: two that expect the same version are told
 * apart as ever. None is told its result before the transaction is committed. When that fails, all of them are refused; when
 * one can't be written, nothing is, and each is tried alone.
 *
 * The whole group runs without a pause, so nothing of this process reads in the middle of it. While another process has the
 * write lock, the commits wait in their order and the process goes on: none is begun before the lock is had.
 */
export class CommitQueue {
  readonly #database: OpenDatabase;
  #waiting: Waiting[] = [];
  #since = 0;
  #locked = false;

  constructor(database: OpenDatabase) {
    this.#database = database;
  }

  /** Takes a commit over by value. Throws what is wrong with it by itself. */
  add(commit: Commit): Promise<CommitResult> {
    const prepared = prepareCommit(commit);
    return new Promise((resolve, reject) => {
      // Everything else that is ready in this turn comes first, and may have commits of its own. Nobody waits for a clock.
      if (this.#waiting.length === 0) this.#runSoon();
      this.#waiting.push({ commit: prepared, since: performance.now(), resolve, reject });
    });
  }

  /** Runs what has waited for long; called by whatever reads. */
  hurry(): void {
    if (this.#waiting.length === 0 || this.#locked) return;
    if (performance.now() - this.#since > longestTurn) this.#runGroup();
  }

  #runSoon(): void {
    this.#since = performance.now();
    atEndOfTurn(() => this.#runGroup());
  }

  #runGroup(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#locked = false;
    const done = settle(this.#database, waiting);
    if (done instanceof Locked) {
      this.#postpone(done);
      return;
    }
    this.#waiting = waiting.slice(done);
    if (this.#waiting.length > 0) this.#runSoon();
  }

  /** Those that have waited for long enough are refused. */
  #postpone({ cause }: Locked): void {
    const { busyTimeout, where } = this.#database;
    const now = performance.now();
    const isOver = ({ since }: Waiting) => now - since >= busyTimeout;
    for (const one of this.#waiting) if (isOver(one)) one.reject(refusal(cause, where));
    this.#waiting = this.#waiting.filter((one) => !isOver(one));
    if (this.#waiting.length === 0) return;
    this.#locked = true;
    later(() => this.#runGroup(), pauseForLock);
  }
}

/** Sets how long a statement waits for a lock, in milliseconds; this process does nothing else meanwhile. */
export function waitFor(connection: Connection, milliseconds: number): void {
  connection.script(`PRAGMA busy_timeout = ${milliseconds}`);
}

/** Another process has the write lock: nothing was begun. */
class Locked extends Error {}

/** Tells so many from the beginning their results, and how many. */
function settle(database: OpenDatabase, waiting: readonly Waiting[]): number | Locked {
  try {
    const results = runTogether(database, waiting);
    for (const [nth, result] of results.entries()) waiting[nth]?.resolve(result);
    return results.length;
  } catch (error) {
    if (isBusy(error)) return new Locked("another process has the write lock", { cause: error });
    return settleFailed(database, waiting, error);
  }
}

/** As {@link settle}: where another process's lock keeps one from being tried alone, it and those after it are told nothing yet. */
function settleFailed(database: OpenDatabase, waiting: readonly Waiting[], error: unknown): number | Locked {
  const isFault = error instanceof WriteFault;
  if (!isFault || waiting.length === 1) {
    for (const one of waiting) one.reject(refusal(isFault ? error.cause : error, database.where));
    return waiting.length;
  }
  for (const [nth, one] of waiting.entries()) {
    const done = settle(database, [one]);
    if (done instanceof Locked) return nth > 0 ? nth : done;
  }
  return waiting.length;
}

function runTogether(
  { connection, where, synchronous, leap, log, checkPlace }: OpenDatabase,
  waiting: readonly Waiting[],
): readonly CommitResult[] {
  checkPlace();
  leap.make();
  const strict = waiting.some(({ commit }) => commit.strict);
  const run = (isWaitedFor: boolean) =>
    connection.immediate(() => {
      checkSchema(connection, where);
      forgetFormerNumbers(connection);
      const texts = new SubstringWrites();
      const end = performance.now() + longestGroup;
      const results: CommitResult[] = [];
      for (const { commit } of waiting) {
        if (results.length > 0 && performance.now() > end) break;
        const { result, moves } = written(() => runCommit(connection, commit, texts));
        if (moves && !isWaitedFor) throw new Telling();
        results.push(result);
      }
      written(() => texts.write(connection, substringIndexes(connection)));
      return results;
    });
  const count = waiting.reduce((sum, { commit: { put, remove } }) => sum + 1 + put.length + remove.length, 0);
  if (!strict && synchronous === "FULL" && log.mayLeave(count)) {
    try {
      return log.leave(count, () => run(false));
    } catch (error) {
      // SQLite takes no other level in the middle of a transaction.
      if (!(error instanceof Telling)) throw error;
    }
  }
  return log.flush(() => run(true));
}

function written<T>(write: () => T): T {
  try {
    return write();
  } catch (cause) {
    throw new WriteFault("a commit could not be written", { cause });
  }
}
