import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-free-"));
});
afterAll(() => rm(folder, { recursive: true }));

const pageSize = 4096;

function read<T>(path: string, work: (file: InstanceType<typeof Database>) => T): T {
  const file = new Database(path);
  try {
    return work(file);
  } finally {
    file.close();
  }
}

const person = (nth: number) => ({
  ...{ collection: "people", key: `k${nth}`, version: 1, body: "x".repeat(9000), claims: [`claim ${nth}`] },
  ...{ entries: { name: [`reyes ${nth * 7919}`] }, feeds: ["all"] },
});
const people = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, nth) => person(from + nth));

/** A closed file that has free pages, with what is done to its bytes. `pages` are those that bodies are on. */
async function withFree(damage: (bytes: Buffer, pages: readonly number[]) => void): Promise<string> {
  const path = newFile();
  const store = await openSqliteStore({ path });
  await store.commit({ put: people(0, 100) });
  await store.commit({ remove: people(50, 100) });
  await store.close();
  const bodies = "SELECT pageno FROM dbstat WHERE name = 'documents' AND pagetype = 'overflow'";
  const pages = read(path, (file) => file.prepare(bodies).pluck().all() as number[]);
  const bytes = await readFile(path);
  damage(bytes, pages);
  await writeFile(path, bytes);
  return path;
}

/** The list of free pages names some that bodies are on. */
function callFree(bytes: Buffer, pages: readonly number[]): void {
  const list = (bytes.readUInt32BE(32) - 1) * pageSize;
  const count = bytes.readUInt32BE(list + 4);
  expect(Math.min(count, pages.length)).toBeGreaterThan(10);
  for (let nth = 0; nth < count; nth++) {
    bytes.writeUInt32BE(pages[nth % pages.length] ?? 0, list + 8 + 4 * nth);
  }
}

function bodiesIn(path: string): unknown {
  const sql = "SELECT count(*) FROM documents NOT INDEXED WHERE length(json_extract(body, '$')) = 9000";
  return read(path, (file) => file.prepare(sql).pluck().get());
}

/** What a killed process leaves. */
async function crashed(path: string): Promise<string> {
  const left = newFile();
  const file = new Database(path);
  file.pragma("wal_autocheckpoint = 0");
  file.exec("UPDATE store SET position = position + 1");
  await copyFile(path, left);
  await copyFile(`${path}-wal`, `${left}-wal`);
  file.close();
  return left;
}

describe("a file whose free pages are in use", () => {
  it.each([
    [
      ...["damage", "is refused"],
      async (path: string) => {
        for (let time = 0; time < 2; time++) {
          const opening = openSqliteStore({ path });
          await expect(opening).rejects.toMatchObject({ code: "corrupt" });
          await expect(opening).rejects.toThrow("2nd reference to page");
        }
      },
    ],
    [
      ...["unexamined", "is opened unexamined"],
      async (path: string) => (await openSqliteStore({ path, afterCrash: "open" })).close(),
    ],
  ] as const)(
    "is marked by a row of the table %s when it %s, and no other page is written",
    async (mark, _, open) => {
      const damaged = await withFree(callFree);
      const path = await crashed(damaged);
      await open(path);
      const [before, after] = [await readFile(damaged), await readFile(path)];
      expect(after.length).toBe(before.length);
      const own = read(path, (file) => {
        expect(file.prepare(`SELECT count(*) FROM ${mark}`).pluck().get()).toBe(1);
        return file.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(mark);
      });
      const written = Array.from({ length: after.length / pageSize }, (_, nth) => nth + 1).filter((page) => {
        const [start, end] = [(page - 1) * pageSize, page * pageSize];
        return !after.subarray(start, end).equals(before.subarray(start, end));
      });
      // The first page counts changes.
      expect(written.filter((page) => page !== 1)).toEqual([own]);
      // Where the list of free pages begins, and how many they are.
      expect(after.subarray(32, 40)).toEqual(before.subarray(32, 40));
    },
  );
});

describe("a verification", () => {
  it.each<readonly [string, (bytes: Buffer, pages: readonly number[]) => void]>([
    ["pages that are in use are called free", callFree],
    ["no page is said to be free", (bytes) => bytes.writeUInt32BE(0, 36)],
    ["more pages are said to be free than there are", (bytes) => bytes.writeUInt32BE(1_000_000, 36)],
    ["the list of free pages begins in a table", (bytes, [page = 0]) => bytes.writeUInt32BE(page, 32)],
    ["the list of free pages begins beyond the file", (bytes) => bytes.writeUInt32BE(9_999_999, 32)],
  ])(
    "tells where %s, and no server starts on the file, also when it is verified again",
    async (_, damage) => {
      const path = await withFree(damage);
      for (let time = 0; time < 2; time++) {
        const store = await openSqliteStore({ path, afterCrash: "open" });
        const faults: StoreFault[] = [];
        await store.verify?.((fault) => faults.push(fault));
        await store.close();
        expect(new Set(faults.map(({ about }) => about))).toEqual(new Set(["medium"]));
        await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
      }
      expect(bodiesIn(path)).toBe(50);
    },
  );

  it("of a file whose free pages are in use leaves the mark that an opening made", async () => {
    const path = await crashed(await withFree(callFree));
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await store.verify?.(() => undefined);
    await store.close();
    await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
  });

  it("that tells free pages which are in use leads to no rebuilding on them", async () => {
    const path = await withFree(callFree);
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await expect(store.rebuild?.(() => undefined)).rejects.toMatchObject({
      ...{ code: "corrupt", message: expect.stringContaining("Nothing was written") },
    });
    await store.close();
    expect(bodiesIn(path)).toBe(50);
  });
});
