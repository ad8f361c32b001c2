import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

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

  it("stays refused when nobody has mended it, though it was closed since", async () => {
    const path = await crashed("DELETE FROM entries");
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await store.verify?.(() => undefined);
    await store.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
  });
});
