import { mkdir, stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { CommandRefusal, codeOf, messageOf } from "./refusal.ts";

/** Where the records are kept. */
export type Database = { readonly kind: "memory" } | { readonly kind: "sqlite"; readonly path: string };

/** Reads the option `--database`: `memory:` or `sqlite:<path>`. */
export function parseDatabase(text: string): Database {
  if (text === "memory:") return { kind: "memory" };
  const path = /^sqlite:(.+)$/.exec(text)?.[1];
  if (path) return { kind: "sqlite", path };
  if (/^postgres(ql)?:/.test(text)) {
    throw new CommandRefusal(
      "--database: PostgreSQL is not in this version. Use sqlite:<path>, or memory: to keep nothing.",
    );
  }
  throw new CommandRefusal(
    `--database ${text}: write sqlite:<path>, such as sqlite:./fieldroll.db, or memory:`,
  );
}

/** Whether the database is a file that is not there. */
export async function isMissing(database: Database): Promise<boolean> {
  if (database.kind === "memory") return false;
  return stat(database.path).then(
    () => false,
    (error: unknown) => codeOf(error) === "ENOENT",
  );
}

/** Where the database is, for the operator. */
export function placeOf(database: Database): string {
  return database.kind === "memory" ? "memory:, which ends with this command" : resolve(database.path);
}

/** What to tell an operator whose database is not there. */
export function absent(database: Database): string {
  return (
    `There is no database ${placeOf(database)}. Name the one you mean with --database sqlite:<path> (that of npm start is ` +
    "sqlite:.data/fieldroll.db, in the checkout's folder); fieldroll serve, import and client add --create make a new one."
  );
}

/** The option `--database` that leads to a database, as every command takes it from this folder. */
export function databaseOption(database: Database): string {
  return database.kind === "memory" ? "memory:" : `sqlite:${relative(".", database.path) || database.path}`;
}

/** Opens the store, and makes the folder of a database file that is not there yet. */
export async function openDatabase(database: Database): Promise<Store> {
  if (database.kind === "memory") return createMemoryStore();
  const path = resolve(database.path);
  try {
    await makeFolder(dirname(path));
    return await openSqliteStore({ path });
  } catch (error) {
    if (error instanceof StoreError) throw new CommandRefusal(`The database can't be used: ${error.message}`);
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new CommandRefusal(`The database ${path} can't be opened (${code}): ${messageOf(error)}`);
  }
}

/** Level by level: Node's own recursive mkdir never ends where the system answers ENOENT to each try, as below /proc. */
async function makeFolder(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined);
  if (there) return;
  const parent = dirname(path);
  if (parent !== path) await makeFolder(parent);
  await mkdir(path).catch((error: unknown) => {
    if (codeOf(error) !== "EEXIST") throw error;
  });
}
