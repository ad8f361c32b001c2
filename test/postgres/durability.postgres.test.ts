import { randomBytes } from "node:crypto";
import type { Document } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { describe, expect, inject, it } from "vitest";

const server = inject("postgres");

const person = (version: number, feeds: readonly string[]): Document => ({
  ...{ collection: "people", key: "ana", version, body: {}, feeds },
});

describe("what a commit waits for in PostgreSQL", () => {
  it.for([
    { what: "is in no feed", before: [], after: [], waits: false },
    { what: "leaves its feeds", before: ["all", "north"], after: [], waits: true },
    { what: "comes to a feed", before: [], after: ["all"], waits: true },
    { what: "leaves one of its feeds", before: ["all", "north"], after: ["all"], waits: true },
  ])("a relaxed one of a document that $what: $waits", async ({ before, after, waits }, { skip }) => {
    if ("absent" in server) return skip(server.absent);
    const schema = `durability_${randomBytes(6).toString("hex")}`;
    const admin = new Client({ connectionString: server.url });
    await admin.connect();
    const store = await openPostgresStore({ connectionString: server.url, schema });
    await store.commit({ put: [person(1, before)] });
    await admin.query(`CREATE TABLE ${schema}.seen (level text);
      CREATE FUNCTION ${schema}.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        INSERT INTO ${schema}.seen VALUES (current_setting('synchronous_commit')); RETURN NULL;
      END $$;
      CREATE CONSTRAINT TRIGGER see AFTER UPDATE ON ${schema}.documents DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION ${schema}.see()`);
    expect(await store.commit({ put: [person(2, after)], durability: "relaxed" })).toEqual({ ok: true });
    expect(await store.commit({ put: [person(3, after)] })).toEqual({ ok: true });
    const { rows } = await admin.query<{ level: string }>(`SELECT level FROM ${schema}.seen`);
    const { rows: usual } = await admin.query<{ synchronous_commit: string }>("SHOW synchronous_commit");
    const on = usual[0]?.synchronous_commit;
    expect(rows).toEqual([{ level: waits ? on : "off" }, { level: on }]);
    await store.close();
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA ${schema} CASCADE`);
    await admin.end();
  });
});
