import { copyFileSync, statSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreFault } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore, type SqliteByPath } from "./open.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-power-"));
});

afterEach(() => rm(folder, { recursive: true }));

const named = (key: string) => ({ collection: "p", key, version: 1, body: 1, feeds: ["all"] });

/** What a loss of power leaves of a file that was open at `normal`, and a cursor of somebody who was told of what it took. */
async function leftByLoss(kept = ["a"]): Promise<{ readonly left: string; readonly next: string }> {
  const [path, left] = [join(folder, "a.db"), join(folder, "left.db")];
  const store = await openSqliteStore({ path, durability: "normal" });
  for (const key of kept) await store.commit({ put: [named(key)] });
  const onTheDisk = statSync(`${path}-wal`).size;
  await store.commit({ put: [named("b"), named("c")] });
  const { next } = await store.changes({ feed: "all", limit: 10 });
  copyFileSync(path, left);
  copyFileSync(`${path}-wal`, `${left}-wal`);
  truncateSync(`${left}-wal`, onTheDisk);
  await store.close();
  return { left, next };
}

const openings: readonly Omit<SqliteByPath, "path">[] = [
  { durability: "normal" },
  { durability: "full" },
  { durability: "normal", afterCrash: "open" },
  { durability: "full", afterCrash: "open" },
];

describe.each(openings)(
  "a reader that was told of what a loss of power took, of a file opened next as %o",
  (how) => {
    it("is told of all that comes after", async () => {
      const { left, next } = await leftByLoss();
      const mending = await openSqliteStore({ path: left, ...how });
      for (const key of ["d", "e"]) await mending.commit({ put: [named(key)] });
      const { changes } = await mending.changes({ feed: "all", limit: 10, cursor: next });
      expect(changes).toMatchObject(["d", "e"].map((key) => ({ document: { key } })));
      await mending.close();
    });

    it("is told of all that comes after a relaxed commit, or after whoever opened it between did nothing", async () => {
      const { left, next } = await leftByLoss();
      await (await openSqliteStore({ path: left, ...how })).close();
      const store = await openSqliteStore({ path: left, ...how });
      await store.commit({ put: [{ ...named("d"), feeds: [] }], durability: "relaxed" });
      for (const key of ["d", "e"]) await store.commit({ put: [{ ...named(key), version: 2 }] });
      const { changes } = await store.changes({ feed: "all", limit: 10, cursor: next });
      expect(changes).toMatchObject(["d", "e"].map((key) => ({ document: { key } })));
      await store.close();
    });
  },
);

describe("a relaxed commit", () => {
  /** A store that tells of each commit, right before it is made. */
  const openWatched = (client: Database.Database, tell: () => void) =>
    openSqliteStore({
      client: {
        prepare(sql) {
          const statement = client.prepare(sql);
          if (sql !== "COMMIT") return statement;
          const run = () => {
            tell();
            return statement.run();
          };
          return { run, get: () => undefined, all: () => [] };
        },
        exec: (sql) => client.exec(sql),
        close: () => client.close(),
      },
    });
  const put = (version: number, feeds: readonly string[]) => ({
    put: [{ ...named("a"), version, feeds }],
    durability: "relaxed" as const,
  });

  it.each([
    { what: "is in no feed", before: [], after: [], level: 1 },
    { what: "leaves its feeds", before: ["all"], after: [], level: 2 },
    { what: "comes to a feed", before: [], after: ["all"], level: 2 },
  ])("of a document that $what is at the level $level of synchronous", async ({ before, after, level }) => {
    const client = new Database(join(folder, "a.db"));
    const levels: unknown[] = [];
    const store = await openWatched(client, () =>
      levels.push(client.pragma("synchronous", { simple: true })),
    );
    await store.commit({ put: [{ ...named("a"), feeds: before }] });
    levels.length = 0;
    expect(await store.commit(put(2, after))).toEqual({ ok: true });
    expect(levels).toEqual([level]);
    expect(await store.commit(put(3, after))).toEqual({ ok: true });
    expect(client.pragma("synchronous", { simple: true })).toBe(2);
    expect(await store.get([named("a")])).toMatchObject([{ version: 3 }]);
    await store.close();
  });

  it("leaves the log to be copied by those that flush it, and each so many are waited for", async () => {
    const path = join(folder, "a.db");
    const client = new Database(path);
    const levels: unknown[] = [];
    const store = await openWatched(client, () =>
      levels.push(["synchronous", "wal_autocheckpoint"].map((name) => client.pragma(name, { simple: true }))),
    );
    levels.length = 0;
    const body = "x".repeat(100_000);
    for (let version = 1; version <= 400; version++) {
      await store.commit({ put: [{ ...named("a"), feeds: [], version, body }], durability: "relaxed" });
    }
    const [flushing, leaving] = [
      [2, 4000],
      [1, 0],
    ];
    expect(levels).toEqual(
      Array.from({ length: 400 }, (_, nth) => ((nth + 1) % 129 === 0 ? flushing : leaving)),
    );
    expect(statSync(`${path}-wal`).size).toBeLessThan(32_000_000);
    await store.close();
  });
});

it("the note of it outlives a rebuilding, and a verification finds no fault in it", async () => {
  const { left } = await leftByLoss();
  const store = await openSqliteStore({ path: left });
  await store.rebuild?.(() => undefined);
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => faults.push(fault));
  expect(faults).toEqual([]);
  const before = positionIn(left);
  await store.close();
  const again = await openSqliteStore({ path: left });
  await again.commit({ put: [named("d")] });
  expect(positionIn(left)).toBe(before + 2 ** 20 + 1);
  await again.close();
});

it("a file that was open at full only leaves no position out", async () => {
  const path = join(folder, "a.db");
  for (const [nth, afterCrash] of (["check", "open", "check"] as const).entries()) {
    const store = await openSqliteStore({ path, afterCrash });
    await store.commit({ put: [named(`${nth}`)] });
    expect(positionIn(path)).toBe(nth + 1);
    await store.close();
  }
});

it("no position is left out in a file that later software has upgraded meanwhile", async () => {
  const path = join(folder, "a.db");
  const store = await openSqliteStore({ path, durability: "normal", afterCrash: "open" });
  const file = new Database(path);
  file.pragma("user_version = 1000");
  await expect(store.commit({ put: [named("a")] })).rejects.toMatchObject({ code: "newer-schema" });
  expect(positionIn(path)).toBe(0);
  file.close();
  await store.close();
});

function positionIn(path: string): number {
  const file = new Database(path, { readonly: true });
  const position = file.prepare("SELECT position FROM store").pluck().get() as number;
  file.close();
  return position;
}

it.each([
  { lost: "the last commit", told: ["a"] },
  { lost: "all since it was opened", told: [] },
])(
  "a reader that was told of what a loss of power took is told of all that comes after: $lost",
  async ({ told }) => {
    // Twice, so that one leap follows another.
    await (await openSqliteStore({ path: join(folder, "a.db"), durability: "normal" })).close();
    const { left, next } = await leftByLoss(told);
    const again = await openSqliteStore({ path: left, durability: "normal" });
    for (const key of ["d", "e"]) await again.commit({ put: [named(key)] });
    const { changes } = await again.changes({ feed: "all", limit: 10, cursor: next });
    expect(changes).toMatchObject(["d", "e"].map((key) => ({ document: { key } })));
    await again.close();
  },
);
