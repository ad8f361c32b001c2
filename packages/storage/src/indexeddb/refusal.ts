import { StoreError, type StoreErrorCode } from "@fieldroll/core";

const unreadable = ["corrupt", "it holds something that can't be read as this store's"] as const;

const refusals: Readonly<Record<string, readonly [code: StoreErrorCode, advice: string]>> = {
  QuotaExceededError: [
    "quota",
    "there is no room left and nothing of this was written. Free some space and try again",
  ],
  VersionError: [
    "newer-schema",
    "it was written by a newer version of this software. Load the newest version of the app",
  ],
  DataError: unreadable,
  SyntaxError: unreadable,
  NotFoundError: ["corrupt", "its object stores are not this software's"],
  NotReadableError: ["corrupt", "a part of it can no longer be read from the disk"],
};

/** How a browser says that it keeps no database here: in private mode, or with the site's data blocked. */
const keepsNone = ["InvalidStateError", "SecurityError", "NotAllowedError"];

/** Turns what IndexedDB threw as it was asked for a database the first time into the port's error. */
export function refusalAtFirst(error: unknown, database: string): StoreError {
  if (!keepsNone.includes(nameOf(error))) return refusal(error, database);
  const said = error instanceof Error ? error.message : String(error);
  const message = `The database "${database}": this browser keeps none here. Leave private mode, or let this site keep data (${said}).`;
  return new StoreError("absent", message, { cause: error });
}

/** Turns what IndexedDB or Dexie threw into the port's error. */
export function refusal(error: unknown, database: string): StoreError {
  if (error instanceof StoreError) return error;
  const name = nameOf(error);
  const [code, advice] = refusals[name] ?? [
    "unavailable",
    "IndexedDB refused; try again, or load the app anew",
  ];
  // What the parser says of a damaged row would quote the record.
  const quotes = name === "SyntaxError";
  const reason = error instanceof Error && !quotes ? `${name}: ${error.message}` : name || String(error);
  const message = `The database "${database}": ${advice} (${reason}).`;
  return new StoreError(code, message, quotes ? {} : { cause: error });
}

/** Whether a connection has been lost, so that a new one may do better. */
export function isLost(error: unknown): boolean {
  return nameOf(error) === "InvalidStateError";
}

/** Whether something from outside ended a transaction: a browser that closes a database by force may say so after that only. */
export function isCut(error: unknown): boolean {
  return ["AbortError", "UnknownError"].includes(nameOf(error));
}

/** Whether the unique index of claims stopped a transaction. Feed places are unique too, but never meet. */
export function isClaimConflict(error: unknown): boolean {
  return error instanceof StoreError && nameOf(error.cause) === "ConstraintError";
}

// Dexie wraps the native error and shows it as `inner`.
function nameOf(error: unknown): string {
  if (typeof error !== "object" || error === null) return "";
  const { name, inner } = error as { name?: unknown; inner?: unknown };
  const innermost = inner ? nameOf(inner) : "";
  return innermost || (typeof name === "string" ? name : "");
}
