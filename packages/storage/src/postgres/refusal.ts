import { StoreError, type StoreErrorCode } from "@fieldroll/core";

interface Meaning {
  readonly sqlState: RegExp;
  readonly code: StoreErrorCode;
  readonly advice: string;
}

/** What the database reports, by SQLSTATE (PostgreSQL documentation, appendix A); the first that fits. */
const meanings: readonly Meaning[] = [
  {
    sqlState: /^53[12]00$/,
    code: "quota",
    advice: "the server has no room left, and nothing of this was written. Make room and try again",
  },
  {
    sqlState: /^53300$/,
    code: "unavailable",
    advice:
      "the server takes no more connections. Lower `connections`, put a pooler before it, or raise max_connections",
  },
  {
    sqlState: /^54/,
    code: "bad-request",
    advice: "a key or the whole request is larger than the database can take, and nothing of it was written",
  },
  {
    sqlState: /^55P03$/,
    code: "unavailable",
    advice:
      "another transaction kept something locked for longer than the statement timeout; nothing of this was written",
  },
  {
    sqlState: /^57014$/,
    code: "unavailable",
    advice:
      "this was stopped, for it took longer than the statement timeout or somebody cancelled it, as the reason says, perhaps while it " +
      "waited for something that another transaction keeps locked (pg_locks tells); nothing of it was written",
  },
  {
    sqlState: /^57P/,
    code: "unavailable",
    advice: "the server is stopping or starting. Try again",
  },
  {
    sqlState: /^42(P06|P07|710|723)$/,
    code: "corrupt",
    advice:
      "its schema has tables that this software did not make, or not all of those it made. It was left as it is; name another " +
      "schema, or restore the whole of it",
  },
  {
    sqlState: /^23505$/,
    code: "corrupt",
    advice:
      "an index has what no document declares, and nothing of this was written. Let fieldroll verify say where, and fieldroll " +
      "reindex mend it",
  },
  {
    sqlState: /^23502$/,
    code: "corrupt",
    advice:
      "the row of the table store is missing, or a document has nothing in a column, and nothing of this was written. Let fieldroll verify " +
      "say what, and fieldroll reindex mend it",
  },
  { sqlState: /^XX00[12]$/, code: "corrupt", advice: "the database is damaged. Restore it from a backup" },
  {
    sqlState: /^(42P01|42883|42703|3F000)$/,
    code: "newer-schema",
    advice:
      "its tables are not the ones this software made; later software may have upgraded them meanwhile. Stop this process and " +
      "start the later software",
  },
  {
    sqlState: /^28|^3D000$/,
    code: "unavailable",
    advice: "the server does not let this user in, or has no such database. Check the connection string",
  },
  {
    sqlState: /^42501$/,
    code: "unavailable",
    advice:
      "this user may not do that. Let the database's owner grant it, or open the database once as the owner",
  },
  {
    sqlState: /^25006$/,
    code: "unavailable",
    advice:
      "the database takes no writes here, and nothing was written: this is a standby, or `default_transaction_read_only` is on. Name the " +
      "primary",
  },
  {
    sqlState: /^40/,
    code: "unavailable",
    advice: "others kept writing the same documents; nothing of this was written. Try again",
  },
];

/**
 * Turns what the client threw into the port's error.
 *
 * @param kind `write` for a statement of which it is not known whether it was made, where its connection broke
 */
export function refusal(error: unknown, where: string, kind?: "write"): StoreError {
  if (error instanceof StoreError) return error;
  const state = stateOf(error) ?? "";
  const meaning = meanings.find(({ sqlState }) => sqlState.test(state));
  const reason = error instanceof Error ? error.message || nameOf(error) : String(error);
  const lost = isLost(error);
  const made = kind === "write" && lost ? `. ${whetherMade(error)}` : "";
  const advice = meaning?.advice ?? (lost ? unreachable : "PostgreSQL refused. See the reason");
  const code = meaning?.code ?? "unavailable";
  return new StoreError(code, `${where}: ${advice} (${reason})${made}.`, { cause: error });
}

/** The port's error where something was not found in tables that later software has not upgraded. */
export function incomplete(error: unknown, where: string): StoreError {
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError(
    "corrupt",
    `${where}: something that this software made in the database is missing (${reason}). Let fieldroll verify say what; fieldroll ` +
      "reindex makes functions and indexes again, and a backup has the tables.",
    { cause: error },
  );
}

const unreachable =
  "the server can't be reached, or the connection broke. Check that it runs, and that its address is right";

/** What becomes of a statement that writes when there is no connection, or no more. */
function whetherMade(error: unknown): string {
  return isUnreached(error) ? "Nothing was written" : "Whether the write was made is not known";
}

/** Whether there was no connection to send anything through. */
function isUnreached(error: unknown): boolean {
  const reason = error instanceof Error ? `${nameOf(error)} ${error.message}` : "";
  return stateOf(error) === "57P03" || /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|timeout exceeded when/i.test(reason);
}

/** Whether the database broke a transaction off because of others: trying again is all it takes (SQLSTATE class 40). */
export function isSettledElsewhere(error: unknown): boolean {
  return /^40(001|P01)$/.test(stateOf(error) ?? "");
}

/** Whether another transaction kept something locked for longer than was waited for. */
export function isHeldUp(error: unknown): boolean {
  return stateOf(error) === "55P03";
}

/** Whether a connection is gone, could not be made, or was given up by the client while its statement went on (`query_timeout`). */
export function isLost(error: unknown): boolean {
  const state = stateOf(error);
  if (state !== undefined && /^(57P0[1-5]|08...)$/.test(state)) return true;
  const reason = error instanceof Error ? `${nameOf(error)} ${error.message}` : "";
  return /ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|Connection terminated|connection error|not queryable|timeout exceeded when|query read timeout/i.test(
    reason,
  );
}

/** Whether the server ended the connection with its refusal, of which then nothing was written. */
export function isEnded(error: unknown): boolean {
  return /^25P0[34]$/.test(stateOf(error) ?? "");
}

function stateOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** A connection tried at several addresses fails with one error for all of them, without a message. */
function nameOf(error: Error): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  const first = Array.isArray(errors) && errors[0] instanceof Error ? errors[0].message : "";
  return `${typeof code === "string" ? code : error.name} ${first}`.trim();
}
