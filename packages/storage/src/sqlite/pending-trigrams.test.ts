import type { Document, Store } from "@fieldroll/core";
import Database from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { trigramsAsked } from "./codes.ts";
import { openSqliteStore } from "./index.ts";

let client: Database.Database;
let store: Store;
beforeEach(async () => {
  client = new Database(":memory:");
  store = await openSqliteStore({ client });
});
afterEach(() => store.close());

const named = (key: string, version: number, name: string): Document => ({
  ...{ collection: "people", key, version, body: version },
  entries: name === "" ? {} : { name: [name] },
});

const waiting = () => client.prepare("SELECT count(*) FROM pending_1").pluck().get();

/** What FTS5 itself finds. */
const written = (term: string) =>
  client.prepare("SELECT count(*) FROM codes_1 WHERE codes_1 MATCH ?").pluck().get(trigramsAsked(term)[0]);

async function found(contains: string): Promise<readonly string[]> {
  const where = [{ index: "name", contains }];
  const pages = [{}, { sort: { index: "name" } }].map((order) =>
    store.query({ collection: "people", where, limit: 100, ...order }),
  );
  const [byKey = [], byName = []] = (await Promise.all(pages)).map(({ documents }) =>
    documents.map(({ key }) => key),
  );
  expect([...byName].sort()).toEqual(byKey);
  return byKey;
}

describe("trigrams", () => {
  it("wait for those of other documents, and are found meanwhile", async () => {
    for (let nth = 1; nth <= 31; nth++) {
      expect(await store.commit({ put: [named(`k${nth}`, 1, `ana ${nth}`)] })).toEqual({ ok: true });
    }
    expect([waiting(), written("ana")]).toEqual([31, 0]);
    expect(await found("ana")).toHaveLength(31);
    await store.commit({ put: [named("k32", 1, "ana 32")] });
    expect([waiting(), written("ana")]).toEqual([0, 32]);
    expect(await found("ana")).toHaveLength(32);
  });

  it("of a document that changes and changes back are found where its text is", async () => {
    await store.commit({ put: Array.from({ length: 40 }, (_, nth) => named(`k${nth}`, 1, "ana reyes")) });
    await store.commit({ put: [named("k7", 2, "bea cruz")] });
    expect([await found("bea"), (await found("ana")).includes("k7"), waiting()]).toEqual([["k7"], false, 1]);
    await store.commit({ put: [named("k7", 3, "ana reyes")] });
    expect([await found("bea"), await found("ana")]).toEqual([[], expect.objectContaining({ length: 40 })]);
    expect(await store.verify?.(() => expect.unreachable())).toMatchObject({ documents: 40 });
  });

  it.each([
    ["removed", async () => store.commit({ remove: [{ collection: "people", key: "a" }] })],
    ["left without a name", async () => store.commit({ put: [named("a", 2, "")] })],
  ])("of a document that is %s are gone at once, and so is its text", async (_, erase) => {
    await store.commit({ put: [named("a", 1, "ana reyes"), named("b", 1, "bea cruz")] });
    await erase();
    expect([waiting(), written("ana"), written("bea")]).toEqual([0, 0, 1]);
    expect([await found("ana"), await found("bea")]).toEqual([[], ["b"]]);
  });

  it("of a long text do not wait, for each search would read it", async () => {
    await store.commit({ put: [named("a", 1, "ana reyes"), named("b", 1, `bea ${"x".repeat(2000)}`)] });
    expect([waiting(), written("ana"), written("bea")]).toEqual([0, 1, 1]);
  });

  it.each([
    ["another document", "z"],
    ["a new document of the same key", "k39"],
  ])("of a row's number that %s gets are the new one's, and the old text is gone", async (_, key) => {
    await store.commit({ put: Array.from({ length: 40 }, (_, nth) => named(`k${nth}`, 1, "ana reyes")) });
    await Promise.all([
      store.commit({ remove: [{ collection: "people", key: "k39" }] }),
      store.commit({ put: [named(key, 1, "bea cruz")] }),
    ]);
    expect([waiting(), await found("bea"), (await found("ana")).length]).toEqual([0, [key], 39]);
    expect(await store.verify?.(() => expect.unreachable())).toMatchObject({ documents: 40 });
  });
});
