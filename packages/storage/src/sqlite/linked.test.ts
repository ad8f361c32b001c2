import { copyFileSync, symlinkSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { backupSqliteStore } from "./backup.ts";
import { openSqliteStore } from "./open.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-linked-"));
});

afterEach(() => rm(folder, { recursive: true }));

/** What a crash leaves of a file with its log, in a folder of its own; one claim is missing. */
async function leftDamaged(): Promise<string> {
  const path = join(folder, "a.db");
  await mkdir(join(folder, "data"));
  const left = join(folder, "data", "left.db");
  const store = await openSqliteStore({ path });
  const named = (key: string) => ({ collection: "p", key, version: 1, body: 1, claims: [`urn|${key}`] });
  await store.commit({ put: ["a", "b"].map(named) });
  const file = new Database(path);
  file.exec("DELETE FROM claims WHERE claim = 'urn|b'");
  for (const rest of ["", "-wal"]) copyFileSync(`${path}${rest}`, `${left}${rest}`);
  file.close();
  await store.close();
  return left;
}

function linked(to: string, links: number): string {
  let last = to;
  for (let nth = 1; nth <= links; nth++) {
    const link = join(folder, `link${nth}.db`);
    symlinkSync(last, link);
    last = link;
  }
  return last;
}

describe.each([0, 1, 2])("a damaged file that a crash has left, reached over %i links", (links) => {
  it("is refused", async () => {
    const opening = openSqliteStore({ path: linked(await leftDamaged(), links) });
    await expect(opening).rejects.toMatchObject({ code: "corrupt" });
  });

  it("is not copied", async () => {
    const path = linked(await leftDamaged(), links);
    const copying = backupSqliteStore({ path, to: join(folder, "copy.db") });
    await expect(copying).rejects.toMatchObject({ code: "corrupt" });
  });
});

it("a sound file that was closed opens through a link, and so does one that is not there yet", async () => {
  const path = linked(join(folder, "a.db"), 1);
  await (await openSqliteStore({ path })).close();
  await (await openSqliteStore({ path })).close();
});
