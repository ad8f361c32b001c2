import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commit, CommitResult, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteClient } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-group-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A client that counts what it is asked, and fails where it is told to. */
function watched(path: string) {
  const real = new Database(path);
  const asked: string[] = [];
  const faults = new Map<string, (values: readonly unknown[]) => boolean>();
  const client: SqliteClient = {
    prepare(sql) {
      const statement = real.prepare(sql);
      const noted = (values: readonly unknown[]) => {
        asked.push(sql);
        if (!faults.get(sql.split(" ")[0] ?? "")?.(values)) return;
        throw Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" });
      };
      return {
        run(...values) {
          noted(values);
          return statement.run(...values);
        },
        get(...values) {
          noted(values);
          return statement.get(...values);
        },
        all: (...values) => statement.all(...values),
      };
    },
    exec: (sql) => real.exec(sql),
    close: () => real.close(),
  };
  const count = (sql: string) => asked.filter((each) => each === sql).length;
  return { client, faults, count };
}

function put(key: string, version = 1): Commit {
  const expectation =
    version === 1
      ? ({ kind: "absent", collection: "c", key } as const)
      : ({ kind: "version", collection: "c", key, version: version - 1 } as const);
  const document = { collection: "c", key, version, body: version, feeds: ["all"], claims: [`claim ${key}`] };
  return { expect: [expectation], put: [document] };
}

const versions = async (store: Store, keys: readonly string[]) =>
  (await store.get(keys.map((key) => ({ collection: "c", key })))).map((document) => document?.version);

const outcome = (settled: PromiseSettledResult<CommitResult>) =>
  settled.status === "fulfilled" ? settled.value.ok : (settled.reason as { code: string }).code;

async function together(store: Store, commits: readonly Commit[]) {
  return (await Promise.allSettled(commits.map((commit) => store.commit(commit)))).map(outcome);
}

describe("commits of one turn", () => {
  it("share one transaction, and take their places in the feed in order", async () => {
    const { client, count } = watched(newFile());
    const store = await openSqliteStore({ client });
    const before = count("COMMIT");
    const keys = Array.from({ length: 10 }, (_, i) => `k${i}`);
    expect(
      await together(
        store,
        keys.map((key) => put(key)),
      ),
    ).toEqual(keys.map(() => true));
    // A machine that stops in the middle makes two groups of them.
    expect(count("COMMIT") - before).toBeLessThan(4);
    const { changes } = await store.changes({ feed: "all", limit: 20 });
    expect(changes.map((change) => change.kind === "put" && change.document.key)).toEqual(keys);
    await store.close();
  });

  it("are judged each on what those before it left: one whose expectation fails hinders no other", async () => {
    const store = await openSqliteStore({ path: newFile() });
    const taken = { put: [{ collection: "c", key: "d", version: 1, body: 0, claims: ["claim a"] }] };
    const commits = [put("a"), put("a"), put("b", 7), taken, put("c"), put("a", 2)];
    expect(await together(store, commits)).toEqual([true, false, false, false, true, true]);
    expect(await versions(store, ["a", "b", "c", "d"])).toEqual([2, undefined, 1, undefined]);
    await store.close();
  });

  it("are all refused when the transaction can't be committed, and nothing of them is there", async () => {
    const path = newFile();
    const { client, faults } = watched(path);
    const store = await openSqliteStore({ client });
    faults.set("COMMIT", () => true);
    expect(await together(store, [put("a"), put("b"), put("c")])).toEqual(["quota", "quota", "quota"]);
    faults.clear();
    expect(await versions(store, ["a", "b", "c"])).toEqual([undefined, undefined, undefined]);
    const other = await openSqliteStore({ path });
    expect(await versions(other, ["a", "b", "c"])).toEqual([undefined, undefined, undefined]);
    expect(await together(store, [put("a"), put("b")])).toEqual([true, true]);
    expect(await versions(other, ["a", "b", "c"])).toEqual([1, 1, undefined]);
    await other.close();
    await store.close();
  });

  it("are refused together when another process keeps the file locked", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path, busyTimeout: 5 });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    expect(await together(store, [put("a"), put("b")])).toEqual(["unavailable", "unavailable"]);
    other.exec("ROLLBACK");
    expect(await together(store, [put("a"), put("b")])).toEqual([true, true]);
    other.close();
    await store.close();
  });

  it("suffer nothing from one that can't be written", async () => {
    const { client, faults } = watched(newFile());
    const store = await openSqliteStore({ client });
    faults.set("INSERT", (values) => values.includes("b"));
    expect(await together(store, [put("a"), put("b"), put("c")])).toEqual([true, "quota", true]);
    expect(await versions(store, ["a", "b", "c"])).toEqual([1, undefined, 1]);
    await store.close();
  });

  it.each([2, 3])(
    "wait for a lock that another process takes before one is tried alone: beginning %i",
    async (nth) => {
      const path = newFile();
      const { client, faults } = watched(path);
      const store = await openSqliteStore({ client });
      const other = new Database(path);
      faults.set("INSERT", (values) => values.includes("b"));
      let begun = 0;
      faults.set("BEGIN", () => {
        begun += 1;
        if (begun === nth) {
          other.exec("BEGIN IMMEDIATE");
          setTimeout(() => other.exec("COMMIT"), 30);
        }
        return false;
      });
      expect(await together(store, [put("a"), put("b"), put("c")])).toEqual([true, "quota", true]);
      expect(await versions(store, ["a", "b", "c"])).toEqual([1, undefined, 1]);
      other.close();
      await store.close();
    },
  );

  it("are made before the store closes, and are as they were handed over", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const claims = ["mine"];
    const entries = { name: ["reyes ana"] };
    const feeds = ["all"];
    const made = store.commit({
      put: [{ collection: "c", key: "a", version: 1, body: 1, claims, entries, feeds }],
    });
    claims.push("yours");
    entries.name[0] = "cruz juan";
    feeds.pop();
    await store.close();
    expect(await made).toEqual({ ok: true });
    const again = await openSqliteStore({ path });
    expect(await again.resolve(["mine", "yours"])).toEqual([{ collection: "c", key: "a" }, undefined]);
    const where = [{ index: "name", contains: "reyes" }];
    expect((await again.query({ collection: "c", where, limit: 2 })).documents).toHaveLength(1);
    expect((await again.changes({ feed: "all", limit: 2 })).changes).toHaveLength(1);
    await again.close();
  });

  it("are not kept waiting by one that reads without a pause", async () => {
    const store = await openSqliteStore({ path: newFile() });
    let made = false;
    const commit = store.commit(put("a")).then(() => {
      made = true;
    });
    let reads = 0;
    while (!made && reads < 1_000_000) {
      await store.get([{ collection: "c", key: "a" }]);
      reads += 1;
    }
    expect(made).toBe(true);
    await commit;
    await store.close();
  });
});

it("refuses to write when later software has upgraded the file meanwhile", async () => {
  const path = newFile();
  const store = await openSqliteStore({ path });
  await store.commit(put("a"));
  const later = new Database(path);
  later.pragma("user_version = 1000");
  expect(await together(store, [put("b"), put("c")])).toEqual(["newer-schema", "newer-schema"]);
  expect(later.prepare("SELECT count(*) FROM documents").pluck().get()).toBe(1);
  later.close();
  await store.close();
});
