import { type Store, StoreError } from "@fieldroll/core";
import type { Logger } from "pino";
import { absent, isMissing, type Opening, openDatabase, parseDatabase, placeOf } from "./database.ts";
import { CommandRefusal } from "./refusal.ts";

/** What the command line touches of its process. */
export interface Terminal {
  /** Writes to standard output; resolves when there is room for more. */
  out(text: string): Promise<void>;
  /** Writes to standard error. */
  err(text: string): void;
  readonly version: string;
  createLog(): Logger;
  /** Calls back once, at the first request to end. */
  onStop(stop: () => Promise<void>): void;
}

/** Where records are kept when nothing else is said. */
export const defaultDatabase = "sqlite:./fieldroll.db";

/** The option `--database` of commands that work on a database which lasts. */
export const databaseChoice = [
  "--database <url>",
  "sqlite:<path> or postgres://<user>@<host>/<database>",
  defaultDatabase,
] as const;

/** A full disk or a damaged file is for the operator to mend: the store's message says how. */
export async function withoutStack(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof StoreError ? new CommandRefusal(error.message) : error;
  }
}

/** The database that a piece of work is done on. */
export interface Opened {
  readonly store: Store;
  /** Names it for the operator, such as `/srv/registry.db, which is new`. */
  readonly place: string;
}

/**
 * Opens the store of `--database` for a piece of work, and closes it whatever comes of it.
 *
 * @param options.make whether a database file that is not there is made; otherwise it is refused, for whoever forgets the
 *   option, or writes another folder's, means a database that is there
 */
export function withStore(
  { database, make = false, ...rest }: Opening & { readonly database: string },
  work: (opened: Opened) => Promise<void>,
): Promise<void> {
  const run = async () => {
    const parsed = parseDatabase(database);
    const isNew = await isMissing(parsed);
    if (isNew && !make) throw new CommandRefusal(absent(parsed));
    const store = await openDatabase(parsed, { make, ...rest });
    try {
      await work({ store, place: `${placeOf(parsed)}${isNew ? ", which is new" : ""}` });
    } finally {
      await store.close();
    }
  };
  return withoutStack(run());
}
