/** A result code of SQLite (sqlite.org/rescode.html), by name and number: a primary one, or an extended one. */
export interface ResultCode {
  readonly name: string;
  readonly number: number;
}

const ioError: ResultCode = { name: "SQLITE_IOERR", number: 10 };

const flushErrors: readonly ResultCode[] = [
  { name: "SQLITE_IOERR_FSYNC", number: 1034 },
  { name: "SQLITE_IOERR_DIR_FSYNC", number: 1290 },
];

/** There is no room for the file that finds pages in the log. Unlike what else is written, it gets no code of a full disk. */
export const indexFull: ResultCode = { name: "SQLITE_IOERR_SHMSIZE", number: 4874 };

/** Whether there was no room to note in the log's index what was written to the log. */
export function isIndexFull(error: unknown): boolean {
  return isCode(error, indexFull);
}

/**
 * Whether the medium failed so that nobody knows what it has of what was written.
 *
 * @param isCommit Whether `COMMIT` itself failed; a flush may fail earlier as well, where a transaction is too large for the memory.
 */
export function isDiskFailure(error: unknown, isCommit: boolean): boolean {
  // What a commit of a group failed for is the cause of what was thrown.
  const reasons = error instanceof Error ? [error, error.cause] : [error];
  return reasons.some((reason) =>
    (isCommit ? [ioError] : flushErrors).some((wanted) => isCode(reason, wanted)),
  );
}

/** Whether a client threw for this reason. A primary code stands for all its extended ones. */
export function isCode(error: unknown, wanted: ResultCode): boolean {
  if (typeof error !== "object" || error === null) return false;
  // better-sqlite3 gives the extended code's name in `code`, node:sqlite its number in `errcode`.
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  if (typeof errcode === "number") return errcode === wanted.number || (errcode & 0xff) === wanted.number;
  return typeof code === "string" && (code === wanted.name || code.startsWith(`${wanted.name}_`));
}
