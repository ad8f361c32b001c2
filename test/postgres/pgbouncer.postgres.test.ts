import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import {
  findPgbouncer,
  installsPgbouncer,
  type Pooler,
  pgbouncerMissing,
  startPgbouncer,
} from "./pgbouncer.ts";

const server = inject("postgres");
const program = findPgbouncer();

describe("whether PgBouncer is installed for the tests", () => {
  const machine = { canInstall: true, hasPgbouncer: false };
  const cases = [
    { name: "all tests, where there is none", expected: true },
    { name: "tests on PostgreSQL alone", args: ["--project=postgres"], expected: true },
    { name: "tests that need no database", args: ["--project=node"], expected: false },
    { name: "where there is one", on: { ...machine, hasPgbouncer: true }, expected: false },
    { name: "without the right to install", on: { ...machine, canInstall: false }, expected: false },
    { name: "where it is not wanted", env: { FIELDROLL_PGBOUNCER: "none" }, expected: false },
  ];
  it.each(cases)("$name: $expected", ({ args = [], env = {}, on = machine, expected }) => {
    expect(installsPgbouncer(args, env, on)).toBe(expected);
  });
});

if ("absent" in server || program === undefined) {
  const reason = "absent" in server ? server.absent : pgbouncerMissing;
  describe("PostgreSQL behind PgBouncer in transaction mode", () => {
    it("keeps the promises of a store", ({ skip }) => skip(reason));
  });
} else {
  let pooler: Pooler | undefined;
  beforeAll(async () => {
    pooler = await startPgbouncer(program, server.url);
  });
  afterAll(() => pooler?.stop());

  describeStore("PostgreSQL behind PgBouncer in transaction mode", {
    // How a full store is read is the same here as without a pooler.
    documents: 5_000,
    async create() {
      const schema = `bouncer_${randomBytes(6).toString("hex")}`;
      const opened: Store[] = [];
      const open = async () => {
        const store = await openPostgresStore({
          connectionString: pooler?.url ?? "",
          schema,
          connections: 8,
        });
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
          const client = new Client({ connectionString: server.url });
          await client.connect();
          await client.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
          await client.end();
        },
      };
    },
  });
}
