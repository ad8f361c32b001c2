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

/** Bodies of a known length, one of them longer than any page of the cases. */
const weights = [10_000, 10_000, 10_000, 100_000, 10_000, 20_000, 1_000];
const weighed = weights.map((weight, n) =>
  person(`w${n}`, {
    body: "x".repeat(weight),
    entries: { place: [`${9 - n}`], every: ["all"] },
    feeds: ["weighed"],
  }),
);
const mostBytes = 35_000;
/** How many of them fit on each page, a little room left for what a store counts besides. */
const fittingPages = [3, 1, 3];

/** How many documents each page has, and all of their keys in order. */
async function readPages(
  read: (after?: Position) => Promise<{ documents: readonly StoredDocument[]; next?: Position }>,
) {
  const counts: number[] = [];
  const keys: string[] = [];
  let after: Position | undefined;
  do {
    const page = await read(after);
    counts.push(page.documents.length);
    keys.push(...page.documents.map(({ key }) => key));
    after = page.next;
  } while (after && counts.length < 20);
  return { counts, keys };
}

const weighedQueries: readonly { readonly name: string; readonly query: Partial<Query> }[] = [
  { name: "by key", query: {} },
  { name: "by a value", query: { sort: { index: "place", descending: true } } },
  { name: "with a condition", query: { where: [{ index: "every", anyOf: ["all"] }] } },
  {
    name: "by a value, with a condition on the same index",
    query: { sort: { index: "place", descending: true }, where: [{ index: "place", contains: "" }] },
  },
];

/** Cursors of queries, whatever happens between pages. */
export const pagingCases: readonly StoreCase[] = [
  ...weighedQueries.map(
    ({ name, query }): StoreCase => ({
      about: "paging",
      name: `a page by bytes ends before the document that is too much, and goes on with it: ${name}`,
      async run({ store }) {
        await mustCommit(store, { put: weighed });
        const pages = (limit: number, bytes: number) =>
          readPages((after) =>
            store.query({ collection: "people", ...query, limit, bytes, ...(after && { after }) }),
          );
        const keys = weighed.map(({ key }) => key);
        expect(await pages(50, mostBytes)).toEqual({ counts: fittingPages, keys });
        expect(await pages(2, mostBytes)).toEqual({ counts: [2, 1, 1, 2, 1], keys });
        expect(await pages(50, 1)).toEqual({ counts: weights.map(() => 1), keys });
        expect(await pages(50, 1_000_000)).toEqual({ counts: [weights.length], keys });
        expect(await pages(weights.length, 1_000_000)).toEqual({ counts: [weights.length], keys });
      },
    }),
  ),
  {
    about: "paging",
    name: "a page of a feed by bytes ends before the document that is too much, and goes on with it",
    async run({ store }) {
      for (const document of weighed) await mustCommit(store, { put: [document] });
      await mustCommit(store, { put: [{ ...person("w0"), version: 2 }] });
      const counts: number[] = [];
      const told: string[] = [];
      let cursor: string | undefined;
      let more = true;
      while (more && counts.length < 20) {
        const page = await store.changes({
          feed: "weighed",
          limit: 50,
          bytes: mostBytes,
          ...(cursor !== undefined && { cursor }),
        });
        counts.push(page.changes.length);
        told.push(
          ...page.changes.map((change) =>
            change.kind === "put" ? change.document.key : `gone ${change.key}`,
          ),
        );
        ({ next: cursor, more } = page);
      }
      expect(told).toEqual(["w1", "w2", "w3", "w4", "w5", "w6", "gone w0"]);
      expect(counts).toEqual([2, 1, 4]);
    },
  },
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
