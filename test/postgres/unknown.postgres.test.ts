import { randomBytes } from "node:crypto";
import type { CommitResult, Document, Store, StoreError } from "@fieldroll/core";
import { openPostgresStore, type PostgresOptions } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { startPostgres } from "../../.scripts/postgres.ts";
import { runStatements } from "./suite-harness.ts";

const shared = inject("postgres");

const person = (key: string, version: number): Document => ({
  ...{ collection: "people", key, version, body: { version } },
});

/** What was answered, or the code of the refusal with what it says. */
const outcomeOf = (commit: Promise<CommitResult>) =>
  commit.catch(({ code, message }: StoreError) => ({ code, message }));

describe("a commit of which nobody knows whether it was made", () => {
  let url = "";
  let schema: string;
  let admin: Client;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in shared) return skip(shared.absent);
    url = shared.url;
    schema = `unknown_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: url });
    await admin.connect();
  });
  afterEach(async () => {
    if ("absent" in shared) return;
    for (const store of opened.splice(0)) await store.close();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const open = async (options: Partial<PostgresOptions> = {}) => {
    const store = await openPostgresStore({ connectionString: url, schema, ...options });
    opened.push(store);
    return store;
  };

  it("is refused so, and not made anew, where the client gave up before the server did", async () => {
    const place = new URL(url);
    place.searchParams.set("query_timeout", "500");
    const store = await open({ connectionString: place.href });
    const keys = ["ana", "ben"];
    await store.commit({ put: keys.map((key) => person(key, 1)) });
    await admin.query(`CREATE FUNCTION ${schema}.slow() RETURNS trigger LANGUAGE plpgsql
      AS 'BEGIN PERFORM pg_sleep(0.35); RETURN NEW; END'`);
    await admin.query(
      `CREATE TRIGGER slow BEFORE UPDATE ON ${schema}.documents FOR EACH ROW EXECUTE FUNCTION ${schema}.slow()`,
    );
    // They share a statement, which takes longer than the client waits.
    const commits = keys.map((key) =>
      store.commit({
        expect: [{ kind: "version", collection: "people", key, version: 1 }],
        put: [person(key, 2)],
      }),
    );
    const unknown = { code: "unavailable", message: expect.stringContaining("is not known") };
    expect(await Promise.all(commits.map(outcomeOf))).toEqual([unknown, unknown]);
    const made = async () =>
      (await admin.query<{ version: string }>(`SELECT version FROM ${schema}.documents`)).rows;
    await expect.poll(made, { timeout: 5_000 }).toEqual([{ version: "2" }, { version: "2" }]);
  });

  it("is none that a server broke off and ended the connection of, nor the next one", async () => {
    const place = new URL(url);
    place.searchParams.set("options", "-c transaction_timeout=150");
    const store = await open({ connectionString: place.href, connections: 1 });
    await store.commit({ put: [person("ana", 1)] });
    await admin.query("BEGIN");
    await admin.query(`LOCK TABLE ${schema}.documents IN ACCESS EXCLUSIVE MODE`);
    const message = expect.stringContaining("transaction timeout");
    expect(await outcomeOf(store.commit({ put: [person("ana", 2)] }))).toEqual({
      code: "unavailable",
      message,
    });
    await admin.query("ROLLBACK");
    expect(await outcomeOf(store.commit({ put: [person("ana", 2)] }))).toEqual({ ok: true });
  });
});

it("a database that takes no writes is not opened, and says why", async ({ skip }) => {
  if ("absent" in shared) return skip(shared.absent);
  const place = new URL(shared.url);
  const schema = `unwritten_${randomBytes(6).toString("hex")}`;
  await (await openPostgresStore({ connectionString: place.href, schema })).close();
  place.searchParams.set("options", "-c default_transaction_read_only=on");
  await expect(openPostgresStore({ connectionString: place.href, schema })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("takes no writes"),
  });
  await runStatements(shared.url, ["SET client_min_messages = warning", `DROP SCHEMA ${schema} CASCADE`]);
});

it("a database whose indexes of substrings would give a part of what they find is not opened, and says why", async ({
  skip,
}) => {
  if ("absent" in shared) return skip(shared.absent);
  const place = new URL(shared.url);
  const schema = `fuzzy_${randomBytes(6).toString("hex")}`;
  place.searchParams.set("options", "-c gin_fuzzy_search_limit=100");
  await expect(openPostgresStore({ connectionString: place.href, schema })).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("gin_fuzzy_search_limit is 100"),
  });
});

it("a sound store is told so, and rebuilt as it was, where backslashes are escapes", async ({ skip }) => {
  if ("absent" in shared) return skip(shared.absent);
  const place = new URL(shared.url);
  const schema = `escapes_${randomBytes(6).toString("hex")}`;
  place.searchParams.set("options", "-c standard_conforming_strings=off");
  const options = { connectionString: place.href, schema, substringIndexes: ["x\\y", "name"] };
  const store = await openPostgresStore(options);
  const faults: unknown[] = [];
  await store.verify?.((fault) => faults.push(fault));
  await store.rebuild?.((fault) => faults.push(fault));
  expect(faults).toEqual([]);
  const admin = new Client({ connectionString: shared.url });
  await admin.connect();
  const { rows } = await admin.query(
    `SELECT count(*) AS made FROM pg_indexes WHERE schemaname = $1 AND indexdef LIKE '%USING gin%'`,
    [schema],
  );
  expect(rows).toEqual([{ made: "2" }]);
  await admin.end();
  await store.close();
  await runStatements(shared.url, ["SET client_min_messages = warning", `DROP SCHEMA ${schema} CASCADE`]);
});

describe("a commit that has to be on a standby as well", { timeout: 120_000 }, () => {
  it("is not acknowledged where no standby has it in time, unless it is relaxed", async ({ skip }) => {
    if ("absent" in shared) return skip(shared.absent);
    const server = await startPostgres();
    try {
      const store = await openPostgresStore({ connectionString: server.url, statementTimeout: 400 });
      await store.commit({ put: [person("ana", 1)] });
      await runStatements(server.url, [
        "ALTER SYSTEM SET synchronous_standby_names = 'nobody'",
        "SELECT pg_reload_conf()",
      ]);
      const isAsked = async () => (await outcomeOf(store.commit({ put: [person("ana", 2)] }))) as object;
      await expect
        .poll(isAsked, { timeout: 20_000 })
        .toEqual({ code: "unavailable", message: expect.stringContaining("not known") });
      const relaxed = store.commit({ put: [person("ana", 3)], durability: "relaxed" });
      expect(await relaxed).toEqual({ ok: true });
      // Nor what is done to the whole store, which keeps others waiting; and whatever a role leaves out of what it is told.
      const written = { code: "unavailable", message: expect.stringContaining("the server wrote this") };
      await expect(store.renew?.()).rejects.toMatchObject(written);
      await expect(store.rebuild?.(() => undefined)).rejects.toMatchObject(written);
      expect(await store.get([person("ana", 3)])).toMatchObject([{ version: 3 }]);
      await store.close();
      const place = new URL(server.url);
      place.searchParams.set("options", "-c client_min_messages=error");
      const silent = await openPostgresStore({ connectionString: place.href, statementTimeout: 400 });
      const unheard = await outcomeOf(silent.commit({ put: [person("ana", 4)] }));
      expect(unheard).toEqual({ code: "unavailable", message: expect.stringContaining("not known") });
      await silent.close();
    } finally {
      await server.stop();
    }
  });
});
