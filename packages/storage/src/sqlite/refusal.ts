import { StoreError, type StoreErrorCode } from "@fieldroll/core";
import { DiskFailure } from "./client.ts";
import { indexFull, isCode } from "./result-codes.ts";
import { wrongTables } from "./schema-tables.ts";

/** Result codes of SQLite (sqlite.org/rescode.html), by name and number: what a code is among comes after it. */
const codes: readonly { name: string; number: number; code: StoreErrorCode; advice: string }[] = [
  {
    name: "SQLITE_FULL",
    number: 13,
    code: "quota",
    advice: "there is no room left on the disk, and nothing of this was written. Make room and try again",
  },
  {
    ...indexFull,
    code: "quota",
    advice:
      "there is no room left on the disk for the file that finds pages in the log. Make room and try again",
  },
  {
    name: "SQLITE_IOERR",
    number: 10,
    code: "unavailable",
    advice: "the disk could not be read or written. See whether it is full or failing, and try again",
  },
  {
    name: "SQLITE_CORRUPT",
    number: 11,
    code: "corrupt",
    advice:
      "the database is damaged. Stop using it and restore it from a backup, with no -wal and -shm of the former one beside it",
  },
  {
    name: "SQLITE_CONSTRAINT",
    number: 19,
    code: "corrupt",
    advice:
      "what is kept beside the documents does not agree with them, and nothing of this was written. Let `fieldroll verify` say where, and " +
      "`fieldroll reindex` mend it",
  },
  {
    name: "SQLITE_NOTADB",
    number: 26,
    code: "corrupt",
    advice: "this is no SQLite database, and it was left as it is. Name another file",
  },
  {
    name: "SQLITE_BUSY",
    number: 5,
    code: "unavailable",
    advice: "another process kept the database locked for longer than the busy timeout. Try again",
  },
  {
    name: "SQLITE_CANTOPEN",
    number: 14,
    code: "unavailable",
    advice:
      "it can't be opened. Check that the folder exists and may be written to, and that the disk is not full",
  },
  {
    name: "SQLITE_READONLY",
    number: 8,
    code: "unavailable",
    advice: "it may only be read. Check the permissions of the file and its folder",
  },
];

/**
 * Turns what a client threw into the port's error.
 *
 * @param where The file, for the message.
 */
export function refusal(error: unknown, where: string): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof DiskFailure) return afterFailure(error, where);
  const lacking = wrongTables(
    error,
    `${where}: the database lacks a table or a column of its schema: it is damaged, or later software has upgraded it. ` +
      "`fieldroll verify` tells what, `fieldroll reindex` makes anew what follows from the documents",
  );
  if (lacking) return lacking;
  const known = codes.find((each) => isCode(error, each) || isMalformedIndex(error, each));
  // Its text quotes what could not be read.
  if (error instanceof SyntaxError) {
    return new StoreError(
      "corrupt",
      `${where}: text that should be JSON is none. Examine it with \`fieldroll verify\`.`,
    );
  }
  const reason = error instanceof Error ? error.message : String(error);
  const detail = known?.advice ?? "SQLite refused. See the reason";
  return new StoreError(known?.code ?? "unavailable", `${where}: ${detail} (${reason}).`, { cause: error });
}

function afterFailure({ cause }: DiskFailure, where: string): StoreError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StoreError(
    "unavailable",
    `${where}: the disk failed during a commit (${reason}), so nobody knows what it has of what was written. ` +
      "Look after the disk, then open the store anew: until then this one refuses everything.",
    { cause },
  );
}

/** FTS5 has no code for a configuration that is none: it says that the file's format is another. */
function isMalformedIndex(error: unknown, { name }: { readonly name: string }): boolean {
  return (
    name === "SQLITE_CORRUPT" && error instanceof Error && /^invalid fts5 file format/.test(error.message)
  );
}

/**
 * Looks at tables of trigrams: FTS5 asks for as much memory as damaged ones tell it to.
 *
 * @throws StoreError `corrupt` where there is not so much.
 */
export function withinMemory<T>(look: () => T, where: string): T {
  try {
    return look();
  } catch (error) {
    if (!isCode(error, { name: "SQLITE_NOMEM", number: 7 })) throw error;
    const says = "tables of trigrams ask for more memory than there is, as damaged ones do";
    const advice = "Examine it with `fieldroll verify`; `fieldroll reindex` makes them anew";
    throw new StoreError("corrupt", `${where}: ${says}. ${advice}.`, { cause: error });
  }
}

/** Whether SQLite reported a lock held by another connection. */
export function isBusy(error: unknown): boolean {
  return isCode(error, { name: "SQLITE_BUSY", number: 5 });
}
