import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, inject, it } from "vitest";

const server = inject("postgres");

/** Whatever a database or a role sets for its sessions, a store keeps its promises. */
const databases = [
  {
    name: "PostgreSQL with the order of English words, where transactions are serializable",
    create: "LOCALE_PROVIDER icu ICU_LOCALE 'en-US'",
    settings: {
      default_transaction_isolation: "'serializable'",
      search_path: "nowhere, pg_catalog",
      standard_conforming_strings: "off",
      synchronous_commit: "off",
      DateStyle: "'German, DMY'",
    },
  },
  {
    name: "PostgreSQL where transactions read repeatably, and plans are made anew",
    create: "LOCALE 'C.UTF-8'",
    settings: {
      default_transaction_isolation: "'repeatable read'",
      plan_cache_mode: "force_custom_plan",
      search_path: '"$user"',
      bytea_output: "escape",
    },
  },
];

if ("absent" in server) {
  describe("PostgreSQL with settings of its own", () => {
    it("keeps the promises of a store", ({ skip }) => skip(server.absent));
  });
} else {
  for (const database of databases) onDatabase(server.url, database);
}

function onDatabase(url: string, { name, create, settings }: (typeof databases)[number]): void {
  const id = randomBytes(5).toString("hex");
  const [role, database] = [`odd_role_${id}`, `odd_${id}`];
  const run = async (place: string, statements: readonly string[]) => {
    const client = new Client({ connectionString: place });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const place = new URL(url);
  place.pathname = `/${database}`;
  const asAdmin = place.href;
  place.username = role;
  place.password = "odd";

  beforeAll(() =>
    run(url, [
      `CREATE ROLE ${role} LOGIN PASSWORD 'odd'`,
      `CREATE DATABASE ${database} OWNER ${role} ${create} TEMPLATE template0`,
      ...Object.entries(settings).map(([setting, value]) => `ALTER ROLE ${role} SET ${setting} = ${value}`),
    ]),
  );
  afterAll(() => run(url, [`DROP DATABASE ${database} WITH (FORCE)`, `DROP ROLE ${role}`]));

  describeStore(name, {
    // How a full store is read is the same here as anywhere.
    documents: 5_000,
    async create() {
      const schema = `suite_${randomBytes(6).toString("hex")}`;
      const opened: Store[] = [];
      const open = async () => {
        const store = await openPostgresStore({ connectionString: place.href, schema, connections: 8 });
        opened.push(store);
        return store;
      };
      const close = async () => {
        await Promise.all(opened.map((store) => store.close()));
      };
      return {
        store: await open(),
        second: open,
        crash: open,
        async reopen() {
          await close();
          return open();
        },
        async drop() {
          await close();
          await run(asAdmin, ["SET client_min_messages = warning", `DROP SCHEMA ${schema} CASCADE`]);
        },
      };
    },
  });
}
