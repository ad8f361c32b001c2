import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backupSqliteStore, loadSqliteStore, openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-private-"));
});
afterAll(() => rm(folder, { recursive: true }));

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
const document = { collection: "c", key: "k", version: 1, body: "x" };

/** The modes of all files whose names begin with that of a database. */
async function modesOf(path: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => join(folder, name).startsWith(path));
  const ends = names.sort().map(async (name) => {
    const whole = join(folder, name);
    return [whole.slice(path.length), await modeOf(whole)] as const;
  });
  return Object.fromEntries(await Promise.all(ends));
}

// Windows has no such modes.
describe.skipIf(process.platform === "win32")("only their owner may read", () => {
  it("a new store's file, and what SQLite keeps beside it", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    await store.commit({ put: [document] });
    expect(await modesOf(path)).toEqual({ "": "600", "-wal": "600", "-shm": "600" });
    await store.close();
    expect(await modesOf(path)).toEqual({ "": "600" });
  });

  // The system keeps nothing from root.
  it.skipIf(process.getuid?.() === 0)(
    "a file of another user, which is said where it can't be opened",
    async () => {
      const path = newFile();
      await (await openSqliteStore({ path })).close();
      await chmod(path, 0);
      await expect(openSqliteStore({ path })).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          /whoever runs this may not read and write this file\. Run this as the user/,
        ),
      });
    },
  );

  it("a new store's file that links lead to, and what is kept beside it", async () => {
    const name = `linked-${++files}`;
    const [path, real] = [join(folder, `${name}.db`), join(folder, name)];
    await mkdir(join(real, "data"), { recursive: true });
    await symlink(real, `${real}-folder`);
    await symlink(join(`${name}-folder`, "link.db"), path);
    // From the folder that is linked to, not from that of the link to it.
    await symlink(`../${name}/data/real.db`, join(real, "link.db"));
    const before = process.umask(0o022);
    const store = await openSqliteStore({ path }).finally(() => process.umask(before));
    await store.commit({ put: [document] });
    const names = await readdir(join(real, "data"));
    expect(names.sort()).toEqual(["real.db", "real.db-shm", "real.db-wal"]);
    for (const one of names) expect(await modeOf(join(real, "data", one))).toBe("600");
    await store.close();
  });

  it("nothing, where links lead in a circle: that is told", async () => {
    const [one, other] = [newFile(), newFile()];
    await symlink(one, other);
    await symlink(other, one);
    await expect(openSqliteStore({ path: one })).rejects.toMatchObject({ code: "unavailable" });
  });

  it("a backup, all the time it is being made, though the original is open to others", async () => {
    const [path, to] = [newFile(), newFile()];
    const store = await openSqliteStore({ path });
    await chmod(path, 0o644);
    await store.commit({ put: [document] });
    let meanwhile: Record<string, string> = {};
    const prepare = async () => {
      meanwhile = await modesOf(to);
    };
    await backupSqliteStore({ path, to, prepare });
    await store.close();
    expect(meanwhile).toMatchObject({ ".partial": "600", ".partial-wal": "600", ".partial-lock": "600" });
    expect(new Set(Object.values(meanwhile))).toEqual(new Set(["600"]));
    expect(await modesOf(to)).toEqual({ "": "600" });
    expect(await modeOf(path)).toBe("644");
  });

  it("a store that was loaded, all the time it is being filled", async () => {
    const path = newFile();
    let meanwhile: Record<string, string> = {};
    async function* documents() {
      meanwhile = await modesOf(path);
      yield [document];
    }
    expect(await loadSqliteStore({ path, documents: documents() })).toMatchObject({ ok: true });
    expect(meanwhile).toMatchObject({ ".partial": "600", ".partial-lock": "600" });
    expect(new Set(Object.values(meanwhile))).toEqual(new Set(["600"]));
    expect(await modesOf(path)).toEqual({ "": "600" });
  });
});

describe("opening", () => {
  it.skipIf(process.platform === "win32")("leaves the mode of a file that is there as it is", async () => {
    const path = newFile();
    await (await openSqliteStore({ path })).close();
    await chmod(path, 0o640);
    const store = await openSqliteStore({ path });
    expect(new Set(Object.values(await modesOf(path)))).toEqual(new Set(["640"]));
    await store.close();
  });

  it.each([":memory:", "", "file:somewhere.db"])("makes no file for %j, which names none", async (path) => {
    const before = await readdir(".");
    const store = await openSqliteStore({ path, open: () => new Database(":memory:") });
    await store.close();
    expect(await readdir(".")).toEqual(before);
  });
});
