import { randomBytes } from "node:crypto";
import type { Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const server = inject("postgres");

const at = (key: string) => ({ collection: "people", key });
const person = (key: string, version: number, ...feeds: readonly string[]): Document => ({
  ...at(key),
  ...{ version, body: { version }, feeds },
});

describe("places in feeds on PostgreSQL", { timeout: 120_000 }, () => {
  let schema: string;
  let admin: Client;
  let store: Store;

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    schema = `places_${randomBytes(6).toString("hex")}`;
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

  const run = (sql: string) => admin.query(sql.replaceAll("$", schema));
  const put = async (...documents: readonly Document[]) =>
    expect(await store.commit({ put: documents })).toEqual({ ok: true });
  const remove = async (key: string) =>
    expect(await store.commit({ remove: [at(key)] })).toEqual({ ok: true });
  const told = async (feed: string, cursor?: string) => {
    const page = await store.changes({ feed, limit: 99, ...(cursor && { cursor }) });
    const changes = page.changes.map((change) =>
      change.kind === "gone" ? `gone ${change.key}` : `${change.document.key} ${change.document.version}`,
    );
    return { changes, next: page.next };
  };
  const changesOf = async (feed: string) => (await told(feed)).changes;
  const faults = async () => {
    const found: string[] = [];
    await store.verify?.(({ at: where, message }) => found.push(`${where?.key}: ${message}`));
    return found;
  };
  const placesOf = async (table: "feeds" | "documents", key: string) =>
    (await run(`SELECT DISTINCT position, nth FROM $.${table} WHERE key = '${key}' ORDER BY 1, 2`)).rows;

  it("are one for each document, kept with it", async () => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all", "south"));
    await put(person("ben", 2, "all", "south"), person("ana", 2, "all", "north"));
    for (const key of ["ana", "ben"]) {
      expect(await placesOf("feeds", key)).toHaveLength(1);
      expect(await placesOf("feeds", key)).toEqual(await placesOf("documents", key));
    }
    expect(await changesOf("all")).toEqual(["ben 2", "ana 2"]);
    expect(await faults()).toEqual([]);
  });

  it("tell once what leaves a feed and comes back, at once or later", async () => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all", "north"));
    const begin = await told("north");
    await put(person("ana", 2, "all"));
    expect(await told("north", begin.next)).toMatchObject({ changes: ["gone ana"] });
    await put(person("ana", 3, "all", "north"));
    const back = await told("north", begin.next);
    expect(back.changes).toEqual(["ana 3"]);
    await put(person("ana", 4));
    for (const version of [5, 6]) await put(person("ana", version, "south"));
    expect(await told("north", back.next)).toMatchObject({ changes: ["gone ana"] });
    await put(person("ana", 7, "north", "south"));
    expect(await told("north", back.next)).toMatchObject({ changes: ["ana 7"] });
    expect(await changesOf("north")).toEqual(["ben 1", "ana 7"]);
    expect(await changesOf("all")).toEqual(["ben 1", "gone ana"]);
    expect(await faults()).toEqual([]);
  });

  it("tell once who is removed and made again", async () => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all"));
    const begin = await told("all");
    await remove("ana");
    expect(await told("all", begin.next)).toMatchObject({ changes: ["gone ana"] });
    await put(person("ben", 2, "all"));
    await put(person("ana", 1, "all", "south"));
    expect(await changesOf("all")).toEqual(["ben 2", "ana 1"]);
    expect(await changesOf("north")).toEqual(["gone ana"]);
    await remove("ana");
    await put(person("ana", 1, "north"));
    expect(await changesOf("all")).toEqual(["ben 2", "gone ana"]);
    expect(await changesOf("north")).toEqual(["ana 1"]);
    expect(await faults()).toEqual([]);
  });

  it.each(["in one commit", "in two that come together"])(
    "pass between two that swap feeds %s",
    async (how) => {
      await put(person("ana", 1, "north"), person("ben", 1, "south"));
      for (const version of [2, 3, 4]) {
        const [north, south] = version % 2 ? ["north", "south"] : ["south", "north"];
        const swapped = [person("ana", version, north), person("ben", version, south)];
        if (how === "in one commit") await put(...swapped);
        else await Promise.all(swapped.map((one) => put(one)));
      }
      expect(await changesOf("north")).toEqual(["gone ana", "ben 4"]);
      expect(await changesOf("south")).toEqual(["ana 4", "gone ben"]);
      expect(await faults()).toEqual([]);
    },
  );

  const lacks = (key: string, feed = "north") =>
    `${key}: the feed ${feed} does not tell the document, which declares it`;
  const strays = (key: string, feed = "north") =>
    `${key}: the feed ${feed} has another place than the document`;
  const ofAna = "feed = 'north' AND key = 'ana'";

  it.each([
    ["is missing", `DELETE FROM $.feeds WHERE ${ofAna}`, [lacks("ana")]],
    ["is another one", `UPDATE $.feeds SET nth = 9 WHERE ${ofAna}`, [lacks("ana"), strays("ana")]],
    [
      "is another one than in its row",
      "UPDATE $.documents SET position = 5 WHERE key = 'ana'",
      [lacks("ana", "all"), lacks("ana"), strays("ana", "all"), strays("ana")],
    ],
    [
      "is another document's",
      `UPDATE $.feeds SET key = 'cora' WHERE ${ofAna}`,
      [lacks("ana"), "cora: the feed north tells a document that is not there, or does not declare it"],
    ],
    [
      "is a second one",
      `INSERT INTO $.feeds SELECT feed, collection, key, position, 9, gone FROM $.feeds WHERE ${ofAna}`,
      [strays("ana")],
    ],
    [
      "is of one that left",
      `UPDATE $.feeds SET gone = true WHERE ${ofAna}`,
      [lacks("ana"), "ana: the feed north tells that the document is gone, which declares it"],
    ],
  ])("are told, and as they were after a rebuilding, where a place %s", async (_name, damage, expected) => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all", "north"));
    await run(damage);
    expect((await faults()).toSorted()).toEqual(expected.toSorted());
    await store.rebuild?.(() => undefined);
    expect(await faults()).toEqual([]);
    expect(await changesOf("all")).toHaveLength(2);
    expect((await changesOf("north")).toSorted()).toEqual(["ana 1", "ben 1"]);
  });

  it.each([
    ["is missing", `DELETE FROM $.feeds WHERE ${ofAna}`],
    ["is of one that left", `UPDATE $.feeds SET gone = true WHERE ${ofAna}`],
    ["is of one that left before", `UPDATE $.feeds SET gone = true, nth = 9 WHERE ${ofAna}`],
  ])("are told again by the next commit, where a place %s", async (_name, damage) => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all", "north"));
    await run(damage);
    await put(person("ana", 2, "all", "north"));
    expect(await changesOf("north")).toEqual(["ben 1", "ana 2"]);
    expect(await faults()).toEqual([]);
    await run(damage);
    await remove("ana");
    expect(await changesOf("north")).toEqual(["ben 1", "gone ana"]);
    expect(await faults()).toEqual([]);
  });

  it("of another document are let alone, where a document's row names them", async () => {
    await put(person("ana", 1, "all", "north"), person("ben", 1, "all", "north"));
    await run(
      "UPDATE $.documents SET (position, nth) = (SELECT position, nth FROM $.documents WHERE key = 'ben') WHERE key = 'ana'",
    );
    await put(person("ana", 2, "all"));
    expect(await changesOf("north")).toEqual(["ana 2", "ben 1", "gone ana"]);
    await store.rebuild?.(() => undefined);
    expect(await changesOf("north")).toEqual(["ben 1"]);
  });

  it("are in the order of before after a rebuilding, one for each document, and stay so", async () => {
    const keys = ["ana", "ben", "cora", "dan", "eva"];
    await put(...keys.map((key) => person(key, 1, "all", key < "d" ? "north" : "south")));
    await put(person("cora", 2, "all", "north"), person("ana", 2, "all", "south"));
    await put({ ...person("fay", 1) });
    const feeds = ["all", "north", "south"];
    const order = () => Promise.all(feeds.map(changesOf));
    const before = await order();
    await store.rebuild?.(() => undefined);
    expect(await order()).toEqual(before.map((changes) => changes.filter((one) => !one.startsWith("gone"))));
    const { rows } = await run(
      "SELECT key, position::int, nth FROM $.documents WHERE feeds <> '[]' ORDER BY nth",
    );
    const sorted = ["ben", "dan", "eva", "cora", "ana"];
    expect(rows).toEqual(sorted.map((key, i) => ({ key, position: 1, nth: i + 1 })));
    expect(await faults()).toEqual([]);
    const written = async () => (await run("SELECT key, ctid::text FROM $.documents ORDER BY key")).rows;
    const first = await written();
    await store.rebuild?.(() => undefined);
    expect(await written()).toEqual(first);
    const { next } = await told("all");
    await put(person("ben", 2, "all", "north"), person("fay", 2, "all"));
    expect(await told("all", next)).toMatchObject({ changes: ["ben 2", "fay 2"] });
    expect(await faults()).toEqual([]);
  });

  it("are in the documents' order after a rebuilding that found no feeds", async () => {
    await put(person("ana", 1, "all"), person("ben", 1, "all"));
    await put(person("ana", 2, "all"));
    await run("TRUNCATE $.feeds");
    await store.rebuild?.(() => undefined);
    expect(await changesOf("all")).toEqual(["ben 1", "ana 2"]);
    expect(await faults()).toEqual([]);
  });
});
