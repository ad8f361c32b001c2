import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Store, StoreError, type StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";
import { schemaVersion } from "./schema.ts";
import { toSchema4, toSchema5, toSchema6, toSchema7 } from "./test-support/earlier.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-migrate-damaged-"));
});
afterAll(() => rm(folder, { recursive: true }));

const count = 300;
const pageSize = 4096;

async function earlier(name: string, turnBack: (file: Database.Database) => void): Promise<string> {
  const path = join(folder, `${name}.db`);
  const store = await openSqliteStore({ path });
  const put = Array.from({ length: count }, (_, nth) => ({
    ...{ collection: "people", key: `k${nth}`, version: 1, body: "x".repeat(200), feeds: ["all"] },
    entries: { name: [`reyes ${nth * 7919}`] },
  }));
  await store.commit({ put });
  await store.close();
  const file = new Database(path);
  turnBack(file);
  file.pragma("wal_checkpoint(TRUNCATE)");
  file.close();
  return path;
}

/** Fills the last page with rows that a table has with zeros. */
async function losePage(path: string, table: string): Promise<void> {
  const file = new Database(path);
  const last = "SELECT max(pageno) FROM dbstat WHERE name = ? AND pagetype = 'leaf'";
  const page = Number(file.prepare(last).pluck().get(table));
  file.close();
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0, (page - 1) * pageSize, page * pageSize));
}

async function readOneByOne(store: Store): Promise<number> {
  let found = 0;
  for (let nth = 0; nth < count; nth++) {
    const [document] = await store.get([{ collection: "people", key: `k${nth}` }]).catch((error: unknown) => {
      if (error instanceof StoreError && error.code === "corrupt") return [];
      throw error;
    });
    if (document) found += 1;
  }
  return found;
}

const schemas = [
  [4, toSchema4],
  [5, toSchema5],
  [6, toSchema6],
  [7, toSchema7],
] as const;

describe.each(schemas)("a damaged file of schema %i", (version, turnBack) => {
  it.each(["documents", "substrings_1", "trigrams_1_data"])(
    "is refused as it was where a page of %s is lost, and opened to be looked after where that is asked for",
    async (table) => {
      const path = await earlier(`${version} ${table}`, turnBack);
      await losePage(path, table);
      // As a crash leaves it: what a sound process closed is not examined.
      await writeFile(`${path}-wal`, "");
      const refused = { code: "corrupt", message: expect.stringMatching(/fieldroll verify|backup/) };
      await expect(openSqliteStore({ path })).rejects.toMatchObject(refused);
      const file = new Database(path, { readonly: true });
      expect(file.pragma("user_version", { simple: true })).toBe(version);
      file.close();

      const store = await openSqliteStore({ path, afterCrash: "open" });
      const found = await readOneByOne(store);
      if (table === "documents") expect(found).toBeLessThan(count);
      else expect(found).toBe(count);
      expect(found).toBeGreaterThan(count / 2);
      const faults: StoreFault[] = [];
      await store.verify?.((fault) => faults.push(fault));
      expect(faults.length).toBeGreaterThan(0);
      const stray = "the table trigrams_1 belongs to no index, so it may keep what was erased";
      expect(faults).toContainEqual({ about: "substrings", message: stray });
      await store.close();
      await expect(openSqliteStore({ path })).rejects.toMatchObject({ code: "corrupt" });
      const after = new Database(path, { readonly: true });
      expect(after.pragma("user_version", { simple: true })).toBe(schemaVersion);
      after.close();
    },
  );

  it("is mended by a rebuilding where only the texts are lost", async () => {
    const path = await earlier(`${version} mended`, turnBack);
    const file = new Database(path);
    file.exec("DROP TABLE substrings_1");
    file.close();
    const store = await openSqliteStore({ path, afterCrash: "open" });
    await store.rebuild?.(() => undefined);
    const faults: StoreFault[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
    const where = [{ index: "name", contains: "7919" }];
    const { documents } = await store.query({ collection: "people", where, limit: 9 });
    expect(documents.map(({ key }) => key)).toContain("k1");
    await store.close();
  });
});
