import { access, copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupSqliteStore, openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-backup-"));
});
afterAll(() => rm(folder, { recursive: true }));

const document = (key: string, body = "x") => ({
  ...{ collection: "c", key, version: 1, body, claims: [`claim ${key}`], feeds: ["all"] },
  entries: { name: [`reyes ${key}`] },
});

async function filled(path: string): Promise<Store> {
  const store = await openSqliteStore({ path });
  await store.commit({ put: Array.from({ length: 50 }, (_, i) => document(`k${i}`)) });
  return store;
}

async function countIn(path: string): Promise<number> {
  const store = await openSqliteStore({ path });
  const { documents } = await store.query({ collection: "c", limit: 100 });
  await store.close();
  return documents.length;
}

describe("a backup", () => {
  it("is the store as it stands, what is still in the log included, and the store goes on", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await filled(path);
    expect(await backupSqliteStore({ path, to })).toMatchObject({ documents: 50 });
    await store.commit({ put: [document("later")] });
    const copy = await openSqliteStore({ path: to });
    const where = [{ index: "name", contains: "reyes" }];
    expect((await copy.query({ collection: "c", where, limit: 100 })).documents).toHaveLength(50);
    expect(await copy.resolve(["claim k7", "claim later"])).toEqual([
      { collection: "c", key: "k7" },
      undefined,
    ]);
    expect((await copy.changes({ feed: "all", limit: 100 })).changes).toHaveLength(50);
    expect(await copy.commit({ put: [document("own")] })).toEqual({ ok: true });
    expect(await store.resolve(["claim own"])).toEqual([undefined]);
    await copy.close();
    await store.close();
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("refuses the original's cursors, and two backups each other's", async () => {
    const path = newFile();
    const store = await filled(path);
    const { next } = await store.changes({ feed: "all", limit: 100 });
    const copies = [newFile(), newFile()];
    for (const to of copies) await backupSqliteStore({ path, to });
    const [one, two] = await Promise.all(copies.map((copy) => openSqliteStore({ path: copy })));
    const refused = { code: "bad-cursor" };
    await expect(one?.changes({ feed: "all", limit: 1, cursor: next })).rejects.toMatchObject(refused);
    const own = await one?.changes({ feed: "all", limit: 1 });
    const cursor = own?.next ?? "";
    await expect(two?.changes({ feed: "all", limit: 1, cursor })).rejects.toMatchObject(refused);
    expect((await store.changes({ feed: "all", limit: 1, cursor: next })).changes).toEqual([]);
    await Promise.all([one?.close(), two?.close(), store.close()]);
  });

  it("that is put in place twice refuses the second time what it gave out the first time", async () => {
    const [path, to, place] = [newFile(), newFile(), newFile()];
    const store = await filled(path);
    const prepare = async (copy: Store) => void (await copy.changes({ feed: "all", limit: 1 }));
    await backupSqliteStore({ path, to, prepare });
    await store.close();
    const restored = async () => {
      for (const end of ["", "-wal", "-shm"]) await rm(`${place}${end}`, { force: true });
      await copyFile(to, place);
      return openSqliteStore({ path: place });
    };
    const first = await restored();
    await first.commit({ put: [document("lost")] });
    const { next } = await first.changes({ feed: "all", limit: 100 });
    await first.close();
    const second = await restored();
    await second.commit({ put: ["never told", "told"].map((key) => document(key)) });
    const read = (cursor?: string) => second.changes({ feed: "all", limit: 100, ...(cursor && { cursor }) });
    await expect(read(next)).rejects.toMatchObject({ code: "bad-cursor" });
    const page = await read();
    expect(page.changes).toHaveLength(52);
    expect((await read(page.next)).changes).toEqual([]);
    expect(await second.verify?.(() => undefined)).toBeDefined();
    await second.close();
  });

  it("holds nothing of what was erased before", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await openSqliteStore({ path });
    const secret = "a sworn statement";
    await store.commit({ put: [document("a", secret.repeat(50))] });
    await store.commit({ remove: [{ collection: "c", key: "a" }] });
    await backupSqliteStore({ path, to });
    expect((await readFile(to)).includes(secret)).toBe(false);
    await store.close();
  });

  it("is made while another connection holds the write lock", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await filled(path);
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE; DELETE FROM documents");
    expect(await backupSqliteStore({ path, to })).toMatchObject({ documents: 50 });
    other.exec("ROLLBACK");
    other.close();
    await store.close();
  });

  it("replaces no file, and none that was begun by an attempt cut off hinders it", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await filled(path);
    await writeFile(`${to}.partial`, "half");
    await backupSqliteStore({ path, to });
    const before = await readFile(to);
    const again = backupSqliteStore({ path, to });
    await expect(again).rejects.toMatchObject({ code: "bad-request" });
    await expect(again).rejects.toThrow(to);
    expect(await readFile(to)).toEqual(before);
    await store.close();
  });

  it("makes no file of a database that is not there, nor of one that is no store", async () => {
    const [missing, empty, foreign, to] = [newFile(), newFile(), newFile(), newFile()];
    new Database(empty).exec("VACUUM").close();
    new Database(foreign).exec("CREATE TABLE notes (text)").close();
    await expect(backupSqliteStore({ path: missing, to })).rejects.toMatchObject({ code: "bad-request" });
    await expect(backupSqliteStore({ path: empty, to })).rejects.toMatchObject({ code: "bad-request" });
    await expect(backupSqliteStore({ path: foreign, to })).rejects.toMatchObject({ code: "corrupt" });
    for (const path of [missing, to]) await expect(access(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("into a folder that is not there names the copy and not the original", async () => {
    const path = newFile();
    await (await filled(path)).close();
    const to = join(folder, "missing/copy.db");
    const error = await backupSqliteStore({ path, to }).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: "bad-request", message: expect.stringContaining(to) });
    expect((error as Error).message).not.toContain(path);
  });

  it("is thrown away when what was copied is damaged", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await openSqliteStore({ path });
    await store.commit({ put: Array.from({ length: 300 }, (_, i) => document(`k${i}`, "x".repeat(500))) });
    await store.close();
    const bytes = await readFile(path);
    await writeFile(path, bytes.fill(0xab, bytes.length / 2));
    await expect(backupSqliteStore({ path, to })).rejects.toMatchObject({ code: "corrupt" });
    await expect(access(to)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(access(`${to}.partial`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is refused beside another one of the same name, which goes on", async () => {
    const [path, to] = [newFile(), newFile()];
    await (await filled(path)).close();
    const refused = { code: "bad-request", message: expect.stringContaining("another backup") };
    const prepare = () => expect(backupSqliteStore({ path, to })).rejects.toMatchObject(refused);
    expect(await backupSqliteStore({ path, to, prepare })).toMatchObject({ documents: 50 });
    expect(await countIn(to)).toBe(50);
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("that is made says so once of two begun at the same moment, and the other is refused", async () => {
    const path = newFile();
    await (await filled(path)).close();
    for (let turns = 0; turns < 20; turns++) {
      const to = newFile();
      const first = backupSqliteStore({ path, to });
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const ends = await Promise.allSettled([first, backupSqliteStore({ path, to })]);
      const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
      expect(refused).toEqual([expect.objectContaining({ name: "StoreError", code: "bad-request" })]);
      expect(await countIn(to)).toBe(50);
    }
  });

  it("counts what it has once it is prepared", async () => {
    const [path, to] = [newFile(), newFile()];
    await (await filled(path)).close();
    const prepare = async (copy: Store) =>
      void (await copy.commit({ remove: [{ collection: "c", key: "k0" }] }));
    expect(await backupSqliteStore({ path, to, prepare })).toMatchObject({ documents: 49 });
    expect(await countIn(to)).toBe(49);
  });

  it("is prepared before it gets its name, and thrown away where that fails", async () => {
    const [path, to] = [newFile(), newFile()];
    await (await filled(path)).close();
    const failing = backupSqliteStore({
      ...{ path, to },
      prepare: async (copy) => {
        await expect(access(to)).rejects.toMatchObject({ code: "ENOENT" });
        await copy.commit({ put: [document("half")] });
        throw new RangeError("not so");
      },
    });
    await expect(failing).rejects.toThrow(RangeError);
    await expect(access(to)).rejects.toMatchObject({ code: "ENOENT" });
    await backupSqliteStore({
      ...{ path, to },
      prepare: async (copy) => {
        await copy.commit({ put: [document("own")] });
      },
    });
    expect(await countIn(to)).toBe(51);
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });

  it("takes nothing from the log that an attempt cut off has left", async () => {
    const [path, to] = [newFile(), newFile()];
    await (await filled(path)).close();
    for (const rest of ["", "-wal", "-shm", "-journal", "-lock"]) await writeFile(`${to}.partial${rest}`, "");
    await writeFile(`${to}.partial-wal`, "what a killed process had written");
    await backupSqliteStore({ path, to });
    expect(await countIn(to)).toBe(50);
    expect((await readdir(folder)).filter((name) => name.includes("partial"))).toEqual([]);
  });
});
