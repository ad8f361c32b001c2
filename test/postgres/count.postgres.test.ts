import { randomBytes } from "node:crypto";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { expect, inject, it } from "vitest";

const server = inject("postgres");

it("a count that nobody waits for any more is stopped in the server, and the store goes on", async () => {
  if ("absent" in server) return;
  const schema = `count_${randomBytes(6).toString("hex")}`;
  const other = new Client(server.url);
  await other.connect();
  const store = await openPostgresStore({ connectionString: server.url, schema });
  try {
    await store.commit({ put: [{ collection: "c", key: "a", version: 1, body: 0 }] });
    // Waits for ever otherwise.
    await other.query("BEGIN");
    await other.query(`LOCK TABLE ${schema}.documents IN ACCESS EXCLUSIVE MODE`);
    let asked = 0;
    expect(await store.count?.({ collection: "c" }, () => ++asked < 2)).toBeUndefined();
    await other.query("ROLLBACK");
    expect(await store.count?.({ collection: "c" })).toBe(1);
  } finally {
    await store.close();
    await other.query(`DROP SCHEMA ${schema} CASCADE`);
    await other.end();
  }
});
