import { randomBytes } from "node:crypto";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { toSchema12, toSchema13 } from "./earlier.ts";

const server = inject("postgres");

const long = "é".repeat(600);

const put = (key: string, name: string, version = 1) => ({
  put: [{ collection: "people", key, version, body: {}, claims: [name], entries: {}, feeds: [name] }],
});

const personOf = (key: string) => ({ collection: "people", key });

/** How names were kept before schema 11. */
const earlier = `CREATE OR REPLACE FUNCTION SCHEMA.short(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $function$
  SELECT CASE WHEN octet_length(name) <= 1000 THEN name
    ELSE left(name, 100) || '~' || length(name)::text || '~' || md5(name) || md5(reverse(name)) END
$function$`;

describe("a name of more than 1,000 bytes, and what PostgreSQL keeps of it as a name of its own", () => {
  let url = "";
  let admin: Client;
  let schema: string;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    url = server.url;
    schema = `names_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: url });
    await admin.connect();
  });
  afterEach(async () => {
    if ("absent" in server) return;
    for (const store of opened.splice(0)) await store.close();
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const open = async () => {
    const store = await openPostgresStore({ connectionString: url, schema });
    opened.push(store);
    return store;
  };
  const keptOf = async (table: "claims" | "feeds", column: string): Promise<string> => {
    const { rows } = await admin.query<{ name: string }>(`SELECT ${column} AS name FROM ${schema}.${table}`);
    return rows[0]?.name ?? "";
  };
  const told = async (store: Store, feed: string) => {
    const { changes } = await store.changes({ feed, limit: 9 });
    return changes.map((change) => [change.kind, "key" in change ? change.key : change.document.key]);
  };
  const faultsOf = async (store: Store) => {
    const faults: unknown[] = [];
    await store.verify?.((fault) => faults.push(fault));
    return faults;
  };

  it("are two claims and two feeds", async () => {
    const store = await open();
    expect(await store.commit(put("ana", long))).toEqual({ ok: true });
    const kept = await keptOf("claims", "claim");
    expect(kept).toMatch(/^é{100}~600~[0-9a-f]{64}$/);
    expect(await keptOf("feeds", "feed")).toBe(kept);
    expect(await store.commit({ expect: [{ kind: "free", claim: kept }], ...put("ben", kept) })).toEqual({
      ok: true,
    });
    expect(await store.resolve([long, kept])).toEqual([personOf("ana"), personOf("ben")]);
    expect(await told(store, long)).toEqual([["put", "ana"]]);
    expect(await told(store, kept)).toEqual([["put", "ben"]]);
    expect(await store.commit({ remove: [personOf("ben")] })).toEqual({ ok: true });
    expect(await store.resolve([long, kept])).toEqual([personOf("ana"), undefined]);
    expect(await told(store, long)).toEqual([["put", "ana"]]);
    expect(await told(store, kept)).toEqual([["gone", "ben"]]);
    expect(await faultsOf(store)).toEqual([]);
  });

  it("are so of what an earlier schema has", async () => {
    const short = `${"x".repeat(9)}~600~${"ab".repeat(32)}`;
    const left = `${"y".repeat(9)}~600~${"cd".repeat(32)}`;
    const first = await open();
    const { rows } = await admin.query<{ next: string }>(`SELECT ${schema}.short($1) AS next`, [short]);
    const next = rows[0]?.next ?? "";
    await admin.query(earlier.replaceAll("SCHEMA", schema));
    await first.commit(put("ana", long));
    await first.commit(put("ben", short));
    await first.commit(put("dora", next));
    await first.commit(put("cora", left));
    await first.commit(put("cora", "elsewhere", 2));
    const cursor = (await first.changes({ feed: short, limit: 9 })).next;
    expect(await keptOf("claims", "max(claim)")).toMatch(/^é/);
    await admin.query(`${toSchema12(schema)} UPDATE ${schema}.store SET migrations = 10`);

    const store = await open();
    const held = ["ana", "ben", "dora"].map(personOf);
    expect(await store.resolve([long, short, next, left])).toEqual([...held, undefined]);
    expect(await told(store, next)).toEqual([["put", "dora"]]);
    expect(await told(store, long)).toEqual([["put", "ana"]]);
    expect(await told(store, short)).toEqual([["put", "ben"]]);
    expect(await told(store, left)).toEqual([["gone", "cora"]]);
    expect(await faultsOf(store)).toEqual([]);
    await store.commit(put("ben", short, 2));
    expect((await store.changes({ feed: short, cursor, limit: 9 })).changes).toMatchObject([{ kind: "put" }]);
    expect(await faultsOf(store)).toEqual([]);
  });

  /** As long as the key of a document may be, and of what can't be kept shorter. */
  const longest = randomBytes(1_950).toString("base64");
  const leaving = { put: [{ collection: "people", key: longest, version: 2, body: {} }] };

  it.each([
    ["leaves", leaving],
    ["is removed", { remove: [personOf(longest)] }],
  ])(
    "keep nobody with a key as long as can be in a feed: who %s is gone, and comes back",
    async (_, leave) => {
      const store = await open();
      const feed = randomBytes(740).toString("base64");
      for (const turn of [1, 2]) {
        const cursor = (await store.changes({ feed, limit: 9 })).next;
        const version = turn * 2 - 1;
        expect(await store.commit(put(longest, feed, version))).toEqual({ ok: true });
        expect(await store.commit(leave)).toEqual({ ok: true });
        expect((await store.changes({ feed, cursor, limit: 9 })).changes).toMatchObject([
          { kind: "gone", key: longest },
        ]);
      }
      const cursor = (await store.changes({ feed, limit: 9 })).next;
      expect(await store.commit(put(`${longest.slice(0, -1)}.`, feed))).toEqual({ ok: true });
      expect((await store.changes({ feed, cursor, limit: 9 })).changes).toHaveLength(1);
      expect(await told(store, feed)).toHaveLength(2);
      expect(await faultsOf(store)).toEqual([]);
    },
  );

  it("let go of whom schema 13 took in and could not let leave", async () => {
    const feed = randomBytes(740).toString("base64");
    const earlier = await open();
    await admin.query(toSchema13(schema));
    expect(await earlier.commit(put(longest, feed))).toEqual({ ok: true });
    await expect(earlier.commit(leaving)).rejects.toMatchObject({ code: "bad-request" });
    const store = await open();
    expect(await store.commit(leaving)).toEqual({ ok: true });
    expect(await told(store, feed)).toEqual([["gone", longest]]);
    expect(await faultsOf(store)).toEqual([]);
  });

  it("open a store of schema 13 that lost its index, and in which somebody left twice", async () => {
    const earlier = await open();
    await earlier.commit(put("ana", "all"));
    await earlier.commit({ remove: [personOf("ana")] });
    await admin.query(`${toSchema13(schema)} DROP INDEX ${schema}.feeds_gone;
      INSERT INTO ${schema}.feeds SELECT feed, collection, key, position - 1, nth, gone FROM ${schema}.feeds`);
    const store = await open();
    expect(await told(store, "all")).toEqual([["gone", "ana"]]);
    expect(await faultsOf(store)).toEqual([]);
  });
});
