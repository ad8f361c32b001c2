import { access, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connection } from "./client.ts";
import { backupSqliteStore, openSqliteStore, type SqliteClient } from "./index.ts";
import { movePending } from "./pending-feeds.ts";
import { toSchema5 } from "./test-support/earlier.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-sound-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a killed process leaves, with whatever is done to it. */
async function crashed(sql = ""): Promise<string> {
  const [path, left] = [newFile(), newFile()];
  const store = await openSqliteStore({ path });
  const put = Array.from({ length: 20 }, (_, i) => ({
    ...{ collection: "c", key: `k${i}`, version: 1, body: i, claims: [`claim ${i}`], feeds: ["all"] },
    entries: { name: [`reyes ${i}`] },
  }));
  await store.commit({ put });
  const other = new Database(path);
  if (sql.includes("FROM feeds")) movePending(new Connection(other));
  other.exec(sql);
  await copyFile(path, left);
  await copyFile(`${path}-wal`, `${left}-wal`);
  other.close();
  await store.close();
  return left;
}

describe("a file that its last process did not close", () => {
  it("is opened when it is sound", async () => {
    const store = await openSqliteStore({ path: await crashed() });
    expect(await store.resolve(["claim 7"])).toEqual([{ collection: "c", key: "k7" }]);
    await store.close();
  });

  it.each([
    ["a claim is missing", "DELETE FROM claims WHERE claim = 'claim 3'"],
    ["an entry is missing", "DELETE FROM entries WHERE key = 'k3'"],
    ["a place in a feed is missing", "DELETE FROM feeds WHERE position = 4"],
    ["a place that waits is missing", "DELETE FROM pending_feeds WHERE position = 4"],
    ["a document can't be read", "UPDATE documents SET body = '{' WHERE key = 'k3'"],
    [
      "pages are damaged",
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'departures'",
    ],
  ])("is refused when %s, again and again, until it is mended", async (_, sql) => {
    const path = await crashed(sql.startsWith("PRAGMA") ? "" : sql);
    if (sql.startsWith("PRAGMA")) {
      const file = new Database(path);
      file.unsafeMode(true).exec(sql);
      const left = newFile();
      await copyFile(path, left);
      await copyFile(`${path}-wal`, `${left}-wal`);
      await expect(openSqliteStore({ path: left })).rejects.toMatchObject({ code: "corrupt" });
      file.close();
      return;
    }
    for (let time = 0; time < 2; time++) {
      const opening = openSqliteStore({ path });
      await expect(opening).rejects.toMatchObject({ code: "corrupt" });
      await expect(opening).rejects.toThrow("fieldroll verify");
    }
    const store = await openSqliteStore({ path, afterCrash: "open" });
    const faults: string[] = [];
    await store.verify?.(({ message }) => faults.push(message));
    expect(faults.length).toBeGreaterThan(0);
    if (sql.includes("documents")) return store.close();
    await store.rebuild?.(() => undefined);
    await store.verify?.(({ message }) => faults.push(message));
    await store.close();
    await (await openSqliteStore({ path })).close();
  });

  it("is refused before it is upgraded, and left as it was", async () => {
    const path = await crashed();
    const earlier = new Database(path);
    toSchema5(earlier);
    earlier.close();
    const file = new Database(path).unsafeMode(true);
    file.exec("PRAGMA writable_schema = ON");
    file.exec(
      "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'feeds') WHERE name = 'departures'",
    );
    const left = newFile();
    await copyFile(path, left);
    await copyFile(`${path}-wal`, `${left}-wal`);
    file.close();
    for (let time = 0; time < 2; time++) {
      await expect(openSqliteStore({ path: left })).rejects.toMatchObject({ code: "corrupt" });
    }
    const found = new Database(left, { readonly: true });
    expect(found.pragma("user_version", { simple: true })).toBe(5);
    found.close();
  });

  it("stays refused when nobody has mended it, though it was closed since", async () => {
    const path = await crashed("DELETE FROM entries");
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await store.verify?.(() => undefined);
    await store.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
  });

  it.each([
    [
      "opened unexamined",
      async (path: string) => (await openSqliteStore({ path, afterCrash: "open" })).close(),
    ],
    [
      "tried to be backed up",
      async (path: string) => {
        await expect(backupSqliteStore({ path, to: newFile() })).rejects.toMatchObject({ code: "corrupt" });
      },
    ],
    [
      "opened with what it can't have",
      async (path: string) => {
        const open = (file: string) => {
          const client = new Database(file);
          const exec = (sql: string) => {
            if (sql.includes("fts5")) throw new Error("no such module: fts5");
            return client.exec(sql);
          };
          return {
            prepare: (sql: string) => client.prepare(sql),
            exec,
            close: () => client.close(),
          } as SqliteClient;
        };
        const opening = openSqliteStore({ path, open, substringIndexes: ["name", "address", "more"] });
        await expect(opening).rejects.toMatchObject({ code: "unavailable" });
      },
    ],
  ])("is examined by a later opening when it was %s, and its log is gone", async (_, between) => {
    const path = await crashed("DELETE FROM claims WHERE claim = 'claim 3'");
    await between(path);
    await expect(access(`${path}-wal`)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("is opened, and examined no more, once an opening or a verification found it sound", async () => {
    const noted = () => {
      const file = new Database(path);
      const row = file.prepare("SELECT 1 FROM unexamined").get();
      file.close();
      return row;
    };
    let path = "";
    for (const examine of [
      async () => (await openSqliteStore({ path })).close(),
      async () => {
        const store = await openSqliteStore({ path, afterCrash: "open" });
        await store.verify?.(() => undefined);
        await store.close();
      },
    ]) {
      path = await crashed();
      await (await openSqliteStore({ path, afterCrash: "open" })).close();
      expect(noted()).toBeDefined();
      await examine();
      expect(noted()).toBeUndefined();
    }
  });

  it("is backed up when it is sound, and leaves the copy and the original to be opened", async () => {
    const [path, to] = [await crashed(), newFile()];
    expect(await backupSqliteStore({ path, to })).toMatchObject({ documents: 20 });
    for (const file of [path, to]) await (await openSqliteStore({ path: file })).close();
  });
});

describe("a file whose last process closed it", () => {
  it("is refused once a verification has found faults in it, and opened once one has found none", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const document = { collection: "c", key: "k", version: 1, body: 1, claims: ["claim 1"] };
    await store.commit({ put: [document] });
    const other = new Database(path);
    other.exec("DELETE FROM claims");
    other.close();
    await store.verify?.(() => undefined);
    await store.close();
    const refusal = openSqliteStore({ path });
    await expect(refusal).rejects.toMatchObject({
      code: "corrupt",
      message: expect.stringContaining("1 fault"),
    });
    const to = newFile();
    await expect(backupSqliteStore({ path, to })).rejects.toMatchObject({
      ...{ code: "corrupt", message: expect.stringContaining(path) },
    });
    await expect(access(to)).rejects.toMatchObject({ code: "ENOENT" });
    const mending = await openSqliteStore({ path, afterCrash: "open" });
    await mending.rebuild?.(() => undefined);
    await mending.verify?.(() => undefined);
    await mending.close();
    await (await openSqliteStore({ path })).close();
  });
});
