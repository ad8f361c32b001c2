import { isListOf, isText, type OptionRule, optional, type Store, StoreError } from "@fieldroll/core";
import { refuseOptions } from "../refuse-options.ts";
import { type Canceller, type Connecting, Database, type Transaction } from "./client.ts";
import { keepOwnFunctions } from "./own-functions.ts";
import { refusal } from "./refusal.ts";
import {
  isCurrent,
  migrate,
  migrationsOf,
  quotedName,
  refuseEncoding,
  refuseFuzzySearch,
  schemaVersion,
} from "./schema.ts";
import { createPostgresStore } from "./store.ts";
import { addSubstringIndexes } from "./substrings.ts";

/** Which database to open, and how to reach it. */
export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`, with whatever else the client `pg` takes, such as `?sslmode=require`. */
  readonly connectionString: string;
  /** Connections at most, and so statements at one time. Default 10. */
  readonly connections?: number;
  /** The schema that has the tables; made where it is not there. Default `fieldroll`. */
  readonly schema?: string;
  /** Whether the tables are made where there are none. Default `true`; otherwise such a database is refused. */
  readonly create?: boolean;
  /** Milliseconds that a statement may take before the server is asked to stop it. Default 30000. */
  readonly statementTimeout?: number;
  /**
   * Whether connections keep prepared statements, which saves some of a read's work. Default `false`: a pooler that lends a
   * connection for one transaction at a time may not know of them.
   */
  readonly preparedStatements?: boolean;
  /**
   * The indexes in which `contains` finds its documents without reading all values, by the extension pg_trgm. Default: `name`
   * and `address`. One that the database does not have yet is made while it opens; `[]` does without the extension.
   */
  readonly substringIndexes?: readonly string[];
}

const flag = optional([(given) => typeof given === "boolean", "true or false"]);

const rules: Readonly<Record<string, OptionRule>> = {
  connectionString: [isText, "text of the form postgres://user:password@host:port/database"],
  schema: optional([isText, "the name of a schema"]),
  create: flag,
  preparedStatements: flag,
  substringIndexes: optional([
    (given) => isListOf(given, isText),
    'a list of the names of indexes, such as ["name"]',
  ]),
};

/**
 * Opens a store on a PostgreSQL database, 13 or later, and brings its tables up to date. Any number of processes may have it
 * open. Each call is one statement, and no session keeps anything between two of them, so a pooler in transaction mode may
 * stand before the server. The package `pg` must be installed.
 *
 * @throws StoreError `unavailable` when the server can't be reached or does not let in, or has no tables and may not get them, or
 * the database's encoding is not UTF-8; `newer-schema` when later software has been there; `bad-request` for options that make no
 * sense.
 * @example
 * const store = await openPostgresStore({ connectionString: "postgres://registry@db.example/registry" });
 */
export async function openPostgresStore(options: PostgresOptions): Promise<Store> {
  refuseOptions("openPostgresStore", options, rules);
  const name = schemaName(options.schema ?? "fieldroll");
  const database = await connect(options);
  let schema: string;
  try {
    await refuseEncoding(database, database.where);
    await refuseFuzzySearch(database, database.where);
    schema = await quotedName(database, name);
    database.knowSchema({ sql: `SELECT migrations FROM ${schema}.store`, migrations: schemaVersion });
    if (options.create === false) await refuseEmpty(database, schema);
    // What has to be done may take long in a large store; what has not is answered at once, or the server hangs.
    const patient = !(await isCurrent(database, { name, schema }));
    const bringUpToDate = async (transaction: Transaction) => {
      await migrate(transaction, schema, database.where);
      await keepOwnFunctions(transaction, { name, schema });
    };
    await database.transaction(bringUpToDate, { patient });
    await addSubstringIndexes(database, schema, options.substringIndexes ?? ["name", "address"]);
  } catch (error) {
    await database.close();
    throw refusal(error, database.where);
  }
  return createPostgresStore(database, schema);
}

async function refuseEmpty(database: Database, schema: string): Promise<void> {
  if ((await migrationsOf(database, schema)) > 0) return;
  throw new StoreError(
    "unavailable",
    `${database.where}: the schema ${schema} has no tables of this software. Check the address; serving or importing makes them.`,
  );
}

async function connect(options: PostgresOptions): Promise<Database> {
  const { connectionString, connections = 10, statementTimeout = 30_000 } = options;
  const where = placeOf(connectionString);
  wholeNumber("connections", connections);
  wholeNumber("statementTimeout", statementTimeout);
  const { Pool, Client } = await clientPackage(where);
  const config: Connecting = { connectionString, application_name: "fieldroll", keepAlive: true };
  const pool = new Pool({ ...config, max: connections, connectionTimeoutMillis: 10_000 });
  return new Database({
    pool,
    canceller: () => new Client(config) as unknown as Canceller,
    statementTimeout,
    prepared: options.preparedStatements ?? false,
    where,
  });
}

async function clientPackage(where: string): Promise<typeof import("pg")> {
  try {
    return await import("pg");
  } catch (error) {
    throw new StoreError(
      "unavailable",
      `${where}: the package pg can't be loaded. Install it (npm install pg) to use PostgreSQL.`,
      { cause: error },
    );
  }
}

/** The database for messages: no user, no password. */
function placeOf(connectionString: string): string {
  try {
    const { protocol, host, pathname } = new URL(connectionString);
    if (!/^postgres(ql)?:$/.test(protocol)) throw new Error(protocol);
    return `postgres://${host}${pathname}`;
  } catch {
    throw new StoreError(
      "bad-request",
      "The connection string is not of the form postgres://user:password@host:port/database.",
    );
  }
}

function schemaName(name: string): string {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,40}$/.test(name)) return name;
  throw new StoreError(
    "bad-request",
    `The schema "${name}" is no plain name: give small letters, digits and _, and not pg_ at the beginning.`,
  );
}

/** The largest time that the server, and a timer, takes: some 24 days. */
const longest = 2 ** 31 - 1;

function wholeNumber(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value > 0 && value <= longest) return;
  throw new StoreError("bad-request", `${name} is ${value}; give a whole number, from 1 to ${longest}.`);
}
