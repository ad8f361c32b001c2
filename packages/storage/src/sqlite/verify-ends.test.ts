import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store, StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Connection } from "./client.ts";
import { openSqliteStore } from "./index.ts";
import { movePending } from "./pending-feeds.ts";
import { isBeyond } from "./scan.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-ends-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Of more documents than one slice has. */
async function made(name: string): Promise<string> {
  const path = join(folder, `${name}.db`);
  const store = await openSqliteStore({ path, substringIndexes: ["name"] });
  const put = Array.from({ length: 1000 }, (_, nth) => ({
    ...{ collection: "people", key: `k${nth}`, version: 1, body: "x".repeat(200), claims: [`claim ${nth}`] },
    ...{ entries: { name: [`reyes ${nth}`] }, feeds: ["all"] },
  }));
  await store.commit({ put });
  await store.commit({ put: put.slice(0, 2).map((document) => ({ ...document, version: 2, feeds: [] })) });
  await store.close();
  return path;
}

/** A verification that does not end tells the same faults for ever. */
async function faultsOf(store: Store): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => {
    faults.push(fault);
    if (faults.length > 20_000) throw new Error("it does not end");
  });
  return faults;
}

const openDamaged = (path: string) =>
  openSqliteStore({ path, substringIndexes: ["name"], afterCrash: "open" });

/** Fills with zeros the sector that holds the last row on the last page of a table. */
async function loseSector(path: string, table: string): Promise<void> {
  const file = new Database(path);
  const sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path DESC LIMIT 1";
  const page = (Number(file.prepare(sql).pluck().get(table)) - 1) * 4096;
  file.close();
  const bytes = await readFile(path);
  const rows = bytes.readUInt16BE(page + 3);
  const last = page + bytes.readUInt16BE(page + 8 + 2 * (rows - 1));
  const sector = last - (last % 512);
  await writeFile(path, bytes.fill(0, sector, sector + 512));
}

describe("verify ends", () => {
  it.each(["documents", "substrings_1"])("where a sector of the table %s was lost", async (table) => {
    const path = await made(`sector-${table}`);
    await loseSector(path, table);
    const store = await openDamaged(path);
    expect(await faultsOf(store)).toContainEqual({
      about: "medium",
      message: `table ${table}: its rows do not stand in their order, so that what comes after them was not looked at`,
    });
    // Whether it can be mended or not, that ends as well.
    await store
      .rebuild?.(() => undefined)
      .catch((error: unknown) => expect(error).toMatchObject({ code: "corrupt" }));
    await store.close();
  });

  it.each([
    ["entries", "idx", "SET idx = CAST('abc' AS BLOB) WHERE key = 'k4'"],
    ["entries", "value", "SET value = CAST(value AS BLOB) WHERE key = 'k4'"],
    ["feeds", "position", "SET position = CAST(position AS BLOB) WHERE position = 20"],
    ["feeds", "told", "SET told = 'x' WHERE position = 20"],
    ["pending_feeds", "position", "SET position = CAST(position AS BLOB) WHERE position = 20"],
    ["pending_feeds", "was", "SET was = 'x' WHERE position = 20"],
    ["claims", "claim", "SET claim = CAST(claim AS BLOB) WHERE key = 'k4'"],
    ["departures", "collection", "SET collection = CAST(collection AS BLOB) WHERE key = 'k1'"],
    ["substrings_1", "key", "SET key = CAST(key AS BLOB) WHERE key = 'k4'"],
  ])("and tells a value of another type: table %s, column %s", async (table, column, change) => {
    const path = await made(`type-${table}-${column}`);
    const file = new Database(path);
    if (table === "feeds") movePending(new Connection(file));
    file.exec(`UPDATE ${table} ${change}`).close();
    const store = await openDamaged(path);
    expect(await faultsOf(store)).toContainEqual({
      about: "medium",
      message: `table ${table}: a value in the column ${column} is not of the column's type`,
    });
    await store.rebuild?.(() => undefined);
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });

  it.each(["collection", "key", "claims", "indexed", "feeds", "body"])(
    "and tells a document whose column %s holds bytes, which a rebuilding leaves aside",
    async (column) => {
      const path = await made(`bytes-${column}`);
      new Database(path)
        .exec(`UPDATE documents SET ${column} = CAST(${column} AS BLOB) WHERE key = 'k4'`)
        .close();
      const store = await openDamaged(path);
      const told = {
        about: "document",
        at: { collection: "people", key: "k4" },
        message: `the row is no readable document: the column ${column} is no text`,
      };
      expect(await faultsOf(store)).toContainEqual(told);
      const left: StoreFault[] = [];
      await store.rebuild?.((fault) => left.push(fault));
      expect(left).toEqual([told]);
      expect(await faultsOf(store)).toEqual([told]);
      const read = store
        .query({ collection: "people", limit: 1000 })
        .then(({ documents }) => documents.map(({ entries }) => entries));
      // In its collection it is no more.
      if (column === "collection") expect(await read).toHaveLength(999);
      else await expect(read).rejects.toMatchObject({ code: "corrupt" });
      await store.close();
    },
  );
});

describe("a place", () => {
  const connection = new Connection(new Database(":memory:"));
  const numbered = [Number.NEGATIVE_INFINITY, ""];

  it.each([
    [["1", "a"], numbered, true],
    [["10", "a"], ["9", "a"], true],
    [["9223372036854775004", ""], ["9223372036854775003", ""], true],
    [["9223372036854775003", ""], ["9223372036854775003", ""], false],
    [["1", "b"], ["1", "a"], true],
    [["1", "a"], ["1", "b"], false],
    [["0", "a"], ["1", "a"], false],
    [["abc", "a"], ["abc", "a"], false],
    [["1", "\u{10000}"], ["1", "\uffff"], true],
  ])("%j after %j: %s", (place, former, beyond) => {
    expect(isBeyond(connection, numbered, [place, former])).toBe(beyond);
  });
});
