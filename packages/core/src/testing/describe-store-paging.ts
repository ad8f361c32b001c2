import { expect } from "vitest";
import { comparePositions } from "../store/match.ts";
import type { Document, Position, Query, Store, StoredDocument } from "../store/port.ts";
import { keysOf, mustCommit, person, personKey, readAll, type StoreCase } from "./describe-store-harness.ts";

/** Numbers that look random and are the same in every run. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

const values = ["", "a", "b", "é", "😀", "\uff21"];

function someone(key: string, next: (below: number) => number): Document {
  const value = values[next(values.length + 2)];
  return person(key, {
    entries: { ...(value === undefined ? {} : { value: [value, "all"] }), every: ["all"] },
  });
}

const steady = Array.from({ length: 40 }, (_, n) => `s${n}`.padStart(3, "0"));
const restless = Array.from({ length: 40 }, (_, n) => `r${n}`.padStart(3, "0"));

/** Reads all pages while documents come, change and go between them. */
async function readUnderChange(store: Store, query: Query, next: (below: number) => number) {
  const read: StoredDocument[] = [];
  let after: Position | undefined;
  for (let pages = 0; pages < 200; pages++) {
    const page = await store.query({ ...query, ...(after ? { after } : {}) });
    read.push(...page.documents);
    if (!page.next) return read;
    after = page.next;
    const keys = [...new Set(Array.from({ length: 6 }, () => restless[next(restless.length)] ?? ""))];
    // The very document that the place names goes as well, where it is one of those that may.
    if (restless.includes(after.key) && !keys.includes(after.key)) keys.push(after.key);
    const [put, remove] = [keys.slice(0, 3), keys.slice(3)];
    await mustCommit(store, { put: put.map((key) => someone(key, next)), remove: remove.map(personKey) });
  }
  throw new Error("The query's pages do not end.");
}

const asked: readonly { readonly name: string; readonly query: Partial<Query> }[] = [
  { name: "by key", query: {} },
  { name: "by a value that not all have", query: { sort: { index: "value" } } },
  { name: "by a value that not all have, descending", query: { sort: { index: "value", descending: true } } },
  {
    name: "by a value, with a condition on another index",
    query: { sort: { index: "value", descending: true }, where: [{ index: "every", anyOf: ["all"] }] },
  },
  {
    name: "by a value, with a condition on the same index",
    query: { sort: { index: "value" }, where: [{ index: "value", prefix: "" }] },
  },
];

/** Cursors of queries, whatever happens between pages. */
export const pagingCases: readonly StoreCase[] = [
  ...asked.map(
    ({ name, query }, nth): StoreCase => ({
      about: "paging",
      name: `visits what stays as it is once and in order, ${name}, while others come, change and go`,
      async run({ store }) {
        const next = sequence(nth + 17);
        await mustCommit(store, { put: [...steady, ...restless].map((key) => someone(key, next)) });
        const whole: Query = { collection: "people", limit: 5, ...query };
        const lasting = (await readAll(store, whole)).filter(({ key }) => steady.includes(key));
        const read = await readUnderChange(store, whole, next);
        expect(keysOf(read.filter(({ key }) => steady.includes(key)))).toEqual(keysOf(lasting));
        const places = read.map(({ key, entries }) => ({
          value: query.sort ? (entries.value?.[0] ?? null) : null,
          key,
        }));
        const { descending } = query.sort ?? {};
        const steps = places.slice(1).map((each, i) => comparePositions(places[i] ?? each, each, descending));
        expect(
          steps.every((step) => step < 0),
          "each is beyond the one before",
        ).toBe(true);
      },
    }),
  ),
  {
    about: "paging",
    name: "goes on after a place that no document has, and that none can have",
    async run({ store }) {
      const put = ["a", "m", "z"].map((value) => person(`key ${value}`, { entries: { value: [value] } }));
      await mustCommit(store, { put: [...put, person("none")] });
      const from = async (after: Position, descending = false) => {
        const sort = { index: "value", descending };
        return keysOf((await store.query({ collection: "people", sort, after, limit: 9 })).documents).join();
      };
      expect(await from({ value: "b", key: "x" })).toBe("key m,key z,none");
      expect(await from({ value: "m", key: "" })).toBe("key m,key z,none");
      expect(await from({ value: "m", key: "key z" })).toBe("key z,none");
      expect(await from({ value: "\ud800", key: "\u0000" })).toBe("none");
      expect(await from({ value: "a\u0000", key: "x" })).toBe("key m,key z,none");
      expect(await from({ value: "\ud800", key: "x" }, true)).toBe("key z,key m,key a,none");
      expect(await from({ value: "m", key: "key m" }, true)).toBe("key a,none");
      expect(await from({ value: null, key: "zz" }, true)).toBe("none");
      expect(await from({ value: null, key: "a" }, true)).toBe("");
      expect(await from({ value: null, key: "zz" })).toBe("");
    },
  },
];
