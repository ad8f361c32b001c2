import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describeStore } from "@fieldroll/core/testing";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupSqliteStore, loadSqliteStore, openSqliteStore, type SqliteClient } from "./index.ts";
import { applicationId, schemaVersion } from "./schema.ts";
import { sqliteHarness } from "./test-support/harness.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-sqlite-"));
});
afterAll(() => rm(folder, { recursive: true }));

describeStore("SQLite in a file", sqliteHarness());

describe("opening", () => {
  it("says who the file belongs to, logs ahead and waits for the disk", async () => {
    const path = newFile();
    const client = new Database(path);
    const store = await openSqliteStore({ client });
    const pragma = (name: string) => client.pragma(name, { simple: true });
    expect(pragma("application_id")).toBe(applicationId);
    expect(pragma("user_version")).toBe(schemaVersion);
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("busy_timeout")).toBe(10);
    await store.commit({ put: [{ collection: "c", key: "k", version: 1, body: 1 }], durability: "relaxed" });
    expect(pragma("synchronous")).toBe(2);
    await store.close();
    expect(client.open).toBe(false);
  });

  it("waits less with durability normal", async () => {
    const client = new Database(newFile());
    const store = await openSqliteStore({ client, durability: "normal", busyTimeout: 10 });
    expect(client.pragma("synchronous", { simple: true })).toBe(1);
    expect(client.pragma("busy_timeout", { simple: true })).toBe(10);
    await store.close();
  });

  it.each([2 ** 31, Number.POSITIVE_INFINITY, -1, 1.5])(
    "refuses a busyTimeout of %s",
    async (busyTimeout) => {
      await expect(openSqliteStore({ path: newFile(), busyTimeout })).rejects.toMatchObject({
        code: "bad-request",
        message: `busyTimeout is ${busyTimeout}; give whole milliseconds, from 0 to 2147483647.`,
      });
    },
  );

  it.each([
    ["ends in a space", "a.db "],
    ["ends in a line break", "a.db\n"],
    ["holds U+0000", "a\0b.db"],
  ])("refuses a path that %s, for a file, its backup and a load", async (_, name) => {
    const path = newFile();
    await (await openSqliteStore({ path })).close();
    const odd = join(folder, name);
    const refused = { name: "StoreError", code: "bad-request", message: expect.stringContaining("U+0000") };
    await expect(openSqliteStore({ path: odd })).rejects.toMatchObject(refused);
    await expect(backupSqliteStore({ path, to: odd })).rejects.toMatchObject(refused);
    await expect(backupSqliteStore({ path: odd, to: newFile() })).rejects.toMatchObject(refused);
    await expect(loadSqliteStore({ path: odd, documents: [] })).rejects.toMatchObject(refused);
    expect((await readdir(folder)).filter((file) => file.startsWith("a"))).toEqual([]);
  });

  it("makes no store of an empty file where none is to be made, and leaves it empty", async () => {
    const path = newFile();
    await writeFile(path, "");
    const opening = openSqliteStore({ path, create: false });
    await expect(opening).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringContaining(path),
    });
    expect(await readFile(path, "utf8")).toBe("");
    await (await openSqliteStore({ path })).close();
    await (await openSqliteStore({ path, create: false })).close();
  });

  it("makes no file where none is to be made", async () => {
    const path = newFile();
    await expect(openSqliteStore({ path, create: false })).rejects.toMatchObject({
      code: "bad-request",
      message: `${path}: there is no such file. Name the store's, or leave out \`create: false\` to make one.`,
    });
    expect(await readdir(folder)).not.toContain(basename(path));
  });

  it("refuses a file that is no database, and leaves it", async () => {
    const path = newFile();
    const text = "Dear diary, today the network was gone again. ".repeat(100);
    await writeFile(path, text);
    const opening = openSqliteStore({ path });
    await expect(opening).rejects.toMatchObject({ name: "StoreError", code: "corrupt" });
    await expect(opening).rejects.toThrow(path);
    await expect(opening).rejects.toThrow("no SQLite database");
    expect(await readFile(path, "utf8")).toBe(text);
  });

  it.each([
    ["with its own application_id", "PRAGMA application_id = 1234; CREATE TABLE t (x)"],
    ["with tables and no application_id", "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')"],
    ["with a user_version and nothing else", "PRAGMA user_version = 7"],
  ])("refuses another application's database %s, and leaves it", async (_, sql) => {
    const path = newFile();
    new Database(path).exec(sql).close();
    const before = await readFile(path);
    const opening = openSqliteStore({ path });
    await expect(opening).rejects.toMatchObject({ code: "corrupt" });
    await expect(opening).rejects.toThrow(`${path}: this is a SQLite database of another application`);
    expect(await readFile(path)).toEqual(before);
  });

  it("refuses a store of a newer schema, and leaves it", async () => {
    const path = newFile();
    await (await openSqliteStore({ path })).close();
    new Database(path).exec(`PRAGMA user_version = ${schemaVersion + 1}`).close();
    const before = await readFile(path);
    const opening = openSqliteStore({ path });
    await expect(opening).rejects.toMatchObject({ code: "newer-schema" });
    await expect(opening).rejects.toThrow(`schema ${schemaVersion + 1}`);
    expect(await readFile(path)).toEqual(before);
  });

  it("tells a damaged database from one of another application", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const put = Array.from({ length: 500 }, (_, i) => ({
      ...{ collection: "c", key: `${i}`, version: 1, body: "x".repeat(500) },
    }));
    await store.commit({ put });
    await store.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xab, bytes.length / 2));
    const damaged = await openSqliteStore({ path });
    await expect(damaged.query({ collection: "c", limit: 100 })).rejects.toMatchObject({ code: "corrupt" });
    await damaged.close();
  });

  it("says that the folder is missing", async () => {
    const path = join(folder, "nowhere", "a.db");
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "unavailable" });
    await expect(openSqliteStore({ path })).rejects.toThrow(path);
  });

  it("refuses a place where SQLite can't log ahead", async () => {
    const real = new Database(newFile());
    const onNetworkDrive: SqliteClient = {
      prepare: (sql) =>
        real.prepare(sql === "PRAGMA journal_mode = WAL" ? "PRAGMA journal_mode = DELETE" : sql),
      exec: (sql) => real.exec(sql),
      close: () => real.close(),
    };
    const opening = openSqliteStore({ client: onNetworkDrive, name: "/mnt/share/a.db" });
    await expect(opening).rejects.toMatchObject({ code: "unavailable" });
    await expect(opening).rejects.toThrow("/mnt/share/a.db");
    expect(real.open).toBe(false);
  });

  it("takes any opener", async () => {
    const seen: string[] = [];
    const open = async (path: string): Promise<SqliteClient> => {
      seen.push(path);
      return new Database(":memory:");
    };
    const path = newFile();
    const store = await openSqliteStore({ path, open });
    expect(await store.resolve(["a"])).toEqual([undefined]);
    expect(seen).toEqual([path]);
    await store.close();
  });

  it("refuses a busy timeout that is no number of milliseconds", async () => {
    const opening = openSqliteStore({ client: new Database(":memory:"), busyTimeout: Number.NaN });
    await expect(opening).rejects.toMatchObject({ code: "bad-request" });
  });
});

describe("what is erased", () => {
  it("leaves no bytes in the file", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const [removed, replaced] = ["a sworn statement", "a photograph"];
    const document = (key: string, version: number, body: string) => {
      return { collection: "c", key, version, body, entries: { note: [body.slice(0, 40)] } };
    };
    const long = (text: string) => `${text}, `.repeat(2000);
    await store.commit({ put: [document("a", 1, long(removed)), document("b", 1, long(replaced))] });
    await store.commit({ put: [document("b", 2, "nothing")], remove: [{ collection: "c", key: "a" }] });
    await store.close();
    const bytes = await readFile(path);
    expect(bytes.includes("nothing")).toBe(true);
    expect([removed, replaced].map((text) => bytes.includes(text))).toEqual([false, false]);
  });
});

describe("errors of the medium", () => {
  it("says that another process holds the lock", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path, busyTimeout: 1 });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const committing = store.commit({ put: [{ collection: "c", key: "k", version: 1, body: 1 }] });
    await expect(committing).rejects.toMatchObject({ code: "unavailable" });
    await expect(committing).rejects.toThrow("another process");
    other.exec("COMMIT");
    other.close();
    await store.close();
  });

  it("says that there is no room, writes nothing of the commit and goes on", async () => {
    const client = new Database(newFile());
    const store = await openSqliteStore({ client });
    client.pragma(`max_page_count = ${client.pragma("page_count", { simple: true })}`);
    const document = { collection: "c", key: "k", version: 1, body: "x".repeat(100_000), claims: ["one"] };
    await expect(store.commit({ put: [document] })).rejects.toMatchObject({ code: "quota" });
    expect(await store.resolve(["one"])).toEqual([undefined]);
    client.pragma("max_page_count = 100000");
    expect(await store.commit({ put: [document] })).toEqual({ ok: true });
    await store.close();
  });

  it("knows the errors of node:sqlite by their numbers", async () => {
    const failing: SqliteClient = {
      prepare() {
        throw Object.assign(new Error("file is not a database"), { code: "ERR_SQLITE_ERROR", errcode: 26 });
      },
      exec: () => undefined,
      close: () => undefined,
    };
    await expect(openSqliteStore({ client: failing })).rejects.toMatchObject({ code: "corrupt" });
  });
});

describe("cursors", () => {
  it("refuses those of another store and those of a state that was lost", async () => {
    const [one, two] = await Promise.all([newFile(), newFile()].map((path) => openSqliteStore({ path })));
    if (!one || !two) throw new Error("two stores");
    const put = [{ collection: "c", key: "k", version: 1, body: 1, feeds: ["all"] }];
    for (const store of [one, two]) await store.commit({ put });
    const { next } = await one.changes({ feed: "all", limit: 10 });
    await expect(two.changes({ feed: "all", limit: 10, cursor: next })).rejects.toMatchObject({
      code: "bad-cursor",
    });
    const later = next.replace(/\d+$/, "2");
    for (const cursor of [later, `${next}x`, next.replace(/\.\d+$/, ".-1"), "", "1"]) {
      const reading = one.changes({ feed: "all", limit: 10, cursor });
      await expect(reading, cursor).rejects.toMatchObject({ code: "bad-cursor" });
    }
    await Promise.all([one.close(), two.close()]);
  });
});
