import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { Connection } from "./client.ts";
import { openSqliteStore } from "./index.ts";
import { movePending } from "./pending-feeds.ts";
import { ana, type Damage, damagesOfWaiting, feedNumber, idOfAna } from "./test-support/damages.ts";

const person = (key: string, version = 1, feeds: readonly string[] = ["all", "north"]) => ({
  ...{ collection: "people", key, version, body: { key }, claims: [`claim ${key}`], feeds },
  entries: { name: [`${key} reyes`, `reyes ${key}`], active: ["true"] },
});

/** @param waiting whether the places in feeds are still to be moved to their table */
async function filled(waiting = false) {
  const client = new Database(":memory:");
  const store = await openSqliteStore({ client, substringIndexes: ["name"] });
  await store.commit({ put: ["ana", "ben", "cora", "😀"].map((key) => person(key)) });
  await store.commit({ put: [person("ben", 2, ["all", "south"])] });
  await store.commit({ put: [person("ben", 3, ["all"])], remove: [{ collection: "people", key: "cora" }] });
  if (!waiting) movePending(new Connection(client));
  return { client, store };
}

async function faultsOf(store: Store): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => faults.push(fault));
  return faults;
}

const numberOf = (idx: string) => `(SELECT id FROM indexes WHERE idx = '${idx}')`;

/** Every way in which what is kept may disagree with the documents. The message tells which way it was. */
const damages: readonly Damage[] = [
  {
    name: "a claim that is declared and not kept",
    sql: "DELETE FROM claims WHERE claim = 'claim ana'",
    about: "claim",
    says: /claim ana is declared, but kept for no document/,
    at: ana,
  },
  {
    name: "a claim that is kept for another document",
    sql: "UPDATE claims SET key = 'ben' WHERE claim = 'claim ana'",
    about: "claim",
    says: /claim ana is declared, but kept for another/,
    at: ana,
  },
  {
    name: "a claim that is kept for a document that does not declare it",
    sql: "INSERT INTO claims VALUES ('mine', 'people', 'ana')",
    about: "claim",
    says: /mine is kept for a document that does not declare it/,
    at: ana,
  },
  {
    name: "a claim that is kept for no document",
    sql: "INSERT INTO claims VALUES ('mine', 'people', 'nobody')",
    about: "claim",
    says: /mine is kept for a document that is not there/,
  },
  {
    name: "an entry that is missing",
    sql: "DELETE FROM entries WHERE value = 'ana reyes'",
    about: "entry",
    says: /index name: a value is declared, but has no entry/,
    at: ana,
  },
  {
    name: "an entry that names another row",
    sql: "UPDATE entries SET document = document + 1 WHERE value = 'ana reyes'",
    about: "entry",
    says: /names another document's row/,
    at: ana,
  },
  {
    name: "an entry that is wrong about sorting",
    sql: "UPDATE entries SET first = 0 WHERE value = 'ana reyes'",
    about: "entry",
    says: /wrong about being the one for sorting/,
    at: ana,
  },
  {
    name: "an entry of a value that is not declared",
    sql: `INSERT INTO entries VALUES (${numberOf("active")}, 'maybe', 'ana', 0, ${idOfAna})`,
    about: "entry",
    says: /index active: an entry has a value that its document does not declare/,
    at: ana,
  },
  {
    name: "an entry of a document that is not there",
    sql: `INSERT INTO entries VALUES (${numberOf("active")}, 'true', 'nobody', 1, 99)`,
    about: "entry",
    says: /index active: an entry names a document that is not there/,
  },
  {
    name: "an entry of an index that is not there",
    sql: `INSERT INTO entries VALUES (99, 'true', 'ana', 1, ${idOfAna})`,
    about: "entry",
    says: /index numbered 99/,
  },
  {
    name: "an index that is said to have one value of each document",
    sql: "UPDATE indexes SET several = 0",
    about: "entry",
    says: /several values/,
    at: ana,
  },
  {
    name: "a document that its feed does not tell",
    sql: `DELETE FROM feeds WHERE feed = ${feedNumber("all")} AND told = ${idOfAna}`,
    about: "feed",
    says: /feed all is declared, but does not tell/,
    at: ana,
  },
  {
    name: "a document told where its newest change is not",
    sql: `INSERT INTO feeds VALUES (${feedNumber("all")}, 0, ${idOfAna}, NULL, NULL)`,
    about: "feed",
    says: /feed all: position 0 tells a document whose newest change is elsewhere/,
    at: ana,
  },
  {
    name: "a document told by a feed that it does not declare",
    sql: "INSERT INTO feed_names VALUES (99, 'other'); INSERT INTO feeds SELECT 99, position, id, NULL, NULL FROM documents WHERE key = 'ana'",
    about: "feed",
    says: /feed other: position \d+ tells a document that does not declare the feed/,
    at: ana,
  },
  {
    name: "a feed that tells a document that is not there",
    sql: `INSERT INTO feeds VALUES (${feedNumber("all")}, 0, 99, NULL, NULL)`,
    about: "feed",
    says: /tells a document that is not there/,
  },
  {
    name: "a feed without a name",
    sql: "INSERT INTO feeds VALUES (77, 1, 1, NULL, NULL)",
    about: "feed",
    says: /feed numbered 77/,
  },
  {
    name: "the name of a feed that is no text where all have left",
    sql: "UPDATE feed_names SET feed = CAST(feed AS BLOB) WHERE feed = 'south'",
    about: "feed",
    says: /feed south: position \d+ is of a feed whose name is no text/,
  },
  {
    name: "a position beyond the newest",
    sql: "UPDATE store SET position = 5",
    about: "feed",
    says: /beyond the newest one, 5/,
  },
  {
    name: "a departure that no feed tells",
    sql: `DELETE FROM feeds WHERE feed = ${feedNumber("north")} AND key = 'ben'`,
    about: "feed",
    says: /feed north: a document left, which the feed does not tell/,
  },
  {
    name: "a departure that is told and did not happen",
    sql: "DELETE FROM departures WHERE key = 'ben'",
    about: "feed",
    says: /feed north: position \d+ tells a document that left, which did not leave then/,
  },
  {
    name: "a departure from a feed that is declared",
    sql: `INSERT INTO departures VALUES ('people', 'ana', ${feedNumber("all")}, 0);
      INSERT INTO feeds VALUES (${feedNumber("all")}, 0, NULL, 'people', 'ana')`,
    about: "feed",
    says: /feed all: a document left that declares the feed/,
    at: ana,
  },
  {
    name: "values that are not kept for substrings",
    sql: `DELETE FROM substrings_1 WHERE id = ${idOfAna}`,
    about: "substrings",
    says: /index name: its values are not kept/,
    at: ana,
  },
  {
    name: "other values kept for substrings",
    sql: `UPDATE substrings_1 SET text = 'eva lim' || char(1114111) WHERE id = ${idOfAna}`,
    about: "substrings",
    says: /index name: other values/,
    at: ana,
  },
  {
    name: "values kept for substrings out of their order",
    sql: `UPDATE substrings_1 SET place = place + (1 << 40), text = text WHERE id = ${idOfAna}`,
    about: "substrings",
    says: /index name: its values are kept in a place that is not in their order/,
    at: ana,
  },
  {
    name: "values kept for substrings with codes that are not theirs",
    sql: `UPDATE substrings_1 SET codes = 'eva lim' WHERE id = ${idOfAna}`,
    about: "substrings",
    says: /index name: what finds substrings in its values is not theirs/,
    at: ana,
  },
  {
    name: "values kept for substrings of a document that is not there",
    sql: "INSERT INTO substrings_1 VALUES (99, 99, 'people', 'nobody', 'eva lim', '')",
    about: "substrings",
    says: /index name: values are kept for finding substrings of a document that is not there/,
  },
  {
    name: "values kept for substrings that a document does not have",
    sql: `INSERT INTO documents (id, collection, key, version, position, claims, indexed, feeds, body)
      VALUES (98, 'people', 'dan', 1, 0, '[]', '{}', '[]', '1'); INSERT INTO substrings_1 VALUES (98, 98, 'people', 'dan', 'dan lim', '')`,
    about: "substrings",
    says: /that the document does not have/,
  },
  {
    name: "trigrams that are missing",
    sql: `INSERT INTO codes_1 (codes_1, rowid, codes) SELECT 'delete', place, codes FROM substrings_1 WHERE id = ${idOfAna}`,
    about: "substrings",
    says: /index name: its trigrams are not those of its texts/,
  },
  {
    name: "trigrams that wait to be written with other codes than they had",
    sql: `INSERT INTO pending_1 SELECT id, place, 'eva lim' FROM substrings_1 WHERE id = ${idOfAna} ON CONFLICT DO UPDATE
      SET place = excluded.place, codes = excluded.codes`,
    about: "substrings",
    says: /index name: its trigrams are not those of its texts/,
  },
];

describe("verify", () => {
  it.each([
    ["in their table", false],
    ["waiting", true],
  ])("finds no fault, and counts, with the places in feeds %s", async (_, waiting) => {
    const { store } = await filled(waiting);
    const faults: StoreFault[] = [];
    const census = await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
    expect(census).toEqual({ documents: 3, claims: 3, entries: 9, feeds: 9 });
    await store.close();
  });

  it.each([
    ...damages.map((one) => ({ ...one, waiting: false })),
    ...damagesOfWaiting.map((one) => ({ ...one, name: `${one.name}, of those that wait`, waiting: true })),
  ])("tells $name, and rebuild mends it", async ({ sql, about, says, at, waiting }) => {
    const { client, store } = await filled(waiting);
    client.exec(sql);
    const faults = await faultsOf(store);
    const told = faults.find((fault) => fault.about === about && says.test(fault.message));
    expect(told, JSON.stringify(faults)).toBeDefined();
    if (at) expect(told?.at).toEqual(at);
    const mended: StoreFault[] = [];
    await store.rebuild?.((fault) => mended.push(fault));
    expect(mended).toEqual([]);
    expect(await faultsOf(store)).toEqual([]);
    const where = [{ index: "name", contains: "reyes" }];
    expect((await store.query({ collection: "people", where, limit: 9 })).documents).toHaveLength(3);
    expect((await store.changes({ feed: "all", limit: 9 })).changes).toHaveLength(3);
    expect(await store.commit({ put: [person("ana", 2)] })).toEqual({ ok: true });
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });

  it("tells a document that can't be read, and rebuild leaves it as it is", async () => {
    const { client, store } = await filled();
    client.exec("UPDATE documents SET indexed = '{' WHERE key = 'ana'");
    const unreadable = { about: "document", at: ana };
    expect(await faultsOf(store)).toContainEqual(expect.objectContaining(unreadable));
    const faults: StoreFault[] = [];
    await store.rebuild?.((fault) => faults.push(fault));
    expect(client.prepare("SELECT indexed FROM documents WHERE key = 'ana'").pluck().get()).toBe("{");
    expect(faults).toContainEqual(expect.objectContaining(unreadable));
    await store.close();
  });

  it("tells pages that are damaged", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fieldroll-verify-"));
    const path = join(folder, "a.db");
    const store = await openSqliteStore({ path });
    await store.commit({ put: Array.from({ length: 500 }, (_, i) => person(`k${i}`)) });
    await store.close();
    const bytes = await readFile(path);
    const page = bytes.indexOf("k250") & ~4095;
    await writeFile(path, bytes.fill(0xab, page, page + 4096));
    const damaged = await openSqliteStore({ path });
    const faults = await faultsOf(damaged);
    expect(faults.some(({ about }) => about === "medium")).toBe(true);
    await damaged.close();
    await rm(folder, { recursive: true });
  });

  it("lets others have their turn", async () => {
    const store = await openSqliteStore({ client: new Database(":memory:") });
    await store.commit({ put: Array.from({ length: 3000 }, (_, i) => person(`k${i}`)) });
    let turns = 0;
    let done = false;
    const verified = store
      .verify?.(() => undefined)
      .finally(() => {
        done = true;
      });
    while (!done) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    await verified;
    expect(turns).toBeGreaterThan(3);
    await store.close();
  });
});

describe("rebuild", () => {
  it("gives a claim that two declare to the smaller key, and tells the other", async () => {
    const { client, store } = await filled();
    client.exec(`UPDATE documents SET claims = '["claim ana"]' WHERE key = 'ben'`);
    const faults: StoreFault[] = [];
    await store.rebuild?.((fault) => faults.push(fault));
    expect(faults).toEqual([
      {
        about: "claim",
        at: { collection: "people", key: "ben" },
        message: "the claim claim ana is declared, but another document keeps it",
      },
    ]);
    expect(await store.resolve(["claim ana"])).toEqual([ana]);
    await store.close();
  });

  it("refuses former cursors, and gives each document a place of its own", async () => {
    const { client, store } = await filled();
    const { next: cursor } = await store.changes({ feed: "all", limit: 9 });
    client.exec("UPDATE documents SET position = 2");
    await store.rebuild?.(() => undefined);
    await expect(store.changes({ feed: "all", cursor, limit: 9 })).rejects.toMatchObject({
      code: "bad-cursor",
    });
    expect(await faultsOf(store)).toEqual([]);
    expect((await store.changes({ feed: "all", limit: 9 })).changes).toHaveLength(3);
    await store.close();
  });

  it("has done nothing when it is cut off", async () => {
    const { client, store } = await filled();
    client.exec("CREATE TRIGGER no BEFORE UPDATE OF id ON store BEGIN SELECT RAISE(ABORT, 'cut off'); END");
    await expect(store.rebuild?.(() => undefined)).rejects.toThrow("cut off");
    expect(await faultsOf(store)).toEqual([]);
    client.exec("DROP TRIGGER no");
    await store.rebuild?.(() => undefined);
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });
});
