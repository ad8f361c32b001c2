import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Condition, Store } from "@fieldroll/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

/** So many of one index that what meets a condition is not gathered, but met along the order. */
const many = 5000;

describe("500 conditions on the index that sorts", () => {
  const folder = mkdtempSync(join(tmpdir(), "fieldroll-conditions-"));
  let store: Store;

  beforeAll(async () => {
    store = await openSqliteStore({ path: join(folder, "a.db") });
    const keys = Array.from({ length: many }, (_, nth) => `k${nth}`);
    await store.commit({
      put: keys.map((key) => ({ collection: "p", key, version: 1, body: 1, entries: { x: [`v${key}`] } })),
    });
  });
  afterAll(async () => {
    await store.close();
    rmSync(folder, { recursive: true });
  });

  it.each<[string, (nth: number) => Condition]>([
    ["prefixes", () => ({ index: "x", prefix: "v" })],
    ["ranges", (nth) => ({ index: "x", from: "a", below: `z${nth}` })],
  ])("are answered: %s", async (_, condition) => {
    const where = Array.from({ length: 500 }, (_, nth) => condition(nth));
    const { documents } = await store.query({ collection: "p", where, sort: { index: "x" }, limit: 2 });
    expect(documents.map(({ key }) => key)).toEqual(["k0", "k1"]);
  });
});
