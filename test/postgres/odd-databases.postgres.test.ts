import { randomBytes } from "node:crypto";
import { describeStore } from "@fieldroll/core/testing";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { postgresHarness, runStatements } from "./suite-harness.ts";

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
      array_nulls: "off",
      search_path: '"$user"',
      bytea_output: "escape",
      quote_all_identifiers: "on",
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
  const place = new URL(url);
  place.pathname = `/${database}`;
  const asAdmin = place.href;
  place.username = role;
  place.password = "odd";

  beforeAll(() =>
    runStatements(url, [
      `CREATE ROLE ${role} LOGIN PASSWORD 'odd'`,
      `CREATE DATABASE ${database} OWNER ${role} ${create} TEMPLATE template0`,
      ...Object.entries(settings).map(([setting, value]) => `ALTER ROLE ${role} SET ${setting} = ${value}`),
    ]),
  );
  afterAll(() => runStatements(url, [`DROP DATABASE ${database} WITH (FORCE)`, `DROP ROLE ${role}`]));

  // How a full store is read is the same here as anywhere.
  describeStore(name, postgresHarness({ stores: () => place.href, drops: asAdmin, documents: 5_000 }));
}
