import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backupSqliteStore } from "./backup.ts";
import { openSqliteStore } from "./open.ts";

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-moved-"));
  path = join(folder, "a.db");
});

afterEach(() => rm(folder, { recursive: true }));

const version = (key: string) => ({ put: [{ collection: "p", key, version: 1, body: key }] });

const ways = {
  removed: async () => {
    for (const rest of ["", "-wal", "-shm"]) await rm(`${path}${rest}`);
  },
  "moved away": () => rename(path, `${path}.former`),
  "replaced by a backup": async () => {
    const to = join(folder, "copy.db");
    await backupSqliteStore({ path, to });
    await rename(to, path);
  },
};

describe.each(Object.entries(ways))("a file that is %s while it is open", (_, happen) => {
  it("takes no commit, of which nobody would find anything", async () => {
    const store = await openSqliteStore({ path });
    await store.commit(version("ana"));
    await happen();
    const said = { code: "unavailable", message: expect.stringContaining("moved, removed or replaced") };
    await expect(store.commit(version("ben"))).rejects.toMatchObject(said);
    await store.close();
  });
});

it("a file that is named from another folder than the process has gone to since takes commits", async () => {
  const before = process.cwd();
  process.chdir(folder);
  try {
    const store = await openSqliteStore({ path: "a.db" });
    process.chdir(before);
    expect(await store.commit(version("ana"))).toEqual({ ok: true });
    await store.close();
  } finally {
    process.chdir(before);
  }
});
