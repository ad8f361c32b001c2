import { randomBytes } from "node:crypto";
import type { Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const server = inject("postgres");

const person = (key: string, version = 1): Document => ({
  collection: "people",
  key,
  version,
  body: { version },
  feeds: ["all"],
});
const keys = (prefix: string, count: number) => Array.from({ length: count }, (_, nth) => `${prefix}${nth}`);

describe("a PostgreSQL store whose database came to another server while it was open", {
  timeout: 120_000,
}, () => {
  let schema: string;
  let admin: Client;
  let store: Store;

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    schema = `moved_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: server.url });
    await admin.connect();
    store = await openPostgresStore({ connectionString: server.url, schema, substringIndexes: [] });
  });
  afterEach(async () => {
    if ("absent" in server) return;
    await store.close();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const run = (sql: string) => admin.query(sql.replaceAll("$.", `${schema}.`));
  /** The positions given so far lie among the numbers of transactions to come, as after a dump was restored to a younger server. */
  const bringHere = () =>
    run(`UPDATE $.store SET cluster = 'former.1';
      UPDATE $.documents SET position = position + 40;
      UPDATE $.feeds SET position = position + 40`);
  const onServer = (name: string) =>
    run(`CREATE OR REPLACE FUNCTION $.cluster() RETURNS text LANGUAGE sql STABLE AS 'SELECT ''${name}'''`);
  const put = async (...documents: readonly Document[]) =>
    expect(await store.commit({ put: documents })).toEqual({ ok: true });
  const told = async (cursor?: string) => {
    const { changes, next } = await store.changes({ feed: "all", limit: 500, ...(cursor && { cursor }) });
    return {
      next,
      keys: changes.map((one) =>
        one.kind === "put" ? `${one.document.key} ${one.document.version}` : one.key,
      ),
    };
  };
  const faults = async () => {
    const found: string[] = [];
    await store.verify?.(({ message }) => found.push(message));
    return found;
  };

  it("tells every document that is made or changed before anybody reads, after all that were there", async () => {
    const former = keys("former", 30);
    for (const key of former) await put(person(key));
    await bringHere();
    for (const key of keys("later", 60)) await put(person(key));
    for (const key of former) await put(person(key, 2));
    expect((await told()).keys).toEqual([
      ...keys("later", 60).map((key) => `${key} 1`),
      ...former.map((key) => `${key} 2`),
    ]);
    expect(await faults()).toEqual([]);
  });

  it("tells what eight processes write at once", async () => {
    for (const key of keys("former", 30)) await put(person(key));
    await bringHere();
    const url = "absent" in server ? "" : server.url;
    const others = await Promise.all(
      keys("", 8).map(() =>
        openPostgresStore({ connectionString: url, schema, substringIndexes: [], connections: 2 }),
      ),
    );
    await run("UPDATE $.store SET cluster = 'former.1'");
    await bringHere();
    const written = await Promise.all(
      others.map(async (other, nth) => {
        const own = keys(`writer${nth}-`, 20);
        for (const key of own) expect(await other.commit({ put: [person(key)] })).toEqual({ ok: true });
        return own.map((key) => `${key} 1`);
      }),
    );
    await Promise.all(others.map((other) => other.close()));
    const all = (await told()).keys;
    expect(all.slice(0, 30)).toEqual(keys("former", 30).map((key) => `${key} 1`));
    expect([...all.slice(30)].sort()).toEqual(written.flat().sort());
    expect(await faults()).toEqual([]);
  });

  it("refuses a cursor of before, whatever was written there and back", async () => {
    await onServer("home.1");
    await put(person("ana"));
    const { next } = await told();
    await onServer("away.1");
    await put(person("ben"));
    await onServer("home.1");
    await put(person("cora"));
    await expect(told(next)).rejects.toMatchObject({ code: "bad-cursor" });
    expect((await told()).keys).toEqual(["ana 1", "ben 1", "cora 1"]);
    expect(await faults()).toEqual([]);
  });

  it("stays the store that it is where it did not move", async () => {
    await put(person("ana"));
    const { next } = await told();
    await put(person("ben"));
    expect((await told(next)).keys).toEqual(["ben 1"]);
  });
});
