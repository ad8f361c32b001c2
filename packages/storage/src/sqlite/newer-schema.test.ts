import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSqliteStore } from "./open.ts";
import { schemaVersion } from "./schema.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-newer-"));
  path = join(folder, "a.db");
});
afterEach(() => rm(folder, { recursive: true }));

function contentsOf(file: InstanceType<typeof Database>): unknown {
  const names = file.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck();
  return names.all().map((name) => [name, file.prepare(`SELECT * FROM ${name}`).all()]);
}

const document = { collection: "p", key: "a", version: 1, body: 1, claims: ["c"], feeds: ["all"] };

describe("a store whose file later software has upgraded", () => {
  it.each(["rebuild", "renew", "verify"] as const)("refuses to %s it, and writes nothing", async (call) => {
    const store = await openSqliteStore({ path });
    await store.commit({ put: [document] });
    const later = new Database(path);
    later.exec(`ALTER TABLE claims ADD COLUMN since TEXT; UPDATE claims SET since = 'later';
      PRAGMA user_version = ${schemaVersion + 1}`);
    const before = contentsOf(later);
    await expect(store[call]?.(() => expect.unreachable())).rejects.toMatchObject({ code: "newer-schema" });
    expect(contentsOf(later)).toEqual(before);
    later.close();
    await store.close();
  });

  it("tells of no faults and leaves no mark when that happens during a verification", async () => {
    const store = await openSqliteStore({ path });
    await store.commit({ put: [document, { ...document, key: "b", claims: ["c 2"] }] });
    const later = new Database(path);
    later.exec("DELETE FROM claims WHERE claim = 'c 2'");
    const upgraded = () => later.exec(`PRAGMA user_version = ${schemaVersion + 1}`);
    await expect(store.verify?.(upgraded)).rejects.toMatchObject({ code: "newer-schema" });
    expect(later.prepare("SELECT * FROM damage").all()).toEqual([]);
    later.close();
    await store.close();
  });
});

it("loses no table to a verification when it says that it has an earlier schema than it had", async () => {
  const store = await openSqliteStore({ path });
  await store.commit({ put: [document] });
  const other = new Database(path);
  other.exec("PRAGMA user_version = 5");
  const before = contentsOf(other);
  await expect(store.verify?.(() => expect.unreachable())).rejects.toMatchObject({ code: "corrupt" });
  expect(contentsOf(other)).toEqual(before);
  other.close();
  await store.close();
});
