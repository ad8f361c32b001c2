import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupSqliteStore, openSqliteStore, type SqliteClient } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-beside-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** What a killed process leaves: its names are in trigrams already. */
async function crashed(): Promise<string> {
  const [path, left] = [newFile(), newFile()];
  const store = await openSqliteStore({ path });
  const put = Array.from({ length: 40 }, (_, i) => ({
    ...{ collection: "people", key: `k${i}`, version: 1, body: i, entries: { name: [`reyes ${i * 7919}`] } },
  }));
  await store.commit({ put });
  await copyFile(path, left);
  await copyFile(`${path}-wal`, `${left}-wal`);
  await store.close();
  return left;
}

/** A client that has searched. Once told, another process writes all names anew before each of its transactions and checks. */
function disturbed(path: string) {
  const [real, other] = [new Database(path), new Database(path, { timeout: 0 })];
  real.prepare("SELECT 1 FROM codes_1 WHERE codes_1 MATCH 'rey'").all();
  let [writing, writes] = [false, 0];
  const write = other.transaction(() => {
    other.exec(`INSERT INTO codes_1 (codes_1, rowid, codes) SELECT 'delete', place, codes FROM substrings_1;
      INSERT INTO codes_1 (rowid, codes) SELECT place, codes FROM substrings_1;
      INSERT INTO codes_1 (codes_1) VALUES ('optimize')`);
    writes += 1;
  });
  const disturb = (sql: string) => {
    if (!writing || !/^BEGIN|_check/.test(sql)) return;
    try {
      write.immediate();
    } catch {
      // The client has the lock.
    }
  };
  const client: SqliteClient = {
    prepare(sql) {
      const statement = real.prepare(sql);
      const asked = (values: unknown[]) => {
        disturb(sql);
        return values;
      };
      return {
        run: (...values) => statement.run(...asked(values)),
        get: (...values) => statement.get(...asked(values)),
        all: (...values) => statement.all(...asked(values)),
      };
    },
    exec: (sql) => real.exec(sql),
    close: () => [other.close(), real.close()],
  };
  return { client, begin: () => (writing = true), writes: () => writes };
}

describe("a sound file that another process writes", () => {
  it("is no damaged one to a verification", async () => {
    const { client, begin, writes } = disturbed(await crashed());
    const store = await openSqliteStore({ client });
    const where = [{ index: "name", contains: "reyes" }];
    await store.query({ collection: "people", where, limit: 1 });
    begin();
    const faults: unknown[] = [];
    await store.verify?.((fault) => faults.push(fault));
    expect(faults).toEqual([]);
    expect(writes()).toBeGreaterThan(1);
    await store.close();
  });

  it("is no damaged one after a crash", async () => {
    const path = await crashed();
    const opened: ReturnType<typeof disturbed>[] = [];
    const open = (file: string) => {
      if (file !== path) return new Database(file);
      const one = disturbed(file);
      opened.push(one);
      one.begin();
      return one.client;
    };
    expect(await backupSqliteStore({ path, to: newFile(), open })).toMatchObject({ documents: 40 });
    expect(opened[0]?.writes()).toBeGreaterThan(1);
    await (await openSqliteStore({ path })).close();
  });
});
