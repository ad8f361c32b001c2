import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";
import { rebuiltBySchema12, toSchema12 } from "./earlier.ts";

const server = inject("postgres");

const person = (key: string, version: number, ...feeds: readonly string[]): Document => ({
  ...{ collection: "people", key, version, body: { version }, feeds },
});

/** Until schema 12 places were in feeds only, and a rebuilding gave a document another one in each. */
describe("the places of a database of schema 12", { timeout: 120_000 }, () => {
  let schema: string;
  let admin: Client;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    schema = `upgrade_places_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: server.url });
    await admin.connect();
  });
  afterEach(async () => {
    if ("absent" in server) return;
    for (const store of opened.splice(0)) await store.close();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const open = async () => {
    if ("absent" in server) throw new Error(server.absent);
    const options = { connectionString: server.url, schema, substringIndexes: [] };
    const store = await openPostgresStore(options);
    opened.push(store);
    return store;
  };
  const put = async (store: Store, ...documents: readonly Document[]) =>
    expect(await store.commit({ put: documents })).toEqual({ ok: true });
  const page = async (store: Store, feed: string, limit: number, cursor?: string) => {
    const { changes, next } = await store.changes({ feed, limit, ...(cursor && { cursor }) });
    const told = changes.map((one) =>
      one.kind === "gone" ? `gone ${one.key}` : `${one.document.key} ${one.document.version}`,
    );
    return { told, next };
  };
  /** What is told from a cursor on, by pages of one. */
  const rest = async (store: Store, feed: string, cursor?: string): Promise<readonly string[]> => {
    const { told, next } = await page(store, feed, 1, cursor);
    return told.length === 0 ? [] : [...told, ...(await rest(store, feed, next))];
  };
  const faults = async (store: Store) => {
    const found: unknown[] = [];
    await store.verify?.((fault) => found.push(fault));
    return found;
  };
  const ids = async () => (await admin.query(`SELECT id FROM ${schema}.store`)).rows;

  /** Feeds with what is gone, came back, was made again, and is in several. */
  const filled = async () => {
    const store = await open();
    await put(store, ...["ana", "ben", "cora"].map((key) => person(key, 1, "all", "north")));
    await put(store, person("dan", 1, "all", "south"), person("eva", 1, "all"));
    await put(store, person("ben", 2, "all", "south"), person("cora", 2, "all"));
    await put(store, person("cora", 3, "all", "north"), person("fay", 1));
    expect(await store.commit({ remove: [{ collection: "people", key: "dan" }] })).toEqual({ ok: true });
    return store;
  };

  it("are kept as they are, and so are cursors", async () => {
    const earlier = await filled();
    const first = await Promise.all(["all", "north", "south"].map((feed) => page(earlier, feed, 2)));
    const before = await Promise.all(["all", "north", "south"].map((feed) => rest(earlier, feed)));
    const id = await ids();
    await admin.query(toSchema12(schema));
    const store = await open();
    expect(await ids()).toEqual(id);
    for (const [i, feed] of ["all", "north", "south"].entries()) {
      expect(await rest(store, feed)).toEqual(before[i]);
      expect([...(first[i]?.told ?? []), ...(await rest(store, feed, first[i]?.next))]).toEqual(before[i]);
    }
    expect(await faults(store)).toEqual([]);
    await put(store, person("eva", 2, "all", "south"), person("ana", 2, "north"), person("dan", 1, "south"));
    await put(store, person("fay", 2, "all"));
    expect(await rest(store, "all", first[0]?.next)).toEqual([
      "ben 2",
      "cora 3",
      "gone dan",
      "eva 2",
      "gone ana",
      "fay 2",
    ]);
    expect(await rest(store, "south")).toEqual(["ben 2", "eva 2", "dan 1"]);
    expect(await rest(store, "north")).toEqual(["gone ben", "cora 3", "ana 2"]);
    expect(await faults(store)).toEqual([]);
  });

  it("are given anew where a rebuilding had left others in each feed, and readers begin anew", async () => {
    const earlier = await filled();
    await admin.query(toSchema12(schema) + rebuiltBySchema12(schema));
    // One came after the rebuilding.
    await admin.query(`UPDATE ${schema}.feeds SET position = 100, nth = 1 WHERE key = 'ana'`);
    const { next } = await page(earlier, "all", 1);
    const before = await Promise.all(["all", "north", "south"].map((feed) => rest(earlier, feed)));
    expect(before).toEqual([["eva 1", "ben 2", "cora 3", "ana 1"], ["cora 3", "ana 1"], ["ben 2"]]);
    const id = await ids();
    const store = await open();
    expect(await ids()).not.toEqual(id);
    await expect(page(store, "all", 1, next)).rejects.toMatchObject({ code: "bad-cursor" });
    expect(await Promise.all(["all", "north", "south"].map((feed) => rest(store, feed)))).toEqual(before);
    expect(await faults(store)).toEqual([]);
    const begun = await page(store, "all", 9);
    await put(store, person("eva", 2, "south"), person("ben", 3, "all", "north"));
    expect(await rest(store, "all", begun.next)).toEqual(["gone eva", "ben 3"]);
    expect(await rest(store, "south")).toEqual(["eva 2", "gone ben"]);
    expect(await faults(store)).toEqual([]);
  });

  it.each([
    [
      "two documents have one place in a feed",
      "UPDATE $.feeds SET position = 9, nth = 9 WHERE key IN ('ana', 'ben')",
    ],
    [
      "a document has two in one, as the key was lost",
      `ALTER TABLE $.feeds DROP CONSTRAINT feeds_pkey;
      INSERT INTO $.feeds SELECT feed, collection, key, position, nth + 90, true FROM $.feeds`,
    ],
  ])("are given anew where %s", async (_name, damage) => {
    await filled();
    await admin.query(toSchema12(schema) + damage.replaceAll("$", schema));
    const store = await open();
    expect(await faults(store)).toEqual([]);
    expect(await rest(store, "all")).toHaveLength(4);
  });

  /** Once, whoever opened such a store was told that later software had upgraded it. */
  it.each([12, 11])(
    "are there where the row of a store of schema %i is gone, and readers begin anew",
    async (number) => {
      const { next } = await page(await filled(), "all", 1);
      const sql = `${toSchema12(schema)} DROP FUNCTION ${schema}.cluster(); DELETE FROM ${schema}.store`;
      await admin.query(number === 12 ? sql.replace(/DROP FUNCTION [^;]*;/, "") : sql);
      const store = await open();
      await expect(page(store, "all", 1, next)).rejects.toMatchObject({ code: "bad-cursor" });
      expect(await rest(store, "all")).toHaveLength(5);
      expect(await faults(store)).toEqual([]);
    },
  );

  it("are put in by the next commit where a feed lacks a document", async () => {
    await filled();
    await admin.query(
      `${toSchema12(schema)} DELETE FROM ${schema}.feeds WHERE key = 'eva' OR (key = 'ana' AND feed = 'all')`,
    );
    const store = await open();
    expect(await faults(store)).toHaveLength(2);
    await put(store, person("eva", 2, "all"), person("ana", 2, "all", "north"));
    expect(await faults(store)).toEqual([]);
  });

  it("are not left behind by a commit of the earlier function that waits for the upgrade", async () => {
    const sql = await readFile(new URL("schema-1.sql", import.meta.url), "utf8");
    await admin.query(sql.replaceAll(/\bearlier\b/g, schema));
    const commit = (version: number) =>
      `SELECT ${schema}.commit(1, '{people}', '{ana}', '{${version}}', '{"[]"}', '{"{}"}', '{"[\\"all\\"]"}', '{"{}"}',
        '{}', '{}', '{}', '{}', '{}', true)`;
    await admin.query(commit(1));
    const [holder, earlier] = await Promise.all([connected(), connected()]);
    const waiting = () =>
      expect.poll(async () => {
        const count = "SELECT count(*)::int AS n FROM pg_locks WHERE NOT granted AND relation = $1::regclass";
        return (await admin.query<{ n: number }>(count, [`${schema}.documents`])).rows[0]?.n;
      });
    await holder.query(`BEGIN; LOCK TABLE ${schema}.documents IN ACCESS SHARE MODE`);
    const opening = open();
    await waiting().toBe(1);
    const committing = earlier.query(commit(2)).then(
      () => "made",
      ({ code }) => code,
    );
    await waiting().toBe(2);
    await holder.query("COMMIT");
    const store = await opening;
    expect(await committing).toBe("42703");
    await Promise.all([holder.end(), earlier.end()]);
    expect(await rest(store, "all")).toEqual(["ana 1"]);
    await put(store, person("ana", 2, "all"));
    expect(await faults(store)).toEqual([]);
  });

  const connected = async () => {
    const client = new Client({ connectionString: "url" in server ? server.url : "" });
    await client.connect();
    return client;
  };
});
