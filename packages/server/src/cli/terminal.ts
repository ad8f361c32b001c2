import { type Store, StoreError } from "@fieldroll/core";
import type { Logger } from "pino";
import { openDatabase, parseDatabase } from "./database.ts";
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

/** A full disk or a damaged file is for the operator to mend: the store's message says how. */
export async function withoutStack(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw error instanceof StoreError ? new CommandRefusal(error.message) : error;
  }
}

/** Opens the store of `--database` for a piece of work, and closes it whatever comes of it. */
export function withStore(database: string, work: (store: Store) => Promise<void>): Promise<void> {
  const run = async () => {
    const store = await openDatabase(parseDatabase(database));
    try {
      await work(store);
    } finally {
      await store.close();
    }
  };
  return withoutStack(run());
}
