import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { toSchema12, toSchema14 } from "./earlier.ts";

const server = inject("postgres");

const people = ["ana", "ben", "cora"];

/** What the first migration's function wrote: three people, one with a value that an index cuts; then one of them changed. */
const written = [
  `SELECT earlier.commit(3, '{people,people,people}', '{ana,ben,cora}', '{1,1,1}', '{"[\\"id ana\\"]","[\\"id ben\\"]","[]"}',
  ARRAY['{"name":["ana","reyes"],"kind":["p"]}', '{"name":["ben"]}', '{"name":["' || repeat('x', 600) || '","cora"]}'],
  '{"[\\"all\\",\\"north\\"]","[\\"all\\"]","[\\"all\\"]"}', '{"{\\"n\\":1}","{\\"n\\":2}","{\\"n\\":3}"}', '{}', '{}', '{}', '{}', '{}', true)`,
  `SELECT earlier.commit(1, '{people}', '{ana}', '{2}', '{"[\\"id ana\\"]"}', ARRAY['{"name":["ana","lim"]}'],
  '{"[\\"all\\"]"}', '{"{\\"n\\":4}"}', '{version}', '{people}', '{ana}', '{1}', '{1}', true)`,
];

describe("a database of an earlier schema", () => {
  let url = "";
  let admin: Client;
  let schema: string;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    url = server.url;
    schema = `upgrade_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: url });
    await admin.connect();
  });
  afterEach(async () => {
    if ("absent" in server) return;
    for (const store of opened.splice(0)) await store.close();
    await admin.query("SET client_min_messages = warning");
    await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE; DROP SCHEMA IF EXISTS ${schema}_new CASCADE`);
    await admin.end();
  });

  const open = async (name: string) => {
    const store = await openPostgresStore({ connectionString: url, schema: name });
    opened.push(store);
    return store;
  };
  const earlier = async () => {
    const sql = await readFile(new URL("schema-1.sql", import.meta.url), "utf8");
    for (const text of [sql, ...written]) await admin.query(text.replaceAll(/\bearlier\b/g, schema));
  };

  const former = async () => {
    await admin.query(
      `CREATE FUNCTION ${schema}.commit(int, text[], text[], bigint[], text[], text[], text[], text[], text[], text[], text[], bigint[], boolean)
        RETURNS text LANGUAGE sql AS 'SELECT NULL::text';
      CREATE FUNCTION ${schema}.lock_asked(text[], text[], text[], text[], text[]) RETURNS void LANGUAGE sql AS 'SELECT'`,
    );
  };

  it.each([
    ["the first", earlier],
    ["the first, with the functions of before it,", () => earlier().then(former)],
    [
      "the seventh, with the functions of before the first,",
      async () => {
        await open(schema);
        await former();
        await admin.query(`${toSchema12(schema)} UPDATE ${schema}.store SET migrations = 7`);
      },
    ],
    [
      "the fourteenth",
      async () => {
        await open(schema);
        await admin.query(toSchema14(schema));
      },
    ],
  ])("that is %s has the tables, indexes and functions of a new one afterwards", async (_, make) => {
    await make();
    await open(schema);
    await open(`${schema}_new`);
    const made = async (name: string) => {
      const { rows } = await admin.query<{ text: string }>(
        `SELECT pg_get_functiondef(oid) AS text FROM pg_proc WHERE pronamespace = $1::regnamespace
        UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $2
        UNION ALL SELECT format('%s.%s %s %s', table_name, column_name, data_type, is_nullable) FROM information_schema.columns
          WHERE table_schema = $2
        UNION ALL SELECT 'migrations ' || migrations FROM ${name}.store ORDER BY 1`,
        [name, name],
      );
      return rows.map(({ text }) => text.replaceAll(name, "s"));
    };
    expect((await made(schema)).length).toBeGreaterThan(30);
    expect(await made(schema)).toEqual(await made(`${schema}_new`));
  });

  it("is brought up to date, and given its indexes, however long that takes", async () => {
    const statementTimeout = 500;
    const first = await openPostgresStore({ connectionString: url, schema, substringIndexes: [] });
    opened.push(first);
    await admin.query(
      `${toSchema12(schema)}
      INSERT INTO ${schema}.entries (collection, idx, value, key, first)
        SELECT 'people', 'name', md5(i::text) || md5((-i)::text), i::text, true FROM generate_series(1, 100000) i;
      CREATE FUNCTION ${schema}.wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.7); RETURN NEW; END';
      CREATE TRIGGER wait BEFORE UPDATE ON ${schema}.store FOR EACH ROW EXECUTE FUNCTION ${schema}.wait();
      UPDATE ${schema}.store SET migrations = 10`,
    );
    const options = { connectionString: url, schema, statementTimeout };
    const store = await openPostgresStore({ ...options, substringIndexes: ["name"] });
    opened.push(store);
    const { rows } = await admin.query(`SELECT migrations > 10 AS done FROM ${schema}.store`);
    expect(rows).toEqual([{ done: true }]);
    const where = [{ index: "name", contains: "no such thing" }];
    expect(await store.query({ collection: "people", where, limit: 9 })).toMatchObject({ documents: [] });
  });

  it("of schema 14 keeps its identity, and then finds out in a commit that it came to another server", async () => {
    const person = (key: string) => ({ collection: "people", key, version: 1, body: {}, feeds: ["all"] });
    const identity = async () => (await admin.query(`SELECT id FROM ${schema}.store`)).rows;
    const former = await open(schema);
    await former.commit({ put: [person("ana")] });
    const before = await identity();
    await admin.query(toSchema14(schema));
    const move = `UPDATE ${schema}.store SET cluster = 'another'`;
    const back = `UPDATE ${schema}.store SET cluster = ${schema}.cluster()`;
    await admin.query(move);
    expect(await former.commit({ put: [person("ben")] })).toEqual({ ok: true });
    expect(await identity()).toEqual(before);
    await admin.query(back);
    const store = await open(schema);
    expect(await identity()).toEqual(before);
    await admin.query(move);
    expect(await store.commit({ put: [person("cora")] })).toEqual({ ok: true });
    expect(await identity()).not.toEqual(before);
    const { changes } = await store.changes({ feed: "all", limit: 9 });
    expect(changes.map((change) => "document" in change && change.document.key)).toEqual([
      "ana",
      "ben",
      "cora",
    ]);
    const faults: unknown[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
  });

  it("has all it had, and is written on", async () => {
    await earlier();
    const store = await open(schema);
    const found = await store.get(people.map((key) => ({ collection: "people", key })));
    expect(found.map((document) => [document?.version, document?.body])).toEqual([
      [2, { n: 4 }],
      [1, { n: 2 }],
      [1, { n: 3 }],
    ]);
    const before = await store.changes({ feed: "all", limit: 2 });
    const commit = {
      expect: [{ kind: "version", collection: "people", key: "cora", version: 1 }] as const,
      put: [
        {
          collection: "people",
          key: "cora",
          version: 2,
          body: { n: 5 },
          claims: ["id cora"],
          entries: { name: ["cora", `${"x".repeat(550)}y`] },
          feeds: ["north"],
        },
      ],
      remove: [{ collection: "people", key: "ben" }],
    };
    expect(await store.commit(commit)).toEqual({ ok: true });
    expect(await store.resolve(["id ana", "id ben", "id cora"])).toEqual([
      { collection: "people", key: "ana" },
      undefined,
      { collection: "people", key: "cora" },
    ]);
    const where = [{ index: "name", anyOf: ["reyes", "cora", "lim", "ben"] }];
    const { documents } = await store.query({
      collection: "people",
      where,
      sort: { index: "name" },
      limit: 9,
    });
    expect(documents.map(({ key }) => key)).toEqual(["ana", "cora"]);
    const { changes } = await store.changes({ feed: "all", cursor: before.next, limit: 9 });
    expect(
      changes.map((change) => [change.kind, "key" in change ? change.key : change.document.key]),
    ).toEqual([
      ["put", "ana"],
      ["gone", "cora"],
      ["gone", "ben"],
    ]);
    const faults: unknown[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
  });
});
