import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openSqliteStore, type SqliteClient } from "./index.ts";

const reasons = vi.hoisted(() => ({ next: "" }));
vi.mock("better-sqlite3", () => ({
  default: function Database() {
    throw new Error(reasons.next);
  },
}));

let place = "";
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "fieldroll-open-fails-"));
});
afterAll(() => rm(place, { recursive: true }));

describe("openSqliteStore", () => {
  it.each([
    "Could not locate the bindings file. Tried:\n → /x/build/better_sqlite3.node",
    "The module was compiled against a different Node.js version using NODE_MODULE_VERSION 115.",
  ])("says how to build better-sqlite3 where it tells: %s", async (reason) => {
    reasons.next = reason;
    const opening = openSqliteStore({ path: join(place, "unbuilt.db") });
    await expect(opening).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/unbuilt\.db: .*npm rebuild better-sqlite3$/),
    });
  });

  it("names a folder that is not there", async () => {
    reasons.next = "Cannot open database because the directory does not exist";
    const folder = join(place, "no-such-folder");
    await expect(openSqliteStore({ path: join(folder, "a.db") })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining(`there is no folder ${folder}`),
    });
  });

  it.each([
    [{ code: "SQLITE_IOERR_SHMSIZE" }, "quota", "Make room and try again (disk I/O error)"],
    [{ errcode: 10 | (19 << 8) }, "quota", "Make room and try again (disk I/O error)"],
    [{ code: "SQLITE_IOERR_SHMOPEN" }, "unavailable", "See whether it is full or failing, and try again"],
    [{ code: "SQLITE_CANTOPEN" }, "unavailable", "that the disk is not full"],
  ])("says that the disk may be full where SQLite tells %o", async (says, code, advice) => {
    const refuse = () => {
      throw Object.assign(new Error("disk I/O error"), says);
    };
    const client: SqliteClient = { prepare: refuse, exec: refuse, close: () => undefined };
    await expect(openSqliteStore({ client, name: "a.db" })).rejects.toMatchObject({
      ...{ name: "StoreError", code, message: expect.stringContaining(advice) },
      cause: says,
    });
  });
});
