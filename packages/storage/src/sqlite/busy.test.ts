import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commit } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-busy-"));
});
afterAll(() => rm(folder, { recursive: true }));

const put = (key: string): Commit => ({
  put: [{ collection: "c", key, version: 1, body: 1, feeds: ["all"] }],
});
const key = { collection: "c", key: "old" };

describe("while another process has the write lock", () => {
  it("the process goes on reading, and its commits are made in their order once the lock is free", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path, busyTimeout: 60_000 });
    await store.commit(put("old"));
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const made: string[] = [];
    const commits = ["a", "b", "c"].map(async (name) => {
      expect(await store.commit(put(name))).toEqual({ ok: true });
      made.push(name);
    });
    let longest = 0;
    for (let read = 0; read < 200; read++) {
      const begin = performance.now();
      expect((await store.get([key]))[0]?.version).toBe(1);
      await new Promise((resolve) => setImmediate(resolve));
      longest = Math.max(longest, performance.now() - begin);
    }
    expect(made).toEqual([]);
    // Far less than the time a commit may wait: nobody else waits with it.
    expect(longest).toBeLessThan(5000);
    other.exec("COMMIT");
    commits.push(store.commit(put("d")).then(() => void made.push("d")));
    await Promise.all(commits);
    expect(made).toEqual(["a", "b", "c", "d"]);
    const { changes } = await store.changes({ feed: "all", limit: 9 });
    expect(changes.map((change) => change.kind === "put" && change.document.key)).toEqual([
      ...["old", "a", "b", "c", "d"],
    ]);
    other.close();
    await store.close();
  });

  it("a commit is refused once it has waited for the busy timeout, and nothing of it is made later", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path, busyTimeout: 50 });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    await expect(store.commit(put("a"))).rejects.toMatchObject({ code: "unavailable" });
    other.exec("COMMIT");
    expect(await store.commit(put("b"))).toEqual({ ok: true });
    expect((await store.get([{ collection: "c", key: "a" }]))[0]).toBeUndefined();
    other.close();
    await store.close();
  });

  it("closing waits for the lock, and then refuses what waits", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path, busyTimeout: 50 });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const made = store.commit(put("a"));
    const refused = expect(made).rejects.toMatchObject({ code: "unavailable" });
    await store.close();
    await refused;
    other.close();
  });

  it("a read that meets a lock is tried again", async () => {
    const real = new Database(newFile());
    let locked = 3;
    const store = await openSqliteStore({
      client: {
        prepare(sql) {
          const statement = real.prepare(sql);
          const get = (...values: unknown[]) => {
            if (sql.includes("FROM claims") && locked-- > 0) {
              throw Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY_RECOVERY" });
            }
            return statement.get(...values);
          };
          return { run: (...v) => statement.run(...v), get, all: (...v) => statement.all(...v) };
        },
        exec: (sql) => real.exec(sql),
        close: () => real.close(),
      },
    });
    expect(await store.resolve(["a"])).toEqual([undefined]);
    expect(locked).toBeLessThan(0);
    await store.close();
  });
});
