import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import { describeStore } from "@fieldroll/core/testing";
import { Client } from "pg";
import { describe, inject, it } from "vitest";
import { openPostgresStore } from "./index.ts";

const server = inject("postgres");

if ("absent" in server) {
  describe("PostgreSQL", () => {
    it("keeps the promises of a store", ({ skip }) => skip(server.absent));
  });
} else {
  const connectionString = server.url;
  describeStore("PostgreSQL", {
    async create() {
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
      return {
        store: await open(),
        second: open,
        // Whoever is killed leaves its connections to the server as they are.
        crash: open,
        async reopen() {
          await close();
          return open();
        },
        async drop() {
          await close();
          const client = new Client({ connectionString });
          await client.connect();
          await client.query(`SET client_min_messages = warning; DROP SCHEMA ${schema} CASCADE`);
          await client.end();
        },
      };
    },
  });
}
