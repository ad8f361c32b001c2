import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";
import { compareTrigrams } from "./test-support/trigrams.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-crash-"));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * Puts a person and the tally of all persons in each commit, and prints the tally once the commit has resolved, until it is
 * killed; under several names at once, whose commits share their transactions.
 */
const writer = `
import { writeSync } from "node:fs";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
const [path, durability, ...writers] = process.argv.slice(1);
const store = await openSqliteStore({ path });
async function write(writer) {
  const tallyKey = { collection: "tallies", key: writer };
  for (;;) {
    const [tally] = await store.get([tallyKey]);
    const n = (tally?.version ?? 0) + 1;
    const result = await store.commit({
      durability,
      expect: [tally ? { kind: "version", ...tallyKey, version: n - 1 } : { kind: "absent", ...tallyKey }],
      put: [
        { ...tallyKey, version: n, body: n, entries: { name: ["tally of " + n] } },
        {
          collection: "people", key: writer + n, version: 1, body: "x".repeat(1500), claims: ["id " + writer + n],
          entries: { writer: [writer], name: ["person " + n] }, feeds: ["all", writer],
        },
      ],
    });
    if (!result.ok) throw new Error(JSON.stringify(result));
    writeSync(1, writer + " " + n + "\\n");
  }
}
await Promise.all(writers.map(write));
`;

interface Writing {
  readonly path: string;
  readonly durability: "strict" | "relaxed";
  readonly names: readonly string[];
}

/** Starts a writer, kills it once it has acknowledged so many commits, and gives the last one acknowledged of each name. */
async function writeUntilKilled(
  { path, durability, names }: Writing,
  enough: number,
): Promise<ReadonlyMap<string, number>> {
  const node = ["--import", "tsx", "--conditions=@fieldroll/source", "--input-type=module", "-e", writer];
  const child = spawn(process.execPath, [...node, path, durability, ...names], {
    cwd: fileURLToPath(new URL(".", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const last = new Map<string, number>();
  let acknowledged = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    const [name = "", tally] = line.split(" ");
    last.set(name, Number(tally));
    acknowledged += 1;
    // Killed while it goes on writing; what it acknowledges until the signal arrives counts as well.
    if (acknowledged === enough) child.kill("SIGKILL");
  }
  return last;
}

/** The file is sound, and its trigrams are those of the texts: FTS5 compares them itself. */
function isSound(path: string): void {
  const client = new Database(path);
  expect(client.pragma("integrity_check", { simple: true })).toBe("ok");
  const numbers = client.prepare("SELECT number FROM substring_indexes").pluck().all() as number[];
  expect(numbers).toEqual([1, 2]);
  for (const number of numbers) compareTrigrams(client, number);
  const named = client.prepare("SELECT count(*) FROM documents WHERE indexed LIKE '%name%'").pluck().get();
  expect(client.prepare("SELECT count(*) FROM substrings_1").pluck().get()).toBe(named);
  client.close();
}

async function tallyOf(store: Store, name: string): Promise<number> {
  const [tally] = await store.get([{ collection: "tallies", key: name }]);
  return tally?.version ?? 0;
}

/** All that belongs to a commit is there for each one up to the tally, and nothing beyond it. */
async function isWhole(store: Store, name: string): Promise<void> {
  const tally = await tallyOf(store, name);
  const keys = Array.from({ length: tally }, (_, i) => ({ collection: "people", key: `${name}${i + 1}` }));
  expect((await store.get(keys)).every((document) => document?.body === "x".repeat(1500))).toBe(true);
  expect(await store.resolve(keys.map(({ key }) => `id ${key}`))).toEqual(keys);
  const where = [{ index: "writer", anyOf: [name] }];
  const found = await store.query({ collection: "people", where, limit: tally + 1 });
  expect(found.documents).toHaveLength(tally);
  const { changes } = await store.changes({ feed: name, limit: tally + 1 });
  expect(changes.map((change) => change.kind === "put" && change.document.key)).toEqual(
    keys.map(({ key }) => key),
  );
}

describe("a writer killed in the middle", () => {
  it.each([
    ["strict", [1, 120]],
    ["relaxed", [60]],
  ] as const)("loses nothing it has acknowledged, %s", { timeout: 60_000 }, async (durability, kills) => {
    const path = join(folder, `${durability}.db`);
    for (const enough of kills) {
      const acknowledged = (await writeUntilKilled({ path, durability, names: ["w"] }, enough)).get("w") ?? 0;
      expect(acknowledged).toBeGreaterThanOrEqual(enough);
      const store = await openSqliteStore({ path });
      // One more may have been committed whose acknowledgement was cut off.
      expect([acknowledged, acknowledged + 1]).toContain(await tallyOf(store, "w"));
      await isWhole(store, "w");
      await store.close();
      isSound(path);
    }
  });

  it("loses nothing it has acknowledged of commits that shared a transaction", {
    timeout: 60_000,
  }, async () => {
    const path = join(folder, "together.db");
    const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
    for (const enough of [20, 301]) {
      const last = await writeUntilKilled({ path, durability: "strict", names }, enough);
      const store = await openSqliteStore({ path });
      for (const name of names) {
        const acknowledged = last.get(name) ?? (await tallyOf(store, name));
        expect([acknowledged, acknowledged + 1]).toContain(await tallyOf(store, name));
        await isWhole(store, name);
      }
      await store.close();
      isSound(path);
    }
  });

  it("does not hinder others that write to the file, nor lose what they wrote", {
    timeout: 60_000,
  }, async () => {
    const path = join(folder, "shared.db");
    // Made by all three at the same time.
    const names = ["a", "b", "c"];
    const last = await Promise.all(
      names.map((name, i) => writeUntilKilled({ path, durability: "strict", names: [name] }, 40 + i * 40)),
    );
    const store = await openSqliteStore({ path });
    for (const [i, name] of names.entries()) {
      const acknowledged = last[i]?.get(name) ?? 0;
      expect([acknowledged, acknowledged + 1]).toContain(await tallyOf(store, name));
      await isWhole(store, name);
    }
    const { changes } = await store.changes({ feed: "all", limit: 10_000 });
    expect(changes).toHaveLength(
      (await Promise.all(names.map((name) => tallyOf(store, name)))).reduce((a, b) => a + b),
    );
    await store.close();
    isSound(path);
  });

  it("hides nothing from a reader that follows the feed meanwhile", { timeout: 60_000 }, async () => {
    const path = join(folder, "followed.db");
    const store = await openSqliteStore({ path });
    let running = true;
    const writing = Promise.all(
      ["a", "b"].map((name) => writeUntilKilled({ path, durability: "relaxed", names: [name] }, 150)),
    );
    const ended = writing.finally(() => {
      running = false;
    });
    const told = await follow(store, () => running);
    await ended;
    for (const name of ["a", "b"]) {
      const own = Array.from({ length: await tallyOf(store, name) }, (_, i) => `${name}${i + 1}`);
      expect(told.filter((key) => key.startsWith(name))).toEqual(own);
    }
    await store.close();
  });
});

/** Reads a feed page by page for as long as it is told to, and then to its end. */
async function follow(store: Store, isRunning: () => boolean): Promise<string[]> {
  const told: string[] = [];
  let cursor: string | undefined;
  for (let more = true; more; ) {
    // Asked before the page is read, so that a last page comes after the end of what it follows.
    const running = isRunning();
    const page = await store.changes({ feed: "all", limit: 7, ...(cursor !== undefined && { cursor }) });
    told.push(...page.changes.flatMap((change) => (change.kind === "put" ? [change.document.key] : [])));
    cursor = page.next;
    more = page.more || running;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return told;
}
