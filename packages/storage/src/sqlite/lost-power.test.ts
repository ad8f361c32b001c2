import { copyFileSync, statSync, truncateSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openSqliteStore } from "./open.ts";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-power-"));
});

afterEach(() => rm(folder, { recursive: true }));

const named = (key: string) => ({ collection: "p", key, version: 1, body: 1, feeds: ["all"] });

it.each([
  { lost: "the last commit", told: ["a"] },
  { lost: "all since it was opened", told: [] },
])(
  "a reader that was told of what a loss of power took is told of all that comes after: $lost",
  async ({ told }) => {
    const [path, left] = [join(folder, "a.db"), join(folder, "left.db")];
    // Twice, so that one leap follows another.
    await (await openSqliteStore({ path, durability: "normal" })).close();
    const store = await openSqliteStore({ path, durability: "normal" });
    for (const key of told) await store.commit({ put: [named(key)] });
    const onTheDisk = statSync(`${path}-wal`).size;
    await store.commit({ put: [named("b"), named("c")] });
    const { next } = await store.changes({ feed: "all", limit: 10 });
    copyFileSync(path, left);
    copyFileSync(`${path}-wal`, `${left}-wal`);
    truncateSync(`${left}-wal`, onTheDisk);
    await store.close();
    const again = await openSqliteStore({ path: left, durability: "normal" });
    for (const key of ["d", "e"]) await again.commit({ put: [named(key)] });
    const { changes } = await again.changes({ feed: "all", limit: 10, cursor: next });
    expect(changes).toMatchObject(["d", "e"].map((key) => ({ document: { key } })));
    await again.close();
  },
);
