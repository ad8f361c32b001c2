import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import type { OpenStore, StoreHarness } from "@fieldroll/core/testing";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll } from "vitest";

/** Where the suite's stores stand. */
export interface SuitePlace {
  /** Where stores connect to, asked when the first is opened. */
  readonly stores: () => string;
  /** Who may drop their schemas, and where; where the stores are, unless told. */
  readonly drops?: string;
  /** How many documents the suite fills a store with; its own number, unless told. */
  readonly documents?: number;
  /** Lays the tables of a new store out otherwise, before anything is written. */
  readonly layOut?: (connectionString: string, schema: string) => Promise<void>;
}

/** Stores in schemas of their own, which are dropped after their tests. For a file of tests, or a group of them. */
export function postgresHarness({ stores, drops, documents, layOut }: SuitePlace): StoreHarness {
  // Half of what a short test takes would be to connect once more.
  let dropping: Promise<Client> | undefined;
  afterAll(async () => {
    await (await dropping)?.end();
    dropping = undefined;
  });
  const drop = async (schema: string) => {
    dropping ??= connectedTo(drops ?? stores());
    await run(await dropping, ["SET client_min_messages = warning", `DROP SCHEMA ${schema} CASCADE`]);
  };
  return {
    ...(documents !== undefined && { documents }),
    create: () => createAt(stores(), { drop, ...(layOut && { layOut }) }),
  };
}

async function createAt(
  connectionString: string,
  { drop, layOut }: { readonly drop: (schema: string) => Promise<void> } & Pick<SuitePlace, "layOut">,
): Promise<OpenStore> {
  const schema = `suite_${randomBytes(6).toString("hex")}`;
  const opened: Store[] = [];
  const open = async () => {
    const store = await openPostgresStore({ connectionString, schema, connections: 8 });
    opened.push(store);
    return store;
  };
  const close = async () => {
    await Promise.all(opened.map((store) => store.close()));
  };
  const store = await open();
  await layOut?.(connectionString, schema);
  return {
    store,
    second: open,
    // Whoever is killed leaves its connections to the server as they are.
    crash: open,
    async reopen() {
      await close();
      return open();
    },
    async drop() {
      await close();
      await drop(schema);
    },
  };
}

/** Runs statements one after the other on a connection of their own. */
export async function runStatements(connectionString: string, statements: readonly string[]): Promise<void> {
  const client = await connectedTo(connectionString);
  await run(client, statements);
  await client.end();
}

async function connectedTo(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

async function run(client: Client, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await client.query(statement);
}
