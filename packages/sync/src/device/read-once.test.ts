import { createMemoryStore, type Document, type Store } from "@fieldroll/core";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { readingOnce } from "./read-once.ts";

const people = "people";
const at = (key: string) => ({ collection: people, key });
const person = (key: string, version: number, more: Partial<Document> = {}): Document => ({
  ...{ collection: people, key, version, body: { key, version }, claims: [`id ${key}`] },
  ...more,
});

/** A store, what it was asked, and whether it finds in one call. */
function watched(finds: boolean): {
  readonly inner: Store;
  readonly store: Store;
  readonly asked: unknown[];
} {
  const inner = createMemoryStore();
  const asked: unknown[] = [];
  const noting =
    <Given, Answer>(name: string, call: (given: Given) => Promise<Answer>) =>
    (given: Given) => {
      asked.push([name, given]);
      return call(given);
    };
  const store: Store = {
    ...inner,
    get: noting("get", inner.get),
    resolve: noting("resolve", inner.resolve),
    ...(finds && {
      find: noting("find", async (claim: string) => {
        const [holder] = await inner.resolve([claim]);
        const [document] = holder ? await inner.get([holder]) : [];
        return document && { document, naming: [] };
      }),
    }),
  };
  return { inner, store, asked };
}

describe.each([
  ["a store that finds in one call", true],
  ["a store that does not", false],
])("%s, read once", (_, finds) => {
  let { inner, store, asked } = watched(finds);
  beforeEach(async () => {
    ({ inner, store, asked } = watched(finds));
    await inner.commit({ put: [person("a", 1), person("b", 1)] });
  });

  it("is asked for each document once, those that are not there too, and for several together", async () => {
    const once = readingOnce(store);
    const first = await once.get([at("a"), at("none"), at("a")]);
    expect(first.map((each) => each?.key)).toEqual(["a", undefined, "a"]);
    expect(await once.get([at("none"), at("b"), at("a")])).toMatchObject([
      undefined,
      { key: "b" },
      { key: "a" },
    ]);
    expect(asked).toEqual([
      ["get", [at("a"), at("none")]],
      ["get", [at("b")]],
    ]);
  });

  it("is asked once by those who ask at the same time", async () => {
    const once = readingOnce(store);
    await Promise.all([
      once.get([at("a")]),
      once.get([at("a")]),
      once.resolve(["id b"]),
      once.resolve(["id b"]),
    ]);
    expect(asked).toEqual([
      ["get", [at("a")]],
      ["resolve", ["id b"]],
    ]);
  });

  it("knows who holds a claim from the document that does, and who holds none", async () => {
    const once = readingOnce(store);
    await once.get([at("a")]);
    expect(await once.resolve(["id a", "id none"])).toEqual([at("a"), undefined]);
    expect(await once.resolve(["id none"])).toEqual([undefined]);
    expect(asked).toEqual([
      ["get", [at("a")]],
      ["resolve", ["id none"]],
    ]);
  });

  it("knows what a query brought", async () => {
    const once = readingOnce(store);
    await once.get([at("a")]);
    asked.length = 0;
    expect((await once.query({ collection: people, limit: 10 })).documents).toHaveLength(2);
    expect(await once.get([at("a"), at("b")])).toMatchObject([{ key: "a" }, { key: "b" }]);
    expect(await once.resolve(["id a", "id b"])).toEqual([at("a"), at("b")]);
    expect(asked).toEqual([]);
  });

  it("reads everything anew after a commit that failed", async () => {
    const once = readingOnce(store);
    expect(await once.get([at("a")])).toMatchObject([{ version: 1 }]);
    await inner.commit({ put: [person("a", 2)] });
    expect(await once.get([at("a")])).toMatchObject([{ version: 1 }]);
    const failed = await once.commit({
      expect: [{ kind: "version", ...at("a"), version: 1 }],
      put: [person("a", 2)],
    });
    expect(failed.ok).toBe(false);
    expect(await once.get([at("a")])).toMatchObject([{ version: 2 }]);
  });

  it("knows what it wrote, and nothing else that it knew before", async () => {
    const once = readingOnce(store);
    await once.get([at("a"), at("b")]);
    await once.resolve(["id a"]);
    await inner.commit({ put: [person("c", 1)] });
    asked.length = 0;
    await once.commit({ put: [person("a", 2, { claims: ["id of a"] })], remove: [at("b")] });
    expect(await once.get([at("a"), at("b")])).toMatchObject([
      { version: 2, entries: {}, feeds: [] },
      undefined,
    ]);
    expect(await once.resolve(["id of a"])).toEqual([at("a")]);
    expect(asked).toEqual([]);
    expect(await once.resolve(["id a"])).toEqual([undefined]);
  });

  it("fails as the store does", async () => {
    const once = readingOnce(store);
    await store.close();
    for (const ask of [() => once.get([at("a")]), () => once.resolve(["id a"])]) {
      await expect(ask()).rejects.toMatchObject({ code: "closed" });
    }
  });
});

it("finds what it has met without asking, and what it has not in one call", async () => {
  const { inner, store, asked } = watched(true);
  await inner.commit({ put: [person("a", 1)] });
  const once = readingOnce(store);
  expect(await once.find?.("id a")).toMatchObject({ document: { key: "a" }, naming: [] });
  expect(await once.get([at("a")])).toMatchObject([{ key: "a" }]);
  expect(await once.find?.("id a")).toMatchObject({ document: { key: "a" }, naming: [] });
  expect(await once.find?.("id none")).toBeUndefined();
  expect(await once.resolve(["id none"])).toEqual([undefined]);
  expect(asked).toEqual([
    ["find", "id a"],
    ["find", "id none"],
  ]);
});

/** What is done through both: the answer of either, which has to be the same. */
interface Step {
  readonly kind: "get" | "resolve" | "find" | "put" | "remove";
  readonly keys: readonly string[];
}

/** A step through one that reads once, beside what the store itself answers. */
async function step(once: Store, inner: Store, { kind, keys }: Step): Promise<void> {
  const [key = "a"] = keys;
  const claims = keys.map((name) => `id ${name}`);
  const steps = {
    async get() {
      expect(await once.get(keys.map(at))).toEqual(await inner.get(keys.map(at)));
    },
    async resolve() {
      expect(await once.resolve(claims)).toEqual(await inner.resolve(claims));
    },
    async find() {
      const [holder] = await inner.resolve([`id ${key}`]);
      const [document] = holder ? await inner.get([holder]) : [];
      expect((await once.find?.(`id ${key}`))?.document).toEqual(document);
    },
    async put() {
      const [before] = await inner.get([at(key)]);
      await once.commit({ put: [person(key, (before?.version ?? 0) + 1, { claims: [...new Set(claims)] })] });
    },
    remove: () => once.commit({ remove: [at(key)] }),
  };
  await steps[kind]();
}

it("answers any work that goes on alone as the store itself does", async () => {
  const steps = fc.array(
    fc.record<Step>({
      kind: fc.constantFrom("get", "resolve", "find", "put", "remove"),
      keys: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 4 }),
    }),
    { maxLength: 30 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (program) => {
      const { inner, store } = watched(true);
      const once = readingOnce(store);
      for (const each of program) await step(once, inner, each);
    }),
  );
});
