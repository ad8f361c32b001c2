import { randomBytes } from "node:crypto";
import type { Document, Store, StoreFault } from "@fieldroll/core";
import { openPostgresStore } from "@fieldroll/storage/postgres";
import { Client } from "pg";
import { afterEach, beforeEach, describe, expect, inject, it } from "vitest";

const shared = inject("postgres");

const document = (key: string): Document => ({
  ...{ collection: "people", key, version: 1, body: { key } },
  ...{ claims: [`id ${key}`], entries: { name: [`name of ${key}`] }, feeds: ["all"] },
});

/** Of what an index is that keeps apart what left feeds. */
const hashes =
  '(feed, hashtextextended(collection COLLATE "C", 0), hashtextextended(key COLLATE "C", 0), hashtextextended(key COLLATE "C", 1))';

describe("a damaged PostgreSQL store", { timeout: 120_000 }, () => {
  let schema: string;
  let admin: Client;
  let store: Store;
  const opened: Store[] = [];
  const open = async () => {
    if ("absent" in shared) throw new Error(shared.absent);
    const made = await openPostgresStore({
      connectionString: shared.url,
      schema,
      create: opened.length === 0,
    });
    opened.push(made);
    return made;
  };
  const damage = (sql: string) => admin.query(sql.replaceAll("$", schema));
  const faultsOf = async (work: (tell: (fault: StoreFault) => void) => Promise<unknown> | undefined) => {
    const faults: string[] = [];
    await work(({ about, at, message }) => faults.push([about, at?.key, message].filter(Boolean).join(": ")));
    return faults;
  };
  const verified = () => faultsOf((tell) => store.verify?.(tell));
  const rebuilt = () => faultsOf((tell) => store.rebuild?.(tell));

  beforeEach(async ({ skip }) => {
    if ("absent" in shared) return skip(shared.absent);
    schema = `damage_${randomBytes(6).toString("hex")}`;
    admin = new Client({ connectionString: shared.url });
    await admin.connect();
    store = await open();
    await store.commit({ put: [document("ana"), document("ben")] });
  });
  afterEach(async () => {
    if ("absent" in shared) return;
    for (const one of opened.splice(0)) await one.close();
    await admin.query(`SET client_min_messages = warning; DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await admin.end();
  });

  it.each([
    ["claims", "claims = '[null, \"id ana\"]'"],
    ["claims that are lists", "claims = '[[\"id ana\"]]'"],
    ["feeds", "feeds = '[null]'"],
    ["feeds that are numbers", "feeds = '[1]'"],
    ["values of an index", `indexed = '{"name": [null, "name of ana"]}'`],
    ["an index without a list", `indexed = '{"name": null}'`],
  ])("has all else rebuilt, and names the document, where texts are missing: %s", async (_name, change) => {
    await damage(`UPDATE $.documents SET ${change} WHERE key = 'ana'`);
    const fault = expect.stringMatching(/^document: ana: the document can not be read.*restore it/);
    expect(await verified()).toContainEqual(fault);
    await damage("TRUNCATE $.claims, $.entries, $.feeds");
    expect(await rebuilt()).toEqual([fault]);
    expect(await verified()).toEqual([fault]);
    expect(await store.resolve(["id ben"])).toEqual([{ collection: "people", key: "ben" }]);
    const where = [{ index: "name", anyOf: ["name of ben"] }];
    expect((await store.query({ collection: "people", where, limit: 5 })).documents).toHaveLength(1);
  });

  it("that forgot who it is starts over with its feeds, also when it is opened", async () => {
    const { next } = await store.changes({ feed: "all", limit: 5 });
    for (const table of ["feeds", "documents"])
      await damage(`UPDATE $.${table} SET position = position + 1000000`);
    await damage("DELETE FROM $.store");
    expect(await verified()).toContainEqual(expect.stringMatching(/medium: .*fieldroll reindex/));
    store = await open();
    expect(await verified()).toEqual([]);
    await expect(store.changes({ feed: "all", cursor: next, limit: 5 })).rejects.toThrow();
    const first = await store.changes({ feed: "all", limit: 5 });
    expect(first.changes).toHaveLength(2);
    expect(await store.commit({ put: [document("cem")] })).toEqual({ ok: true });
    expect((await store.changes({ feed: "all", cursor: first.next, limit: 5 })).changes).toHaveLength(1);
  });

  it("that forgot who it is is rebuilt while it is open", async () => {
    await damage("DELETE FROM $.store");
    expect(await rebuilt()).toEqual([]);
    expect(await verified()).toEqual([]);
    expect((await store.changes({ feed: "all", limit: 5 })).changes).toHaveLength(2);
  });

  it("that forgot who it is writes and tells nothing, and says what to do", async () => {
    await damage("DELETE FROM $.store");
    const asks = [
      () => store.commit({ put: [document("cem")] }),
      () => store.changes({ feed: "all", limit: 5 }),
      () => store.renew?.(),
    ];
    for (const ask of asks)
      await expect(ask()).rejects.toMatchObject({
        code: "corrupt",
        message: expect.stringMatching(/row of the table store.*fieldroll reindex/),
      });
    expect(await store.get([{ collection: "people", key: "cem" }])).toEqual([undefined]);
  });

  it("tells positions that would begin beyond all that are possible", async () => {
    await damage("UPDATE $.store SET shift = 9223372036854775807");
    expect(await verified()).toContainEqual(
      expect.stringMatching(/^medium: positions in feeds would begin beyond/),
    );
  });

  it.each([
    ["lowered", "UPDATE $.store SET shift = -1000000000"],
    ["raised beyond all numbers", "UPDATE $.store SET shift = 9223372036854775000"],
    ["passed by a place", "UPDATE $.feeds SET position = 9223372036854775807 WHERE key = 'ana'"],
  ])(
    "has places that rise again after a rebuild where what is added to them was %s",
    async (_name, change) => {
      await damage(change);
      expect(await rebuilt()).toEqual([]);
      expect(await verified()).toEqual([]);
      const first = await store.changes({ feed: "all", limit: 5 });
      expect(first.changes).toHaveLength(2);
      expect(await store.commit({ put: [document("cem")] })).toEqual({ ok: true });
      expect((await store.changes({ feed: "all", cursor: first.next, limit: 5 })).changes).toHaveLength(1);
      expect(await verified()).toEqual([]);
    },
  );

  it.each([
    ["the function commit", "DROP FUNCTION $.commit", "function commit"],
    ["the function lock_asked", "DROP FUNCTION $.lock_asked", "function lock_asked"],
    ["the function short", "DROP FUNCTION $.short", "function short"],
    ["the function bounded", "DROP FUNCTION $.bounded", "function bounded"],
    [
      "the key of documents",
      "ALTER TABLE $.documents DROP CONSTRAINT documents_pkey",
      "primary key of documents",
    ],
    ["the key of claims", "ALTER TABLE $.claims DROP CONSTRAINT claims_pkey", "primary key of claims"],
    ["the key of entries", "ALTER TABLE $.entries DROP CONSTRAINT entries_pkey", "primary key of entries"],
    ["the key of feeds", "ALTER TABLE $.feeds DROP CONSTRAINT feeds_pkey", "primary key of feeds"],
    ["the index of further values", "DROP INDEX $.entries_further", "index entries_further"],
    ["the index of cut values", "DROP INDEX $.entries_cut", "index entries_cut"],
    ["the index of what left feeds", "DROP INDEX $.feeds_gone", "index feeds_gone"],
    ...Object.entries({
      "one of single rows": `CREATE INDEX feeds_gone ON $.feeds ${hashes} WHERE gone`,
      "one of what has not": `CREATE UNIQUE INDEX feeds_gone ON $.feeds ${hashes} WHERE NOT gone`,
      "one of places": "CREATE UNIQUE INDEX feeds_gone ON $.feeds (feed, position, nth) WHERE gone",
      "that of schema 13": "CREATE UNIQUE INDEX feeds_gone ON $.feeds (feed, collection, key) WHERE gone",
      "one of another table": "CREATE UNIQUE INDEX feeds_gone ON $.claims (claim)",
    }).map(([what, made]): [string, string, string] => [
      `the index of what left feeds, but ${what}`,
      `DROP INDEX $.feeds_gone; ${made}`,
      "index feeds_gone",
    ]),
    ["an index of substrings", "DROP INDEX $.entries_value_idx", "index of substrings of name"],
  ])("without %s tells it, and has it again after a rebuild", async (_name, sql, name) => {
    await damage(sql);
    const [fault, ...others] = await verified();
    expect([fault, others]).toEqual([expect.stringContaining(`medium: the ${name}`), []]);
    expect(fault).toMatch(/is missing; fieldroll reindex makes it again/);
    store = await open();
    expect(await rebuilt()).toEqual([]);
    expect(await verified()).toEqual([]);
    const changed = { ...document("ana"), version: 2, claims: ["id ana", "id new"] };
    expect(await store.commit({ put: [changed, document("cem")] })).toEqual({ ok: true });
    expect(await verified()).toEqual([]);
  });

  it.each([
    ["body", /^document: ana: the document can not be read: its body is no JSON/],
    ["version", /^document: ana: the document has no version/],
    ["claims", /^document: ana: the document can not be read: what it declares/],
    ["indexed", /^document: ana: the document can not be read: what it declares/],
    ["feeds", /^document: ana: the document can not be read: what it declares/],
  ])("tells a document that has nothing in the column %s", async (column, fault) => {
    await damage(`ALTER TABLE $.documents ALTER ${column} DROP NOT NULL`);
    await damage(`UPDATE $.documents SET ${column} = NULL WHERE key = 'ana'`);
    expect(await verified()).toContainEqual(expect.stringMatching(fault));
  });

  it.each([
    [
      "claims RENAME claim TO other",
      /primary key of claims/,
      /claims: its column claim is missing/,
      /claims has the column other, which/,
    ],
    ["documents DROP body", /documents: its column body is missing/],
    [
      "documents ALTER indexed TYPE text",
      /documents: its column indexed is of the type text, not jsonb; alter/,
    ],
    ["feeds ALTER position TYPE numeric", /feeds: its column position is of the type numeric, not bigint/],
    [
      'entries ALTER value TYPE text COLLATE "ucs_basic"',
      /column value is of the type text, not text COLLATE "C"/,
    ],
    ["documents ALTER body DROP NOT NULL", /documents: its column body may hold nothing/],
    ["feeds ADD note text", /feeds has the column note, which is not of this schema/],
  ])("tells columns that are others, and counts what is there: %s", async (change, ...faults) => {
    await damage(`ALTER TABLE $.${change}`);
    const told: string[] = [];
    const census = await store.verify?.(({ about, message }) => told.push(`${about}: ${message}`));
    expect(told).toEqual(faults.map((fault) => expect.stringMatching(fault)));
    expect(told.every((one) => one.startsWith("medium: "))).toBe(true);
    expect(census).toEqual({ documents: 2, claims: 2, entries: 2, feeds: 2 });
  });

  it.each([
    [
      "an unlogged table",
      "ALTER TABLE $.claims SET UNLOGGED",
      "ALTER TABLE $.claims SET LOGGED",
      /^medium: the table claims is unlogged, so a crash empties it; ALTER TABLE/,
    ],
    [
      "a trigger",
      "CREATE TRIGGER mine BEFORE UPDATE ON $.feeds FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
      "DROP TRIGGER mine ON $.feeds",
      /^medium: the table feeds has the trigger mine, which is not of this schema/,
    ],
    [
      "a rule",
      "CREATE RULE mine AS ON DELETE TO $.documents DO INSTEAD NOTHING",
      "DROP RULE mine ON $.documents",
      /^medium: the table documents has the rule mine, which is not of this schema/,
    ],
  ])("tells %s until it is taken away", async (_name, made, takenAway, fault) => {
    await damage(made);
    expect(await verified()).toEqual([expect.stringMatching(fault)]);
    await damage(takenAway);
    expect(await verified()).toEqual([]);
  });

  it.each(["commit", "short", "bounded"])(
    "without its function %s calls itself corrupt, not upgraded",
    async (name) => {
      await damage(`DROP FUNCTION $.${name}`);
      const commit = store.commit({ put: [{ ...document("dan"), entries: { name: ["dan", "danny"] } }] });
      const error = await commit.catch((thrown: unknown) => thrown);
      if (name !== "bounded")
        expect(error).toMatchObject({
          code: "corrupt",
          message: expect.stringContaining("fieldroll verify"),
        });
      expect(error).not.toMatchObject({ code: "newer-schema" });
    },
  );

  it.each(["documents", "claims", "entries", "feeds"])(
    "without its table %s says that a backup has it",
    async (table) => {
      await damage(`DROP TABLE $.${table}`);
      expect(await verified()).toContainEqual(`medium: the table ${table} is missing; restore a backup`);
      await expect(rebuilt()).rejects.toMatchObject({ code: "corrupt" });
      await expect(store.commit({ put: [document("dan")] })).rejects.toMatchObject({ code: "corrupt" });
    },
  );

  it("without the table of its indexes of substrings is not opened, as it is corrupt", async () => {
    await damage("DROP TABLE $.substring_indexes");
    await expect(open()).rejects.toMatchObject({ code: "corrupt" });
  });

  it("with two rows for one document is left as it is", async () => {
    await damage("ALTER TABLE $.documents DROP CONSTRAINT documents_pkey");
    await damage("INSERT INTO $.documents SELECT * FROM $.documents WHERE key = 'ana'");
    await expect(rebuilt()).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("people ana is there more than once"),
    });
    expect(await store.resolve(["id ben"])).toEqual([{ collection: "people", key: "ben" }]);
  });
});
