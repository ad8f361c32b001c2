import { access, chmod, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseOption, openDatabase, parseDatabase, placeOf } from "./database.ts";
import { CommandRefusal } from "./refusal.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-database-"));
});
afterAll(() => rm(folder, { recursive: true }));

const open = (path: string, makeFolders = false) => openDatabase({ kind: "sqlite", path }, { makeFolders });

describe("openDatabase", () => {
  it("refuses a folder that is not there, makes nothing, and says what to do", async () => {
    const path = join(folder, "mistyped/a.db");
    await expect(open(path)).rejects.toThrow(CommandRefusal);
    await expect(open(path)).rejects.toThrow(
      `There is no folder ${join(folder, "mistyped")} for the database ${path}`,
    );
    await expect(open(path)).rejects.toThrow("add --create");
    await expect(access(join(folder, "mistyped"))).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("makes the folders that are missing where that is asked for", async () => {
    const path = join(folder, "a/b/c.db");
    await (await open(path, true)).close();
    await access(path);
  });

  it.skipIf(process.platform === "win32")(
    "makes a file that only its owner can read, its log too",
    async () => {
      const path = join(folder, "private.db");
      const store = await open(path);
      const modes = ["", "-wal", "-shm"].map(async (end) => (await stat(path + end)).mode & 0o777);
      expect(await Promise.all(modes)).toEqual([0o600, 0o600, 0o600]);
      await store.close();
      await chmod(path, 0o640);
      await (await open(path)).close();
      expect((await stat(path)).mode & 0o777).toBe(0o640);
    },
  );

  it("makes them once for several that start together", async () => {
    const path = join(folder, "d/e/f.db");
    const stores = await Promise.all([open(path, true), open(path, true)]);
    await Promise.all(stores.map((store) => store.close()));
  });

  it.runIf(process.platform === "linux")(
    "refuses a folder that the system does not let be made",
    async () => {
      await expect(open("/proc/fieldroll/x.db", true)).rejects.toThrow(/can't be opened \(ENOENT\)/);
    },
  );

  it.each(["a.db ", "a\u00a0", "a\0.db"])(
    "refuses the file %j, which SQLite would take for another",
    (name) => {
      const parsing = () => parseDatabase(`sqlite:${join(folder, name)}`);
      expect(parsing).toThrow("Name another file");
      expect(parsing).toThrow(CommandRefusal);
    },
  );

  it("takes a name with a line feed in it", () => {
    expect(parseDatabase("sqlite:a\nb.db")).toEqual({ kind: "sqlite", path: "a\nb.db" });
  });

  it("makes no store of an empty file for a command that makes none", async () => {
    const path = join(folder, "empty.db");
    await writeFile(path, "");
    const opening = openDatabase({ kind: "sqlite", path }, { make: false, damaged: true });
    await expect(opening).rejects.toThrow("empty database");
    expect((await stat(path)).size).toBe(0);
  });

  it("refuses a folder that is a file", async () => {
    await writeFile(join(folder, "file"), "");
    await expect(open(join(folder, "file/x.db"))).rejects.toThrow("file/x.db");
  });
});

describe("a password in --database", () => {
  it.each([
    ["before the host", "postgres://office:geheim@db.example/registry"],
    ["among the parameters", "postgres://office@db.example/registry?sslmode=require&password=geheim"],
  ])("%s is in nothing that is printed of it", (_name, text) => {
    const database = parseDatabase(text);
    expect(placeOf(database)).toContain("db.example/registry");
    expect(placeOf(database) + databaseOption(database)).not.toContain("geheim");
  });

  it("is not repeated where the address is refused", () => {
    const texts = ["postgress://office:geheim@db.example/registry", "mysql://db.example/x?password=geheim"];
    for (const text of texts) {
      expect(() => parseDatabase(text)).toThrow(/write sqlite:<path>/);
      expect(() => parseDatabase(text)).not.toThrow(/geheim/);
    }
  });
});
