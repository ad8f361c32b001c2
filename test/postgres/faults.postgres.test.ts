import { randomBytes } from "node:crypto";
import type { Document, Store, StoreError } from "@fieldroll/core";
import { openPostgresStore, type PostgresOptions } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { type StartedPostgres, startPostgres } from "../../.scripts/postgres.ts";

const shared = inject("postgres");

const at = { collection: "people", key: "ana" };
const version = (number: number): Document => ({
  ...at,
  version: number,
  body: { number },
  claims: ["id 1"],
  feeds: ["all"],
});

const refusalOf = (promise: Promise<unknown>): Promise<StoreError> =>
  promise.then(
    () => expect.unreachable("it was not refused"),
    (error: StoreError) => error,
  );

describe("a PostgreSQL store in trouble", { timeout: 120_000 }, () => {
  let url = "";
  let schema: string;
  let admin: Client;
  const opened: Store[] = [];

  beforeEach(async ({ skip }) => {
    if ("absent" in shared) return skip(shared.absent);
    url = shared.url;
    schema = `faults_${randomBytes(6).toString("hex")}`;
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
  const changed = (change: (url: URL) => void) => {
    const other = new URL(url);
    change(other);
    return other.href;
  };

  describe("is not opened", () => {
    const cases: readonly (readonly [string, (url: URL) => void, RegExp])[] = [
      ["where no server listens", (place) => (place.port = "1"), /can't be reached/],
      ["with a wrong password", (place) => (place.password = "wrong-word"), /does not let this user in/],
      ["where there is no such database", (place) => (place.pathname = "/nowhere"), /no such database/],
    ];
    it.each(cases)("%s, and says so without the password", async (_name, change, says) => {
      const error = await refusalOf(open({ connectionString: changed(change) }));
      expect([error.name, error.code]).toEqual(["StoreError", "unavailable"]);
      expect(error.message).toMatch(says);
      expect(error.message).not.toContain("not known");
      expect(error.message).not.toContain(new URL(url).password);
      expect(error.message).not.toContain("wrong-word");
    });

    it.each(["", "Big", "a-b", 'a"b', "a.b", "pg_x", "x".repeat(42)])(
      "in a schema named %j",
      async (name) => {
        expect((await refusalOf(open({ schema: name }))).code).toBe("bad-request");
      },
    );

    it.each(["LATIN1", "WIN1252", "SQL_ASCII"])(
      "on a database of the encoding %s, which is left as it is",
      async (encoding) => {
        const name = `${schema}_${encoding.toLowerCase()}`;
        await admin.query(`CREATE DATABASE ${name} ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
        const connectionString = changed((place) => {
          place.pathname = `/${name}`;
        });
        try {
          const error = await refusalOf(open({ connectionString }));
          expect([error.code, error.message]).toEqual([
            "unavailable",
            expect.stringMatching(new RegExp(`encoding is ${encoding}.*ENCODING 'UTF8'`)),
          ]);
          const other = new Client({ connectionString });
          await other.connect();
          const { rows } = await other.query("SELECT to_regnamespace($1) AS made", [schema]);
          await other.end();
          expect(rows).toEqual([{ made: null }]);
        } finally {
          await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
        }
      },
    );

    it("when later software has been there, and is left as it is", async () => {
      await open();
      await admin.query(`UPDATE ${schema}.store SET migrations = 999`);
      const error = await refusalOf(open());
      expect([error.code, error.message]).toEqual(["newer-schema", expect.stringContaining("999")]);
      const { rows } = await admin.query(`SELECT migrations FROM ${schema}.store`);
      expect(rows).toEqual([{ migrations: 999 }]);
    });

    it.each(["rebuild", "renew", "verify"] as const)(
      "to %s it by who had it open, and is left as it is, when later software has been there since",
      async (call) => {
        const store = await open();
        await admin.query(`UPDATE ${schema}.store SET migrations = 999; DROP FUNCTION ${schema}.commit`);
        const look = () =>
          admin.query(`SELECT id, to_regproc('${schema}.commit')::text AS made FROM ${schema}.store`);
        const { rows: before } = await look();
        const error = await refusalOf(Promise.resolve(store[call]?.(() => expect.unreachable())));
        expect([error.code, error.message]).toEqual(["newer-schema", expect.stringContaining("999")]);
        expect((await look()).rows).toEqual(before);
      },
    );
  });

  it.each(["user", "select", "order"])("stands in a schema named %j, as in any other", async (word) => {
    await admin.query(`DROP SCHEMA IF EXISTS "${word}" CASCADE`);
    try {
      const store = await open({ schema: word });
      expect(await store.commit({ put: [version(1)] })).toEqual({ ok: true });
      const again = await open({ schema: word, create: false });
      expect((await again.changes({ feed: "all", limit: 5 })).changes).toHaveLength(1);
      const faults: string[] = [];
      await store.verify?.(({ message }) => faults.push(message));
      await store.rebuild?.(({ message }) => faults.push(message));
      expect(faults).toEqual([]);
    } finally {
      for (const store of opened.splice(0)) await store.close();
      await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS "${word}" CASCADE`);
    }
  });

  it("is made once by several processes that open it at the same moment", async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => open({ connections: 2 })));
    const results = await Promise.all(stores.map((store) => store.commit({ put: [version(1)] })));
    expect(results.every(({ ok }) => ok)).toBe(true);
    const { rows } = await admin.query(`SELECT count(*)::int AS stores FROM ${schema}.store`);
    expect(rows).toEqual([{ stores: 1 }]);
  });

  it.each([
    ["a body that is no JSON", "body = '{'"],
    ["a body that would be two", "body = '1, 2'"],
    ["feeds that are no list", "feeds = '{}'"],
  ])("does not tell a document with %s in a feed, and names it", async (_name, damage) => {
    const store = await open();
    await store.commit({ put: [version(1)] });
    await admin.query(`UPDATE ${schema}.documents SET ${damage}`);
    const error = await refusalOf(store.changes({ feed: "all", limit: 5 }));
    expect([error.code, error.message]).toEqual(["corrupt", expect.stringContaining("people ana")]);
  });

  it("refuses a commit as damage where an index has its value already, and makes it after a rebuild", async () => {
    const store = await open();
    await store.commit({ put: [version(1)] });
    await admin.query(`INSERT INTO ${schema}.entries VALUES ('people', 'name', 'secret', 'ana', true)`);
    const commit = { put: [{ ...version(2), entries: { name: ["secret"] } }] };
    const error = await refusalOf(store.commit(commit));
    expect([error.code, error.message]).toEqual(["corrupt", expect.stringContaining("fieldroll reindex")]);
    expect(error.message).not.toContain("secret");
    expect((await store.get([at]))[0]?.version).toBe(1);
    await store.rebuild?.(() => undefined);
    expect(await store.commit(commit)).toEqual({ ok: true });
  });

  it("stops a commit that waits for a lock too long: nothing is written, and the next one is", async () => {
    const store = await open({ statementTimeout: 400, connections: 1 });
    await store.commit({ put: [version(1)] });
    await admin.query("BEGIN");
    await admin.query(`SELECT 1 FROM ${schema}.documents FOR UPDATE`);
    const error = await refusalOf(store.commit({ put: [version(2)] }));
    expect([error.code, error.message]).toEqual([
      "unavailable",
      expect.stringMatching(
        /another transaction kept.*locked.*statement timeout; nothing of this was written/,
      ),
    ]);
    expect((await store.get([at]))[0]?.version).toBe(1);
    await admin.query("ROLLBACK");
    expect(await store.commit({ put: [version(2)] })).toEqual({ ok: true });
    expect((await store.get([at]))[0]?.version).toBe(2);
  });

  it("does not send another statement where a request to stop may still be under way", async () => {
    const name = `late_${schema}`;
    const connectionString = changed((place) => place.searchParams.set("application_name", name));
    const store = await open({ connectionString, statementTimeout: 400, connections: 1 });
    const connections = async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE application_name = $1";
      return (await admin.query<{ pid: number }>(sql, [name])).rows.map(({ pid }) => pid);
    };
    await store.commit({ put: [version(1)] });
    const before = await connections();
    await admin.query("BEGIN");
    await admin.query(`LOCK TABLE ${schema}.documents IN ACCESS EXCLUSIVE MODE`);
    await refusalOf(store.get([at]));
    await admin.query("ROLLBACK");
    await store.get([at]);
    const after = await connections();
    expect([before.length, after.length]).toEqual([1, 1]);
    expect(after).not.toEqual(before);
  });

  it("answers many calls at once over one connection", async () => {
    const store = await open({ connections: 1 });
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        store.commit({
          expect: [{ kind: "absent", ...at, key: `${i % 20}` }],
          put: [{ ...version(1), key: `${i % 20}`, claims: [] }],
        }),
      ),
    );
    expect(results.filter(({ ok }) => ok)).toHaveLength(20);
  });

  it("makes commits that lock each other's documents, in whatever order they name them", async () => {
    const stores = await Promise.all([open(), open()]);
    const keys = ["a", "b", "c", "d"];
    const commits = Array.from({ length: 60 }, (_, i) => {
      const order = i % 2 ? keys : keys.toReversed();
      const put = order.map((key) => ({
        ...version(1),
        key,
        claims: [`of ${keys[(keys.indexOf(key) + i) % 4]}`],
      }));
      return (stores[i % 2] as Store).commit({ put });
    });
    expect((await Promise.all(commits)).every(({ ok }) => ok)).toBe(true);
  });

  it("finds its connections ended under it, and goes on with others", async () => {
    // Other tests have connections to the same server.
    const name = `ended_${schema}`;
    const connectionString = changed((place) => place.searchParams.set("application_name", name));
    const store = await open({ connectionString, connections: 4 });
    await store.commit({ put: [version(1)] });
    const end = async () => {
      const sql = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1";
      expect((await admin.query(sql, [name])).rowCount).toBeGreaterThan(0);
    };
    await end();
    expect((await store.get([at]))[0]?.version).toBe(1);
    await end();
    const outcome = await store.commit({ put: [version(2)] }).catch((error: StoreError) => error.code);
    expect([{ ok: true }, "unavailable"]).toContainEqual(outcome);
    expect((await store.get([at]))[0]?.version).toBe(outcome === "unavailable" ? 1 : 2);
  });

  it("starts over with its feeds, positions rising, when its tables are found on another cluster", async () => {
    const store = await open();
    await store.commit({ put: [version(1)] });
    const { next } = await store.changes({ feed: "all", limit: 10 });
    // As a dump of a cluster that had come much further.
    await admin.query(
      `UPDATE ${schema}.store SET cluster = 'another'; UPDATE ${schema}.feeds SET position = position + 5000000000;
      UPDATE ${schema}.documents SET position = position + 5000000000`,
    );
    const restored = await open();
    expect((await refusalOf(restored.changes({ feed: "all", cursor: next, limit: 10 }))).code).toBe(
      "bad-cursor",
    );
    const first = await restored.changes({ feed: "all", limit: 10 });
    expect(first.changes).toHaveLength(1);
    await restored.commit({ put: [{ ...version(1), key: "ben", claims: [] }] });
    const second = await restored.changes({ feed: "all", cursor: first.next, limit: 10 });
    expect(second.changes.map((change) => change.kind === "put" && change.document.key)).toEqual(["ben"]);
  });
});

describe("roles of few rights", { timeout: 120_000 }, () => {
  const role = `clerk_${randomBytes(4).toString("hex")}`;
  const database = `registry_${randomBytes(4).toString("hex")}`;
  let admin: Client;
  let connectionString = "";
  const run = async (place: string, ...statements: readonly string[]) => {
    const client = new Client({ connectionString: place });
    await client.connect();
    for (const statement of statements) await client.query(statement);
    await client.end();
  };
  const inDatabase = () => {
    if ("absent" in shared) throw new Error(shared.absent);
    const place = new URL(shared.url);
    place.pathname = `/${database}`;
    return place;
  };
  beforeAll(async () => {
    if ("absent" in shared) return;
    admin = new Client({ connectionString: shared.url });
    await admin.connect();
    await admin.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few-rights'`);
    await admin.query(`CREATE DATABASE ${database}`);
    const place = inDatabase();
    place.username = role;
    place.password = "few-rights";
    connectionString = place.href;
  });
  afterAll(async () => {
    if ("absent" in shared) return;
    await admin.query(`DROP DATABASE ${database} WITH (FORCE)`);
    await admin.query(`DROP ROLE ${role}`);
    await admin.end();
  });
  beforeEach(({ skip }) => {
    if ("absent" in shared) skip(shared.absent);
  });

  it("that may not make a schema are told who has to", async () => {
    const error = await refusalOf(openPostgresStore({ connectionString }));
    expect([error.code, error.message]).toEqual([
      "unavailable",
      expect.stringMatching(/may not do that.*owner.*permission denied/),
    ]);
  });

  it("that may not make an extension are told how to do without, and do", async () => {
    await run(inDatabase().href, `CREATE SCHEMA given AUTHORIZATION ${role}`);
    const options = { connectionString, schema: "given" };
    const error = await refusalOf(openPostgresStore(options));
    expect([error.code, error.message]).toEqual([
      "unavailable",
      expect.stringMatching(/pg_trgm.*CREATE EXTENSION pg_trgm.*substringIndexes: \[\]/s),
    ]);
    const store = await openPostgresStore({ ...options, substringIndexes: [] });
    await store.commit({ put: [{ ...version(1), entries: { name: ["ana reyes"] } }] });
    const where = [{ index: "name", contains: "a rey" }];
    expect((await store.query({ collection: "people", where, limit: 5 })).documents).toHaveLength(1);
    await store.close();
    await run(inDatabase().href, "CREATE EXTENSION pg_trgm");
    await (await openPostgresStore(options)).close();
  });
});

describe("a server that is killed and started again", { timeout: 240_000 }, () => {
  let server: StartedPostgres | undefined;
  beforeAll(async () => {
    if (!("absent" in shared)) server = await startPostgres().catch(() => undefined);
  });
  afterAll(() => server?.stop());

  it("is used again by the store, which doubled and lost nothing", async ({ skip }) => {
    if (!server) return skip("no server of its own can be started here");
    const store = await openPostgresStore({ connectionString: server.url, connections: 4 });
    await store.commit({ put: [version(1)] });
    const number = async () => (await store.get([at]))[0]?.version ?? 0;
    let acknowledged = 1;
    const write = async (): Promise<StoreError> => {
      for (;;) {
        const put = [version(acknowledged + 1)];
        const expectation = { kind: "version", ...at, version: acknowledged } as const;
        try {
          expect(await store.commit({ expect: [expectation], put })).toEqual({ ok: true });
          acknowledged += 1;
        } catch (error) {
          return error as StoreError;
        }
      }
    };
    const writing = write();
    while (acknowledged < 20) await new Promise((resolve) => setImmediate(resolve));
    await server.kill();
    const error = await writing;
    expect([error.name, error.code]).toEqual(["StoreError", "unavailable"]);
    expect(error.message).toMatch(/Whether the write was made is not known|Nothing was written/);
    const unread = await refusalOf(store.get([at]));
    expect([unread.code, unread.message]).toEqual([
      "unavailable",
      expect.not.stringMatching(/not known|written/),
    ]);
    const unwritten = await refusalOf(store.commit({ put: [version(1)] }));
    expect([unwritten.code, unwritten.message]).toEqual([
      "unavailable",
      expect.stringMatching(/Nothing was written/),
    ]);
    await server.startAgain();
    // Whether the last one was made is not known; the others were.
    expect([acknowledged, acknowledged + 1]).toContain(await number());
    acknowledged = await number();
    expect(await store.commit({ put: [version(acknowledged + 1)] })).toEqual({ ok: true });
    expect((await store.changes({ feed: "all", limit: 10 })).changes).toHaveLength(1);
    await store.close();
  });
});
