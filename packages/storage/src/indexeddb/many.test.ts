import type { Document } from "@fieldroll/core";
import { IDBFactory, IDBKeyRange } from "fake-indexeddb";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openIndexedDbStore } from "./store.ts";

const total = 400;
const keyOf = (nth: number) => String(nth).padStart(3, "0");

function person(nth: number, version: number): Document {
  const [key, claims] = [keyOf(nth), [`id:${keyOf(nth)}`, `number:${nth}`]];
  return { collection: "people", key, version, body: { nth, version }, claims };
}

/** A store with people who came together, of whom some were written again alone. */
async function storeWith(versions: ReadonlyMap<number, number>) {
  const options = { name: "many", indexedDB: new IDBFactory(), IDBKeyRange };
  const store = await openIndexedDbStore(options);
  await store.commit({ put: Array.from({ length: total }, (_, nth) => person(nth, 1)) });
  for (const [nth, version] of versions) await store.commit({ put: [person(nth, version)] });
  return store;
}

const span = fc
  .tuple(fc.nat({ max: total - 1 }), fc.nat({ max: total + 50 }), fc.constantFrom(1, 2, 3, 5))
  .map(([from, to, step]) =>
    Array.from({ length: Math.ceil(Math.max(0, to - from) / step) }, (_, i) => from + i * step),
  );

describe("many documents at once", () => {
  it.each([
    ["in rows with others", 0],
    ["half of them in rows of their own", 2],
    ["in rows of their own", 1],
  ])("are found %s, near each other and far apart, by key and by claim", async (_, eachNth) => {
    const changed = Array.from({ length: total }, (_, nth) => nth).filter((nth) => nth % eachNth === 0);
    const versions = new Map(changed.map((nth) => [nth, 2]));
    const store = await storeWith(versions);
    const property = fc.asyncProperty(span, async (asked) => {
      const found = await store.get(asked.map((nth) => ({ collection: "people", key: keyOf(nth) })));
      expect(found.map((document) => document?.body)).toEqual(
        asked.map((nth) => (nth < total ? { nth, version: versions.get(nth) ?? 1 } : undefined)),
      );
      const holders = await store.resolve(asked.map((nth) => `number:${nth}`));
      expect(holders.map((holder) => holder?.key)).toEqual(
        asked.map((nth) => (nth < total ? keyOf(nth) : undefined)),
      );
    });
    await fc.assert(property, { numRuns: 40 });
    await store.close();
  });

  it("are written and removed wherever they lie", async () => {
    const store = await storeWith(new Map([...Array(90).keys()].map((nth) => [nth * 2, 2])));
    const put = Array.from({ length: 100 }, (_, i) => person(i, 3));
    const remove = Array.from({ length: 100 }, (_, i) => ({ collection: "people", key: keyOf(100 + i * 2) }));
    const expectations = put.map(({ collection, key }, nth) => {
      return { kind: "version", collection, key, version: nth % 2 === 0 ? 2 : 1 } as const;
    });
    expect(await store.commit({ expect: expectations, put, remove })).toEqual({ ok: true });
    const { documents } = await store.query({ collection: "people", limit: total });
    expect(documents.map(({ key, version }) => [key, version])).toEqual(
      Array.from({ length: total }, (_, nth) => nth).flatMap((nth) => {
        if (nth < 100) return [[keyOf(nth), 3]];
        if (nth < 300 && nth % 2 === 0) return [];
        return [[keyOf(nth), nth < 180 && nth % 2 === 0 ? 2 : 1]];
      }),
    );
    await store.close();
  });
});
