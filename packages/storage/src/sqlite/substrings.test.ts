import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromColumn, pastAll } from "../text.ts";
import { openSqliteStore, type SqliteClient } from "./index.ts";
import { schemaVersion } from "./schema.ts";
import { toSchema1 } from "./test-support/earlier.ts";
import { compareTrigrams } from "./test-support/trigrams.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-substrings-"));
});
afterAll(() => rm(folder, { recursive: true }));

function person(key: string, names: readonly string[], version = 1): Document {
  return { collection: "people", key, version, body: version, entries: { name: names, active: ["true"] } };
}

async function found(store: Store, contains: string, index = "name"): Promise<string[]> {
  const { documents } = await store.query({
    collection: "people",
    where: [{ index, contains }],
    limit: 10,
  });
  return documents.map(({ key }) => key);
}

/** The texts by row, once SQLite has compared the trigrams with them. */
function kept(client: Database.Database, number = 1): readonly (readonly string[])[] {
  compareTrigrams(client, number);
  const rows = client.prepare(`SELECT text FROM substrings_${number} ORDER BY id`).pluck().all() as string[];
  return rows.map((text) => text.split(pastAll).slice(0, -1).map(fromColumn));
}

const trigramTables = (client: Database.Database) =>
  client.prepare("SELECT idx FROM substring_indexes ORDER BY number").pluck().all();

describe("substring indexes", () => {
  it("follow what documents declare", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    await store.commit({ put: [person("a", ["reyes ana", "ana reyes"]), person("b", ["cruz juan"])] });
    expect(kept(client)).toEqual([["reyes ana", "ana reyes"], ["cruz juan"]]);
    await store.commit({ put: [person("a", ["santos ana"], 2), person("c", [])] });
    expect(kept(client)).toEqual([["santos ana"], ["cruz juan"]]);
    expect(await found(store, "reyes")).toEqual([]);
    expect(await found(store, "santos a")).toEqual(["a"]);
    await store.commit({ put: [person("a", [], 3)], remove: [{ collection: "people", key: "b" }] });
    expect(kept(client)).toEqual([]);
    await store.close();
  });

  it("are left alone by a put that changes no value of theirs", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    await store.commit({ put: [person("a", ["ana"])] });
    client.exec(`CREATE TABLE written (sql);
      CREATE TRIGGER a AFTER UPDATE ON substrings_1 BEGIN INSERT INTO written VALUES ('update'); END;
      CREATE TRIGGER b AFTER DELETE ON substrings_1 BEGIN INSERT INTO written VALUES ('delete'); END;
      CREATE TRIGGER c AFTER DELETE ON entries BEGIN INSERT INTO written SELECT idx FROM indexes WHERE id = old.idx; END;
      CREATE TRIGGER d AFTER INSERT ON entries BEGIN INSERT INTO written SELECT idx FROM indexes WHERE id = new.idx; END`);
    const { entries, ...rest } = person("a", ["ana"], 2);
    await store.commit({ put: [{ ...rest, entries: { ...entries, active: ["false"] } }] });
    expect(client.prepare("SELECT sql FROM written").pluck().all()).toEqual(["active", "active"]);
    await store.close();
  });

  it("keep nothing of a commit that fails", async () => {
    const client = new Database(":memory:");
    const store = await openSqliteStore({ client });
    client.exec(
      `CREATE TRIGGER no BEFORE INSERT ON documents WHEN new.key = 'b' BEGIN SELECT RAISE(ABORT, 'no'); END`,
    );
    await expect(
      store.commit({ put: [person("a", ["ana reyes"]), person("b", ["bea reyes"])] }),
    ).rejects.toThrow("no");
    expect(kept(client)).toEqual([]);
    await store.close();
  });

  it("tell values apart that stand beside each other", async () => {
    const store = await openSqliteStore({ client: new Database(":memory:") });
    await store.commit({ put: [person("a", ["maria", "anton"])] });
    expect(await found(store, "iaant")).toEqual([]);
    expect(await found(store, "anton")).toEqual(["a"]);
    await store.close();
  });

  it.each([
    ["quotes", 'o"b"rien', '"b"'],
    ["words of FTS5", "and or not near", "AND or".toLowerCase().slice(0, 3)],
    ["astral characters", "x\u{10428}\u{10429}y", "\u{10428}\u{10429}"],
    ["the end of the plane", "a\uffeeb\ufb01c", "\uffeeb\ufb01"],
    ["Devanagari", "सीता देवी", "ता दे"],
    ["two characters", "ab", "ab"],
    ["nothing", "ab", ""],
    ["a long text", "the quick brown fox jumps over the lazy dog", "quick brown fox jumps over the lazy"],
  ])("find %s", async (_, name, term) => {
    const store = await openSqliteStore({ client: new Database(":memory:") });
    await store.commit({ put: [person("a", [name]), person("b", ["zzz"])] });
    expect(await found(store, term)).toEqual(term === "" ? ["a", "b"] : ["a"]);
    await store.close();
  });

  it.each(["名Ａ", "a\u{10428}", "constructor", "toString", "__proto__", 'a"b'])(
    "are kept, verified and rebuilt under the name %s",
    async (index) => {
      const path = newFile();
      const named = (key: string, version: number, values: readonly string[]): Document => ({
        ...{ collection: "people", key, version, body: version },
        entries: Object.fromEntries([[index, values]]),
      });
      const other = { collection: "people", key: "z", version: 1, body: 1, entries: { active: ["true"] } };
      const none = await openSqliteStore({ path, substringIndexes: [] });
      await none.commit({ put: [named("a", 1, ["ana reyes"]), other] });
      await none.close();
      const store = await openSqliteStore({ path, substringIndexes: [index] });
      await store.commit({ put: [named("b", 1, ["bea reyes", "reyes bea"]), { ...other, version: 2 }] });
      await store.commit({ put: [named("a", 2, ["ana santos"])] });
      const faults: unknown[] = [];
      const check = async () => {
        await store.verify?.((fault) => faults.push(fault));
        expect(faults).toEqual([]);
        expect(await found(store, "reyes", index)).toEqual(["b"]);
        expect(await found(store, "ana santos", index)).toEqual(["a"]);
      };
      await check();
      await store.rebuild?.((fault) => faults.push(fault));
      await check();
      await store.close();
      await (await openSqliteStore({ path, substringIndexes: [index] })).close();
    },
  );

  it("are those that the options name, and those that the file has", async () => {
    const path = newFile();
    const none = await openSqliteStore({ path, substringIndexes: [] });
    await none.commit({ put: [person("a", ["ana reyes"])] });
    expect(await found(none, "reyes")).toEqual(["a"]);
    const more = await openSqliteStore({ path, substringIndexes: ["telecom", "name"] });
    // The first store was open before the indexes were there.
    await none.commit({ put: [person("b", ["bea reyes"])] });
    expect(await found(more, "reyes")).toEqual(["a", "b"]);
    await Promise.all([none.close(), more.close()]);
    const client = new Database(path);
    expect(trigramTables(client)).toEqual(["telecom", "name"]);
    expect(kept(client, 2)).toEqual([["ana reyes"], ["bea reyes"]]);
    client.close();
  });
});

describe("a file of the first schema", () => {
  async function firstSchema(): Promise<string> {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const put = [
      person("a", ["reyes ana", "ana \u{10428} reyes"]),
      person("b", ["cruz juan"]),
      person("c", []),
    ];
    await store.commit({ put });
    await store.close();
    const client = new Database(path);
    toSchema1(client);
    client.close();
    return path;
  }

  it("gets its indexes filled when it is opened", async () => {
    const path = await firstSchema();
    const store = await openSqliteStore({ path });
    expect(await found(store, "na \u{10428}")).toEqual(["a"]);
    await store.commit({ put: [person("a", ["mendoza ana"], 2)] });
    await store.close();
    const client = new Database(path);
    expect(client.pragma("user_version", { simple: true })).toBe(schemaVersion);
    expect(kept(client)).toEqual([["mendoza ana"], ["cruz juan"]]);
    expect(trigramTables(client)).toEqual(["name", "address"]);
    client.close();
  });

  it("is filled at the next opening when the first was cut off", async () => {
    const path = await firstSchema();
    const real = new Database(path);
    const open = openSqliteStore({
      client: {
        prepare: (sql) => real.prepare(sql),
        exec(sql) {
          if (sql.includes("ORDER BY place")) throw new Error("cut off");
          return real.exec(sql);
        },
        close: () => real.close(),
      },
    });
    await expect(open).rejects.toThrow("cut off");
    const store = await openSqliteStore({ path });
    expect(await found(store, "reyes")).toEqual(["a"]);
    await store.close();
    const client = new Database(path);
    expect(kept(client)).toEqual([["reyes ana", "ana \u{10428} reyes"], ["cruz juan"]]);
    client.close();
  });
});

describe("a SQLite without trigrams", () => {
  /** A client that refuses what such a build refuses, in its words. */
  function without(path: string, words: string): SqliteClient {
    const real = new Database(path);
    const refuse = (sql: string) => {
      if (/fts5|FROM codes_/.test(sql)) throw Object.assign(new Error(words), { code: "SQLITE_ERROR" });
    };
    return {
      prepare(sql) {
        refuse(sql);
        return real.prepare(sql);
      },
      exec(sql) {
        refuse(sql);
        return real.exec(sql);
      },
      close: () => real.close(),
    };
  }

  it.each(["no such module: fts5", "no such tokenizer: trigram"])(
    "is told so where a file is made, and where one has them: %s",
    async (words) => {
      const path = newFile();
      const opening = () => openSqliteStore({ client: without(path, words), name: path });
      const refusal = { code: "unavailable", message: expect.stringMatching(/FTS5, and SQLite 3\.34/) };
      await expect(opening()).rejects.toMatchObject(refusal);
      const full = await openSqliteStore({ path });
      await full.commit({ put: [person("a", ["reyes ana"])] });
      await full.close();
      await expect(opening()).rejects.toMatchObject(refusal);
      const again = await openSqliteStore({ path });
      expect(await found(again, "reyes")).toEqual(["a"]);
      await again.close();
    },
  );

  it("does without where no index is asked for", async () => {
    const client = without(newFile(), "no such module: fts5");
    const store = await openSqliteStore({ client, substringIndexes: [] });
    await store.commit({ put: [person("a", ["reyes ana"])] });
    expect(await found(store, "reyes")).toEqual(["a"]);
    await store.close();
  });
});
