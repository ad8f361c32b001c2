import { access, copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Document, Json, Query, Store, StoreFault } from "@fieldroll/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadSqliteStore, openSqliteStore } from "./index.ts";

let folder = "";
let files = 0;
const newFile = () => join(folder, `${++files}.db`);
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "fieldroll-load-"));
});
afterAll(() => rm(folder, { recursive: true }));

const person = (nth: number): Document => ({
  ...{ collection: "people", key: `k${(nth * 7919) % 10_000}`, version: 1 + (nth % 3), body: { nth } },
  claims: [`id ${nth}`],
  entries: { name: [`reyes ana ${nth % 10}`, `ana reyes ${nth % 10}`], active: ["true"] },
  feeds: ["all", `area ${nth % 4}`],
});

async function* slices(documents: readonly Document[], size = 100) {
  for (let from = 0; from < documents.length; from += size) yield documents.slice(from, from + size);
}

async function committed(documents: readonly Document[]): Promise<Store> {
  const store = await openSqliteStore({ path: newFile() });
  for await (const put of slices(documents)) expect(await store.commit({ put })).toEqual({ ok: true });
  return store;
}

async function loaded(documents: readonly Document[], size?: number): Promise<Store> {
  const path = newFile();
  const done = await loadSqliteStore({ path, documents: slices(documents, size) });
  expect(done).toMatchObject({ ok: true, documents: documents.length });
  return openSqliteStore({ path });
}

async function faultsOf(store: Store): Promise<readonly StoreFault[]> {
  const faults: StoreFault[] = [];
  await store.verify?.((fault) => faults.push(fault));
  return faults;
}

const queries: readonly Omit<Query, "collection">[] = [
  { limit: 1000 },
  { limit: 1000, sort: { index: "name" } },
  { limit: 7, sort: { index: "name", descending: true } },
  { limit: 1000, where: [{ index: "name", contains: "eyes" }] },
  { limit: 1000, where: [{ index: "name", contains: "eyes" }], sort: { index: "name" } },
  { limit: 1000, where: [{ index: "name", prefix: "ana" }], sort: { index: "active" } },
  { limit: 1000, where: [{ index: "active", anyOf: ["true", "😀"] }] },
  { limit: 1000, where: [{ index: 'a "quoted\\ 😀', from: "b" }] },
];

/** What each of the store's calls tells of these documents, its own name in cursors left out. */
async function told(store: Store, documents: readonly Document[]): Promise<unknown> {
  const collections = [...new Set(documents.map(({ collection }) => collection))];
  const feeds = [...new Set(documents.flatMap(({ feeds: own = [] }) => own))];
  const limit = documents.length + 1;
  return {
    get: await store.get(documents),
    held: await store.resolve(documents.flatMap(({ claims = [] }) => claims)),
    found: await Promise.all(
      collections.flatMap((collection) => queries.map((query) => store.query({ collection, ...query }))),
    ),
    changes: await Promise.all(
      feeds.map(async (feed) => {
        const page = await store.changes({ feed, limit });
        return { ...page, next: page.next.split(".")[1] };
      }),
    ),
    kept: await store.verify?.(() => undefined),
  };
}

const text = fc.oneof(
  fc.constantFrom("reyes", "ana reyes", "true", 'a "quoted\\ 😀', "\uE000 private", "tab\tline\n"),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }).filter((one) => !one.includes("\u0000")),
);
const indexName = fc.constantFrom("name", "active", "address", 'a "quoted\\ 😀', "__proto__", "constructor");
const declared = fc.record({
  collection: fc.constantFrom("people", "😀"),
  version: fc.integer({ min: 1, max: 9 }),
  body: fc.jsonValue().map((body) => body as Json),
  claims: fc.array(text, { maxLength: 3 }),
  entries: fc
    .array(fc.tuple(indexName, fc.array(fc.oneof(text, fc.constant("")), { maxLength: 4 })), { maxLength: 4 })
    .map((pairs) => Object.fromEntries(pairs)),
  feeds: fc.array(text, { maxLength: 3 }),
});

/** Claims of their own, each as often as it likes. */
function apart(each: readonly Omit<Document, "key">[]): readonly Document[] {
  return each.map((one, nth) => ({
    ...{ ...one, key: `${(nth * 37) % 101} ${nth}` },
    claims: (one.claims ?? []).map((claim) => `${nth} ${claim}`),
  }));
}

describe("a bulk load", () => {
  it("makes the store that commits of the same documents make, whatever they declare", async () => {
    const property = fc.asyncProperty(fc.array(declared, { maxLength: 20 }), async (each) => {
      const documents = apart(each);
      const [own, reference] = [await loaded(documents, 7), await committed(documents)];
      try {
        expect(await faultsOf(own)).toEqual([]);
        expect(await told(own, documents)).toEqual(await told(reference, documents));
      } finally {
        await Promise.all([own.close(), reference.close()]);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  }, 60_000);

  it("makes a store that goes on like any other", async () => {
    const documents = Array.from({ length: 500 }, (_, nth) => person(nth));
    const stores = [await loaded(documents), await committed(documents)];
    const results = [];
    for (const store of stores) {
      const changed = { ...person(3), version: 9, feeds: ["all"], entries: { name: ["cruz"] } };
      await store.commit({ put: [changed, person(777)], remove: [person(5)] });
      const taken = await store.commit({ put: [{ ...person(888), claims: ["id 4"] }] });
      expect(taken).toMatchObject({ ok: false, failures: [{ kind: "claim-taken" }] });
      expect(await faultsOf(store)).toEqual([]);
      results.push(await told(store, [...documents, person(777)]));
      await store.close();
    }
    expect(results[0]).toEqual(results[1]);
  });

  it("writes more places in feeds than it keeps in memory", async () => {
    const feeds = Array.from({ length: 45 }, (_, nth) => `feed ${nth}`);
    const store = await loaded(
      Array.from({ length: 3000 }, (_, nth) => ({ ...person(nth), feeds })),
      500,
    );
    const { changes, more } = await store.changes({ feed: "feed 44", limit: 5000 });
    expect([changes.length, more]).toEqual([3000, false]);
    expect(await faultsOf(store)).toEqual([]);
    await store.close();
  });

  it.each([
    ["a key", [person(1), person(2), person(1)], { kind: "key", at: { collection: "people", key: "k7919" } }],
    [
      "a claim",
      [person(1), { ...person(2), claims: ["own", "id 1"] }],
      { kind: "claim", claim: "id 1", at: { key: "k5838" }, holder: { key: "k7919" } },
    ],
    [
      "a claim beyond the plane of most scripts",
      [
        { ...person(1), claims: ["😀"] },
        { ...person(2), claims: ["😀"] },
      ],
      { kind: "claim", claim: "😀", at: { key: "k5838" }, holder: { key: "k7919" } },
    ],
  ])("names the document that has %s of another, and leaves no file", async (_, documents, conflict) => {
    for (const size of [1, 100]) {
      const path = newFile();
      expect(await loadSqliteStore({ path, documents: slices(documents, size) })).toMatchObject({
        ok: false,
        conflict,
      });
      expect((await readdir(folder)).filter((name) => join(folder, name).startsWith(path))).toEqual([]);
    }
  });

  it.each([
    ["a document breaks the rules", [{ ...person(1), version: 0 }], { code: "bad-request" }],
    ["claims are a text", [{ ...person(1), claims: "abc" as never }], { code: "bad-request" }],
    ["values are a text", [{ ...person(1), entries: { name: "abc" as never } }], { code: "bad-request" }],
    ["feeds are null", [{ ...person(1), feeds: null as never }], { code: "bad-request" }],
    ["a document is null", [null as never], { code: "bad-request" }],
    ["a body is no JSON", [{ ...person(1), body: 10n as never }], { code: "bad-request" }],
  ])("leaves no file where %s", async (_, documents, error) => {
    const path = newFile();
    await expect(
      loadSqliteStore({ path, documents: slices([person(0), ...documents]) }),
    ).rejects.toMatchObject(error);
    for (const name of [path, `${path}.partial`])
      await expect(access(name)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("passes on what the giver of documents throws, and leaves no file", async () => {
    const path = newFile();
    async function* broken() {
      yield [person(1)];
      throw new RangeError("the other end is gone");
    }
    await expect(loadSqliteStore({ path, documents: broken() })).rejects.toThrow(RangeError);
    await expect(access(`${path}.partial`)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is refused beside another load of the same name, which goes on", async () => {
    const path = newFile();
    async function* slow() {
      yield [person(1)];
      await expect(loadSqliteStore({ path, documents: [[person(2)]] })).rejects.toMatchObject({
        code: "bad-request",
        message: expect.stringContaining("another load"),
      });
      yield [person(3)];
    }
    expect(await loadSqliteStore({ path, documents: slow() })).toMatchObject({ ok: true, documents: 2 });
    const store = await openSqliteStore({ path });
    expect((await store.get([person(1), person(2), person(3)])).map((found) => found?.key)).toEqual([
      person(1).key,
      undefined,
      person(3).key,
    ]);
    await store.close();
  });

  it("that says ok can be opened, however closely another one of the same name follows", async () => {
    for (let turns = 0; turns < 20; turns++) {
      const path = newFile();
      const first = loadSqliteStore({ path, documents: [[person(1)]] });
      for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
      const ends = await Promise.allSettled([first, loadSqliteStore({ path, documents: [[person(2)]] })]);
      const refused = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
      expect(refused).toEqual([expect.objectContaining({ name: "StoreError", code: "bad-request" })]);
      const store = await openSqliteStore({ path });
      const winner = person(ends[0].status === "fulfilled" ? 1 : 2);
      expect((await store.get([winner])).map((found) => found?.key)).toEqual([winner.key]);
      await store.close();
    }
  });

  it("is refused where the log of another store would be written over it", async () => {
    const path = newFile();
    await writeFile(`${path}-wal`, "what another store had written");
    await expect(loadSqliteStore({ path, documents: [[person(1)]] })).rejects.toMatchObject({
      code: "bad-request",
    });
    await expect(access(path)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("replaces no file, wants a folder, and begins anew over what was cut off", async () => {
    const path = newFile();
    await writeFile(`${path}.partial`, "half");
    expect(await loadSqliteStore({ path, documents: [[person(1)]] })).toMatchObject({ documents: 1 });
    const again = loadSqliteStore({ path, documents: [] });
    await expect(again).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringContaining(path),
    });
    const nowhere = loadSqliteStore({ path: join(folder, "missing/copy.db"), documents: [] });
    await expect(nowhere).rejects.toMatchObject({ code: "bad-request" });
  });

  it("leaves a file that no store opens until it is whole", async () => {
    const [path, copy] = [newFile(), newFile()];
    async function* watched() {
      for (let from = 0; from < 3000; from += 500) {
        yield Array.from({ length: 500 }, (_, nth) => person(from + nth));
        await copyFile(`${path}.partial`, `${copy} ${from}`);
      }
    }
    await loadSqliteStore({ path, documents: watched() });
    for (let from = 0; from < 3000; from += 500) {
      for (const afterCrash of ["check", "open"] as const) {
        const opened = openSqliteStore({ path: `${copy} ${from}`, afterCrash });
        await expect(opened).rejects.toMatchObject({
          code: "corrupt",
          message: expect.stringMatching(/bulk load .* load from the start/),
        });
      }
    }
    await (await openSqliteStore({ path })).close();
  });
});
