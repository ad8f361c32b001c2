import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Commit, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteClient } from "./index.ts";
import { isDiskFailure } from "./result-codes.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-disk-"));
  path = join(folder, "a.db");
});

afterEach(() => rm(folder, { recursive: true }));

const document = (key: string) => ({
  ...{ collection: "p", key, version: 1, body: key, claims: [`urn|${key}`], feeds: ["all"] },
  entries: { name: [key] },
});
const put = (...keys: readonly string[]): Commit => ({ put: keys.map(document) });

/** A client whose statements that begin so fail once, after something was done. */
function failing(begins: string, code: string, before: () => void = () => undefined) {
  const real = new Database(path);
  let left = 0;
  let overwrites = true;
  const client: SqliteClient = {
    prepare(sql) {
      const statement = real.prepare(sql);
      if (!sql.startsWith(begins)) return statement;
      const run = (...values: unknown[]) => {
        if (left-- <= 0) return statement.run(...values);
        before();
        throw Object.assign(new Error("disk I/O error"), { code });
      };
      return {
        run,
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      };
    },
    exec(sql) {
      if (overwrites || !sql.includes("user_version = ")) return real.exec(sql);
      throw Object.assign(new Error("disk I/O error"), { code });
    },
    close: () => real.close(),
  };
  const pragmas = () =>
    ["wal_autocheckpoint", "synchronous", "busy_timeout"].map((name) => real.pragma(name, { simple: true }));
  return { client, failOnce: () => (left = 1), failOverwriting: () => (overwrites = false), pragmas };
}

/** What a crash leaves. */
function copied(to: string): string {
  for (const rest of ["", "-wal"]) copyFileSync(`${path}${rest}`, `${to}${rest}`);
  return to;
}

/** Writes to the log what a commit puts there before the disk is asked to keep it: SQLite knows nothing of that when it fails. */
async function logOf(commit: Commit): Promise<() => void> {
  const shadow = copied(join(folder, "shadow.db"));
  const before = statSync(`${path}-wal`).size;
  const store = await openSqliteStore({ path: shadow });
  await store.commit(commit);
  const log = readFileSync(`${shadow}-wal`);
  await store.close();
  expect(log.length).toBeGreaterThan(before);
  return () => writeFileSync(`${path}-wal`, log);
}

const keysIn = async (store: Store) =>
  (await store.query({ collection: "p", limit: 9 })).documents.map(({ key }) => key);

const refused = {
  name: "StoreError",
  code: "unavailable",
  message: expect.stringContaining("open the store anew"),
};

describe.each(["full", "normal"] as const)("a commit that the disk failed to keep, at %s", (durability) => {
  it("is not there for whoever puts the log together after a crash", async () => {
    let leave = () => undefined as void;
    const { client, failOnce } = failing("COMMIT", "SQLITE_IOERR_FSYNC", () => leave());
    const store = await openSqliteStore({ client, durability });
    await store.commit(put("a"));
    leave = await logOf(put("b", "c"));
    failOnce();
    await expect(store.commit(put("b", "c"))).rejects.toMatchObject(refused);
    const left = await openSqliteStore({ path: copied(join(folder, "left.db")) });
    expect(await keysIn(left)).toEqual(["a"]);
    expect(await left.resolve(["urn|b"])).toEqual([undefined]);
    await left.close();
    await store.close();
  });
});

describe("a store whose disk failed during a commit", () => {
  it.each(["SQLITE_IOERR_FSYNC", "SQLITE_IOERR_WRITE", "SQLITE_IOERR"])(
    "refuses everything until it is opened anew: %s",
    async (code) => {
      const { client, failOnce } = failing("COMMIT", code);
      const store = await openSqliteStore({ client, name: path });
      await store.commit(put("a"));
      failOnce();
      const cause = expect.objectContaining({ code });
      const both = await Promise.allSettled([store.commit(put("b")), store.commit(put("c"))]);
      for (const one of both) expect(one).toMatchObject({ reason: { ...refused, cause } });
      const calls = [
        ...[store.get([{ collection: "p", key: "a" }]), store.resolve(["urn|a"]), store.find?.("urn|a")],
        ...[store.query({ collection: "p", limit: 1 }), store.count?.({ collection: "p" })],
        ...[store.changes({ feed: "all", limit: 1 }), store.commit({ put: [], durability: "relaxed" })],
        ...[
          store.commit(put("d")),
          store.verify?.(() => undefined),
          store.rebuild?.(() => undefined),
          store.renew?.(),
        ],
      ];
      for (const call of await Promise.allSettled(calls)) {
        expect(call).toMatchObject({ status: "rejected", reason: { ...refused, cause } });
      }
      await store.close();
      const again = await openSqliteStore({ path });
      expect(await keysIn(again)).toEqual(["a"]);
      await again.commit(put("b"));
      await again.close();
    },
  );

  it("hinders no other that has the file open", async () => {
    const { client, failOnce } = failing("COMMIT", "SQLITE_IOERR_FSYNC");
    const store = await openSqliteStore({ client });
    const other = await openSqliteStore({ path });
    failOnce();
    await expect(store.commit(put("a"))).rejects.toMatchObject(refused);
    expect(await other.commit(put("b"))).toEqual({ ok: true });
    await store.close();
    expect(await keysIn(other)).toEqual(["b"]);
    await other.close();
  });

  it("refuses everything, too, where a large commit was flushed before its end", async () => {
    const { client, failOnce } = failing("INSERT INTO documents", "SQLITE_IOERR_FSYNC");
    const store = await openSqliteStore({ client });
    failOnce();
    await expect(store.commit(put("a"))).rejects.toMatchObject(refused);
    await expect(store.commit(put("a"))).rejects.toMatchObject(refused);
    await store.close();
  });
});

describe.each(["full", "normal"] as const)(
  "a commit whose log has no room for its index, at %s",
  (durability) => {
    const noRoom = { name: "StoreError", code: "quota" };

    it("is refused and gone, and the store goes on", async () => {
      let leave = () => undefined as void;
      const { client, failOnce, pragmas } = failing("COMMIT", "SQLITE_IOERR_SHMSIZE", () => leave());
      const store = await openSqliteStore({ client, durability });
      await store.commit(put("a"));
      const before = pragmas();
      leave = await logOf(put("b", "c"));
      failOnce();
      await expect(store.commit(put("b", "c"))).rejects.toMatchObject(noRoom);
      expect(pragmas()).toEqual(before);
      const left = await openSqliteStore({ path: copied(join(folder, "left.db")) });
      expect(await keysIn(left)).toEqual(["a"]);
      await left.close();
      expect(await keysIn(store)).toEqual(["a"]);
      expect(await store.commit(put("b", "c"))).toEqual({ ok: true });
      await store.close();
      const again = await openSqliteStore({ path });
      expect(await keysIn(again)).toEqual(["a", "b", "c"]);
      await again.close();
    });

    it("takes the store down where it can't be written over", async () => {
      const { client, failOnce, failOverwriting } = failing("COMMIT", "SQLITE_IOERR_SHMSIZE");
      const store = await openSqliteStore({ client, durability });
      failOnce();
      failOverwriting();
      await expect(store.commit(put("a"))).rejects.toMatchObject(refused);
      await expect(store.resolve(["urn|a"])).rejects.toMatchObject(refused);
      await store.close();
    });
  },
);

describe("closing", () => {
  const relaxed = (key: string): Commit => ({
    put: [{ collection: "p", key, version: 1, body: key }],
    durability: "relaxed",
  });

  it.each([
    ["SQLITE_IOERR_FSYNC", "unavailable"],
    ["SQLITE_FULL", "quota"],
  ])("tells that the disk did not keep relaxed commits: %s", async (code, told) => {
    const { client, failOnce } = failing("COMMIT", code);
    const store = await openSqliteStore({ client });
    await store.commit(put("a"));
    await store.commit(relaxed("b"));
    failOnce();
    const both = await Promise.allSettled([store.close(), store.close()]);
    const reason = { name: "StoreError", code: told, message: expect.stringMatching(/last relaxed commits/) };
    expect(both).toMatchObject([{ reason }, { reason }]);
    expect(() => client.exec("SELECT 1")).toThrow(/not open/);
    const again = await openSqliteStore({ path });
    expect(await keysIn(again)).toEqual(["a", "b"]);
    await again.close();
  });

  it("asks the disk for nothing where every commit was waited for", async () => {
    const { client, failOnce } = failing("COMMIT", "SQLITE_IOERR_FSYNC");
    const store = await openSqliteStore({ client });
    await store.commit(relaxed("a"));
    await store.commit(put("b"));
    failOnce();
    await store.close();
  });

  it("tells nobody again that the disk failed", async () => {
    const { client, failOnce } = failing("COMMIT", "SQLITE_IOERR_FSYNC");
    const store = await openSqliteStore({ client });
    await store.commit(relaxed("a"));
    failOnce();
    await expect(store.commit(put("b"))).rejects.toMatchObject(refused);
    await store.close();
  });
});

it("goes on after a page could not be read", async () => {
  const { client, failOnce } = failing("INSERT INTO documents", "SQLITE_IOERR_READ");
  const store = await openSqliteStore({ client });
  failOnce();
  expect(await store.commit(put("a")).catch(({ code }: { code: string }) => code)).toBe("unavailable");
  expect(await store.commit(put("a"))).toEqual({ ok: true });
  await store.close();
});

it.each([
  [{ code: "SQLITE_IOERR_FSYNC" }, false, true],
  [{ errcode: 1034 }, false, true],
  [{ errcode: 10 | (5 << 8) }, false, true],
  [{ errcode: 10 | (2 << 8) }, false, false],
  [{ errcode: 10 | (2 << 8) }, true, true],
  [{ errcode: 13 }, true, false],
  [new Error("SQLITE_IOERR_FSYNC"), true, false],
  [undefined, true, false],
])("of %o, by a commit or not: %s, it is %s that the disk failed", (error, isCommit, is) => {
  expect(isDiskFailure(error, isCommit)).toBe(is);
});
