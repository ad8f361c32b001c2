import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-close-"));
});
afterAll(() => rm(folder, { recursive: true }));

const person = (key: string) => ({ collection: "people", key, version: 1, body: key });
const named = { collection: "people", where: [{ index: "name", contains: "reyes" }] };

const calls: readonly (readonly [string, (store: Store) => Promise<unknown> | undefined])[] = [
  ["get", (store) => store.get([person("k1")])],
  ["resolve", (store) => store.resolve(["claim 1"])],
  ["find", (store) => store.find?.("claim 1")],
  ["query", (store) => store.query({ ...named, limit: 5 })],
  ["count", (store) => store.count?.(named)],
  ["changes", (store) => store.changes({ feed: "all", limit: 5 })],
  ["commit", (store) => store.commit({ put: [person("z")] })],
  ["verify", (store) => store.verify?.(() => undefined)],
  ["rebuild", (store) => store.rebuild?.(() => undefined)],
  ["renew", (store) => store.renew?.()],
];

async function filled(): Promise<Store> {
  const store = await openSqliteStore({ path: newFile() });
  const put = Array.from({ length: 300 }, (_, nth) => ({
    ...{ ...person(`k${nth}`), claims: [`claim ${nth}`], feeds: ["all"] },
    entries: { name: [`reyes ${nth}`] },
  }));
  await store.commit({ put });
  return store;
}

describe("closing", () => {
  it.each(calls)("waits for %s that has begun, and refuses what comes after", async (_, call) => {
    const store = await filled();
    let ended = false;
    const running = call(store)?.finally(() => {
      ended = true;
    });
    const closing = [store.close(), store.close()];
    await expect(call(store)).rejects.toMatchObject({ name: "StoreError", code: "closed" });
    await closing[1];
    expect(ended).toBe(true);
    await running;
    await closing[0];
    await expect(call(store)).rejects.toMatchObject({ code: "closed" });
  });

  it("waits for a commit that waits for another process's lock", async () => {
    const path = newFile();
    const store = await openSqliteStore({ path });
    const other = new Database(path);
    other.exec("BEGIN IMMEDIATE");
    const made = store.commit({ put: [person("a")] });
    const closing = store.close();
    // It has met the lock by then: commits are tried at the end of a turn.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
    other.exec("COMMIT");
    expect(await made).toEqual({ ok: true });
    await closing;
    expect(other.prepare("SELECT key FROM documents").pluck().all()).toEqual(["a"]);
    other.close();
  });
});
