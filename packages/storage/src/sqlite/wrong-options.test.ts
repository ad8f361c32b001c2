import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { backupSqliteStore, loadSqliteStore, openSqliteStore } from "./index.ts";

const path = ":memory:";
const noPath = 'path must be the path of a file, such as "registry.db", unless the option client is given.';
const noClient = "client must be an open database of better-sqlite3 or node:sqlite.";

describe("openSqliteStore", () => {
  it.each<[string, unknown, string]>([
    ["nothing", undefined, noPath],
    ["null", null, noPath],
    ["no options", {}, noPath],
    ["a bare path", "registry.db", noPath],
    ["a path that is no text", { path: 5 }, noPath],
    ["no client", { client: undefined }, noClient],
    ["a client that is none", { client: {} }, noClient],
    ["a path as the client", { client: "registry.db" }, noClient],
    [
      "an open that is no function",
      { path, open: Database.name },
      "open must be a function that opens the file of a path, such as (path) => new Database(path).",
    ],
    ["another durability", { path, durability: "strict" }, 'durability must be "full" or "normal".'],
    ["another afterCrash", { path, afterCrash: "repair" }, 'afterCrash must be "check" or "open".'],
    ["a create that is a text", { path, create: "no" }, "create must be true or false."],
    [
      "one index without a list",
      { path, substringIndexes: "name" },
      'substringIndexes must be a list of the names of indexes, such as ["name"].',
    ],
  ])("refuses %s with what it must be", async (_, options, sentence) => {
    const opening = openSqliteStore(options as { path: string });
    await expect(opening).rejects.toMatchObject({
      code: "bad-request",
      message: `openSqliteStore: ${sentence}`,
    });
  });

  it("says that an empty path is none", async () => {
    await expect(openSqliteStore({ path: "" })).rejects.toMatchObject({
      code: "bad-request",
      message:
        'A database\'s path is empty. Name a file, such as registry.db, or for one in memory, ":memory:".',
    });
  });

  it("says that a folder is no file", async () => {
    const folder = tmpdir();
    await expect(openSqliteStore({ path: folder })).rejects.toMatchObject({
      code: "unavailable",
      message: `${folder}: this is a folder. Name a file in it, such as ${folder}/registry.db.`,
    });
  });

  it("says that what the option open gave is no client", async () => {
    const opening = openSqliteStore({ path, open: () => ({}) as Database.Database });
    await expect(opening).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringContaining("the option open gave no SQLite client"),
    });
  });
});

describe("backups and loads", () => {
  const to = join(tmpdir(), "fieldroll-never-made.db");
  it.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "a backup of nothing",
      () => backupSqliteStore(undefined as never),
      /^backupSqliteStore: path must be .*; to must be/,
    ],
    [
      "a backup to nowhere",
      () => backupSqliteStore({ path } as never),
      /^backupSqliteStore: to must be the path of a file/,
    ],
    [
      "a load of nothing",
      () => loadSqliteStore({} as never),
      /^loadSqliteStore: path must be .*; documents must be an iterable/,
    ],
    [
      "a load without documents",
      () => loadSqliteStore({ path: to } as never),
      /^loadSqliteStore: documents must be an iterable/,
    ],
  ])("refuse %s", async (_, call, sentence) => {
    await expect(call()).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringMatching(sentence),
    });
  });
});
