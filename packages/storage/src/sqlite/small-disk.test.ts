import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

const folder = mkdtempSync(join(tmpdir(), "fieldroll-small-"));
const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=40m", "tmpfs", folder]).status === 0;
afterAll(() => {
  if (isMounted) spawnSync("umount", ["--lazy", folder]);
  rmSync(folder, { recursive: true });
});

const frame = 4096 + 24;

/** Pages of the log that the first piece of its index names. */
const indexed = 4062;

const put = (nth: number) => ({
  put: [{ collection: "p", key: `k${nth}`, version: 1, body: "x", feeds: ["all"] }],
});

describe("a disk that is full just as the log's index grows", () => {
  const needs = isMounted ? "" : " (needs leave to mount a file system)";
  it.skipIf(!isMounted)(`refuses one commit, and takes the next once there is room${needs}`, async () => {
    const path = join(folder, "a.db");
    const framesInLog = () => Math.floor(statSync(`${path}-wal`).size / frame);
    const store = await openSqliteStore({ path, substringIndexes: [] });
    // Who reads keeps the log from being begun again.
    const reader = new Database(path);
    reader.exec("BEGIN; SELECT * FROM store");
    let made = 0;
    while (framesInLog() < indexed - 10) await store.commit(put(made++));
    // The index grows by eight pages, where seven are left for it and for what the commit itself has beyond what it names.
    const { bavail, bsize } = statfsSync(folder);
    writeFileSync(join(folder, "ballast"), Buffer.alloc((bavail - (indexed - framesInLog()) - 7) * bsize, 1));
    let refusal: unknown;
    while (refusal === undefined) {
      await store.commit(put(made)).then(
        () => made++,
        (error: unknown) => (refusal = error),
      );
    }
    expect(refusal).toMatchObject({ code: "quota", cause: { code: "SQLITE_IOERR_SHMSIZE" } });
    expect(await store.count?.({ collection: "p" })).toBe(made);
    rmSync(join(folder, "ballast"));
    expect(await store.commit(put(made))).toEqual({ ok: true });
    reader.close();
    await store.close();
    const again = await openSqliteStore({ path });
    expect(await again.verify?.(() => expect.unreachable())).toMatchObject({ documents: made + 1 });
    await again.close();
  });
});
