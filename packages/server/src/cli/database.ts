import { randomUUID } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { createMemoryMedium, createMemoryStore, type Store, StoreError } from "@fieldroll/core";
import { openPostgresStore, type PostgresOptions } from "@fieldroll/storage/postgres";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { codeOf } from "../http/describe-failure.ts";
import { CommandRefusal, messageOf } from "./refusal.ts";

/** Where the records are kept. */
export type Database =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | ({ readonly kind: "postgres" } & PostgresOptions);

/** Reads the option `--database`: `memory:`, `sqlite:<path>` or `postgres://…`. */
export function parseDatabase(text: string): Database {
  if (text === "memory:") return { kind: "memory" };
  const path = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (path) return { kind: "sqlite", path: checkedPath(path) };
  if (/^postgres(ql)?:/.test(text)) return parsePostgres(text);
  throw new CommandRefusal(
    // Whatever was meant, there may be a password in it.
    `--database ${text.replace(/:.*/s, ":…")}: write sqlite:<path>, such as sqlite:./fieldroll.db, postgres://<user>@<host>/<database>, or memory:`,
  );
}

/** The client of SQLite leaves spaces at the end out: this would make one file private, and the records would go to another. */
function checkedPath(path: string): string {
  const whole = resolve(path);
  if (whole === whole.trim() && !whole.includes("\0")) return path;
  throw new CommandRefusal(
    `--database ${JSON.stringify(`sqlite:${path}`)}: a file's name may not end in a space here, nor hold U+0000. Name another file.`,
  );
}

/** What the client `pg` reads from a connection string. A misspelt one would be passed over. */
const clientParameters =
  /^(ssl(mode|cert|key|rootcert)?|uselibpqcompat|application_name|options|connect_timeout|client_encoding|host|port|user|password|(lock|idle_in_transaction_session)_timeout|keepalives.*|fallback_application_name)$/;

/** What `--database postgres://…?schema=…&connections=…&prepared=yes` says to the adapter; the rest is the client's. */
function parsePostgres(text: string): Database {
  if (!URL.canParse(text)) {
    throw new CommandRefusal(
      "--database: that is no URL. Write postgres://<user>:<password>@<host>:<port>/<database>, with what is not a letter or a " +
        "digit in the password written as %XX; or leave the password to PGPASSWORD.",
    );
  }
  const url = new URL(text);
  const taken = (name: string) => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const [schema, connections, prepared] = [taken("schema"), taken("connections"), taken("prepared")];
  const unknown = [...url.searchParams.keys()].find((name) => !clientParameters.test(name));
  if (unknown !== undefined) {
    throw new CommandRefusal(
      `--database: there is no ?${unknown}=. There are schema, connections and prepared, and what the client takes, such as sslmode.`,
    );
  }
  if (connections !== null && !/^[1-9]\d{0,3}$/.test(connections)) {
    throw new CommandRefusal(
      `--database: connections=${connections} is no number of connections, 1 or more.`,
    );
  }
  if (prepared !== null && prepared !== "yes" && prepared !== "no") {
    throw new CommandRefusal(`--database: prepared=${prepared}; write yes or no.`);
  }
  return {
    kind: "postgres",
    connectionString: url.href,
    ...(schema !== null && { schema }),
    ...(connections !== null && { connections: Number(connections) }),
    ...(prepared !== null && { preparedStatements: prepared === "yes" }),
  };
}

/** Whether the database is a file that is not there. */
export async function isMissing(database: Database): Promise<boolean> {
  // Of a PostgreSQL database only opening tells.
  return database.kind === "sqlite" && (await sizeOf(database.path)) === undefined;
}

/** Whether opening the database makes one: there is no file, or nothing is in it yet. */
export async function isNew(database: Database): Promise<boolean> {
  return database.kind === "sqlite" && ((await sizeOf(database.path)) ?? 0) === 0;
}

/** In bytes; `undefined` where there is no such file. */
async function sizeOf(path: string): Promise<number | undefined> {
  return stat(path).then(
    ({ size }) => size,
    (error: unknown) => (codeOf(error) === "ENOENT" ? undefined : Number.NaN),
  );
}

/** Where the database is, for the operator. */
export function placeOf(database: Database): string {
  if (database.kind === "memory") return "memory:, which ends with this command";
  return database.kind === "sqlite" ? resolve(database.path) : withoutPassword(database);
}

function withoutPassword({ connectionString, schema }: Database & { readonly kind: "postgres" }): string {
  const url = new URL(connectionString);
  url.password = "";
  url.searchParams.delete("password");
  if (schema !== undefined) url.searchParams.set("schema", schema);
  return url.href;
}

/** What to tell an operator whose database is not there. */
export function absent(database: Database): string {
  return (
    `There is no database ${placeOf(database)}. Name the one you mean with --database sqlite:<path> (that of npm start is ` +
    "sqlite:.data/fieldroll.db, in the checkout's folder); fieldroll serve, import and client add --create make a new one."
  );
}

/** The option `--database` that leads to a database, as every command takes it from this folder; without the password. */
export function databaseOption(database: Database): string {
  if (database.kind === "memory") return "memory:";
  if (database.kind === "postgres") return `'${withoutPassword(database)}'`;
  return `sqlite:${relative(".", database.path) || database.path}`;
}

/** How a database is opened. */
export interface Opening {
  /** Whether tables are made in an empty database; default, yes. */
  readonly make?: boolean;
  /** Whether the folder of a file is made where it is not there; default, no: a mistyped path is no wish for a new registry. */
  readonly makeFolders?: boolean;
  /** Whether a file is opened as it is that a crash may have damaged: to examine it, or to mend it. */
  readonly damaged?: boolean;
}

/** Opens the store. */
export async function openDatabase(
  database: Database,
  { make = true, makeFolders = false, damaged = false }: Opening = {},
): Promise<Store> {
  if (database.kind === "memory")
    return createMemoryStore({ medium: createMemoryMedium({ name: randomUUID() }) });
  try {
    if (database.kind === "postgres") return await openPostgresStore({ ...database, create: make });
    const path = resolve(database.path);
    if (makeFolders) await makeFolder(dirname(path));
    else await refuseMissingFolder(path);
    const afterCrash = damaged ? "open" : "check";
    return await openSqliteStore({ path, create: make, afterCrash });
  } catch (error) {
    if (error instanceof StoreError) throw new CommandRefusal(`The database can't be used: ${error.message}`);
    const code = codeOf(error);
    if (code === undefined) throw error;
    throw new CommandRefusal(
      `The database ${placeOf(database)} can't be opened (${code}): ${messageOf(error)}`,
    );
  }
}

async function refuseMissingFolder(path: string): Promise<void> {
  if ((await sizeOf(dirname(path))) !== undefined) return;
  throw new CommandRefusal(
    `There is no folder ${dirname(path)} for the database ${path}, so nothing was made. Check the path; for a new registry ` +
      "there, make the folder first, or add --create.",
  );
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
