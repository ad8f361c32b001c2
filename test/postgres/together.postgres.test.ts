import { randomBytes } from "node:crypto";
import type { Commit, CommitResult, Document, Store } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const server = inject("postgres");

const at = (key: number) => ({ collection: "people", key: `p${key}` });
const person = (key: number, rest: Partial<Document> = {}): Document => ({
  ...at(key),
  ...{ version: 1, body: { key }, claims: [`id ${key}`], entries: { name: [`name ${key}`] }, feeds: ["all"] },
  ...rest,
});
const making = (key: number): Commit => ({ expect: [{ kind: "absent", ...at(key) }], put: [person(key)] });
const changing = (key: number, version: number): Commit => ({
  expect: [{ kind: "version", version, ...at(key) }],
  put: [person(key, { version: version + 1 })],
});
const numbers = Array.from({ length: 40 }, (_, nth) => nth);
const made: CommitResult = { ok: true };

describe("commits to PostgreSQL that are asked for at once", { timeout: 120_000 }, () => {
  let url = "";
  let schema: string;
  let admin: Client;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in server) return skip(server.absent);
    url = server.url;
    schema = `together_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: url });
    await admin.connect();
  });
  afterEach(async () => {
    if ("absent" in server) return;
    for (const store of opened.splice(0)) await store.close();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  const open = async () => {
    const store = await openPostgresStore({ connectionString: url, schema });
    opened.push(store);
    return store;
  };
  const atOnce = (store: Store, commits: readonly Commit[]) =>
    Promise.all(commits.map((commit) => store.commit(commit)));
  const transactions = async () => {
    const { rows } = await admin.query<{ count: string }>(
      `SELECT count(DISTINCT position) AS count FROM ${schema}.feeds`,
    );
    return Number(rows[0]?.count);
  };

  it("share a few transactions", async () => {
    const store = await open();
    expect(await atOnce(store, numbers.map(making))).toEqual(numbers.map(() => made));
    expect(await transactions()).toBeLessThan(4);
    const { changes } = await store.changes({ feed: "all", limit: 100 });
    expect(changes).toHaveLength(40);
  });

  it.each([
    [4, 1],
    [8, 2],
    [40, 2],
  ])(
    "are shared out among both that may run beside each other where they are many: %i among %i",
    async (many, among) => {
      const store = await open();
      await atOnce(store, numbers.slice(0, many).map(making));
      expect(await transactions()).toBe(among);
    },
  );

  it("are refused each for its own reasons, and the others are made", async () => {
    const store = await open();
    await atOnce(store, [1, 2, 3].map(making));
    const results = await atOnce(store, [
      making(1),
      making(11),
      changing(2, 7),
      { put: [person(12, { claims: ["id 12", "id 3"] })] },
      changing(3, 1),
      { expect: [{ kind: "free", claim: "id 1" }], put: [person(13)] },
      making(14),
    ]);
    expect(results).toEqual([
      { ok: false, failures: [{ kind: "expectation", expectation: { kind: "absent", ...at(1) }, found: 1 }] },
      made,
      {
        ok: false,
        failures: [{ kind: "expectation", expectation: { kind: "version", version: 7, ...at(2) }, found: 1 }],
      },
      { ok: false, failures: [{ kind: "claim-taken", claim: "id 3", holder: at(3) }] },
      made,
      { ok: false, failures: [{ kind: "expectation", expectation: { kind: "free", claim: "id 1" } }] },
      made,
    ]);
    const found = await store.get([at(11), at(12), at(13), at(14), at(2), at(3)]);
    expect(found.map((document) => document?.version)).toEqual([1, undefined, undefined, 1, 1, 2]);
  });

  it("come one after the other where they clash", async () => {
    const store = await open();
    await store.commit(making(1));
    const results = await atOnce(
      store,
      numbers.map(() => changing(1, 1)),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    // In the order in which they were asked for: the database sees no two of them at once.
    expect(results[0]).toEqual(made);
    const claims = await atOnce(
      store,
      numbers.map((key) => ({ put: [person(100 + key, { claims: ["shared"] })] })),
    );
    expect(claims.map(({ ok }) => ok)).toEqual(numbers.map((nth) => nth === 0));
  });

  it("don't wait for a document that another process keeps locked", async () => {
    const store = await open();
    await atOnce(store, [1, 2].map(making));
    await admin.query("BEGIN");
    await admin.query(`SELECT 1 FROM ${schema}.documents WHERE key = 'p1' FOR UPDATE`);
    const held = store.commit(changing(1, 1));
    const others = await atOnce(store, [...numbers.slice(10).map(making), changing(2, 1)]);
    expect(others).toEqual(others.map(() => made));
    const further = await atOnce(store, [changing(2, 2), making(3)]);
    expect(further).toEqual([made, made]);
    await admin.query("COMMIT");
    expect(await held).toEqual(made);
  });

  it("don't count one another's documents as their own: two can't swap their claims", async () => {
    const store = await open();
    await atOnce(store, [1, 2].map(making));
    const swapping = [1, 2].map((key) => ({
      put: [person(key, { version: 2, claims: [`id ${3 - key}`] })],
    }));
    expect(await atOnce(store, swapping)).toEqual(
      [2, 1].map((key) => ({
        ok: false,
        failures: [{ kind: "claim-taken", claim: `id ${key}`, holder: at(key) }],
      })),
    );
    expect(await store.resolve(["id 1", "id 2"])).toEqual([at(1), at(2)]);
    const both = { put: swapping.flatMap(({ put }) => put) };
    expect(await store.commit(both)).toEqual(made);
    expect(await store.resolve(["id 1", "id 2"])).toEqual([at(2), at(1)]);
  });

  it("are told all that refuses them, and not what another refused one would have changed", async () => {
    const store = await open();
    await atOnce(store, [1, 2].map(making));
    const letsGo = { ...changing(1, 9), put: [person(1, { version: 10, claims: [] })] };
    const wants = { put: [person(3, { claims: ["id 1", "id 2"] })] };
    const [, refused] = await atOnce(store, [letsGo, wants]);
    expect(refused).toEqual({
      ok: false,
      failures: [1, 2].map((key) => ({ kind: "claim-taken", claim: `id ${key}`, holder: at(key) })),
    });
  });

  it("come in the order in which they were asked for where they clash, also with one that has to wait", async () => {
    const store = await open();
    const ended: string[] = [];
    const commit = (name: string, put: readonly Document[]) =>
      store.commit({ put }).then(() => ended.push(name));
    await Promise.all([
      commit("first", [person(1)]),
      commit("of both", [person(1, { version: 2 }), person(2)]),
      commit("second", [person(2, { version: 2 })]),
      commit("large", [person(3, { body: "x".repeat(1_100_000) })]),
      commit("after it", [person(3, { version: 2 })]),
    ]);
    expect(ended.filter((name) => !/large|after/.test(name))).toEqual(["first", "of both", "second"]);
    expect((await store.get([at(1), at(2), at(3)])).map((one) => one?.version)).toEqual([2, 2, 2]);
  });

  it("leave connections to others, however many of them are held up", async () => {
    const store = await open();
    await atOnce(store, numbers.map(making));
    await admin.query("BEGIN");
    await admin.query(`SELECT 1 FROM ${schema}.documents WHERE key <> 'p1' FOR UPDATE`);
    const held = numbers.slice(2).map((key) => store.commit(changing(key, 1)));
    const free = await Promise.all([
      store.commit(changing(1, 1)),
      store.commit(making(50)),
      ...numbers.map((key) => store.get([at(key)])),
    ]);
    expect(free.slice(0, 2)).toEqual([made, made]);
    await admin.query("COMMIT");
    expect(await Promise.all(held)).toEqual(numbers.slice(2).map(() => made));
  });

  it("are made where one can't be written", async () => {
    const store = await open();
    await store.commit(making(1));
    await admin.query(`INSERT INTO ${schema}.entries VALUES ('people', 'name', 'name 2', 'p2', true)`);
    const results = await Promise.allSettled([3, 2, 4].map((key) => store.commit(making(key))));
    expect(results).toEqual([
      { status: "fulfilled", value: made },
      { status: "rejected", reason: expect.objectContaining({ code: "corrupt" }) },
      { status: "fulfilled", value: made },
    ]);
    expect((await store.get([at(2)]))[0]).toBeUndefined();
  });

  it("are all made before the store is closed, and none after", async () => {
    const store = await open();
    const asked = atOnce(store, numbers.map(making));
    const closed = store.close();
    await expect(store.commit(making(99))).rejects.toMatchObject({ code: "closed" });
    expect(await asked).toEqual(numbers.map(() => made));
    await closed;
    const again = await open();
    expect(await again.get(numbers.map(at))).not.toContain(undefined);
  });

  it("and all other calls that have begun end before the store is closed", async () => {
    const store = await open();
    await atOnce(store, numbers.map(making));
    const where = [{ index: "name", contains: "name 1" }];
    const running = Promise.all([
      store.query({ collection: "people", where, sort: { index: "name" }, limit: 5 }),
      store.count?.({ collection: "people", where }),
      store.changes({ feed: "all", limit: 5 }),
      store.verify?.(() => expect.unreachable()),
    ]);
    let isClosed = false;
    const closing = [store.close(), store.close()].map((each) => each.then(() => (isClosed = true)));
    const [page, count, feed, census] = await running;
    expect(isClosed).toBe(false);
    expect([page.documents.length, count, feed.changes.length, census?.documents]).toEqual([5, 11, 5, 40]);
    await Promise.all(closing);
    await expect(store.query({ collection: "people", limit: 1 })).rejects.toMatchObject({ code: "closed" });
  });
});
