import { expect } from "vitest";
import type { Condition, Document, Query } from "../store/port.ts";
import { keysOf, mustCommit, person, personKey, readAll, type StoreCase } from "./describe-store-harness.ts";

const people: readonly Document[] = [
  person("a", { entries: { name: ["ana"], born: ["1990-01-02"], member: ["x", "y"] } }),
  person("b", { entries: { name: ["ben", "banana"], born: ["1985-12-31"], member: ["y"] } }),
  person("c", { entries: { name: ["Ana"], born: ["1990-01-01"] } }),
  person("d", { entries: { name: ["100%_*?[a]"], born: [], member: ["z", "x", "y"] } }),
  person("e", { entries: { name: [""], born: ["1990-01"] } }),
  person("f"),
  person("g", { entries: { name: ["anabel", "ben"], member: ["xy"] } }),
];

const conditions: readonly { name: string; where: readonly Condition[]; finds: string }[] = [
  { name: "one value", where: [{ index: "name", anyOf: ["ana"] }], finds: "a" },
  {
    name: "any of several values, each document once",
    where: [{ index: "member", anyOf: ["x", "y", "x"] }],
    finds: "abd",
  },
  { name: "any of none", where: [{ index: "name", anyOf: [] }], finds: "" },
  { name: "the empty value", where: [{ index: "name", anyOf: [""] }], finds: "e" },
  { name: "a later value", where: [{ index: "name", anyOf: ["ben", "banana"] }], finds: "bg" },
  { name: "a prefix", where: [{ index: "name", prefix: "ana" }], finds: "ag" },
  { name: "the empty prefix: any value at all", where: [{ index: "name", prefix: "" }], finds: "abcdeg" },
  { name: "a prefix with the signs of patterns", where: [{ index: "name", prefix: "100%_*?[" }], finds: "d" },
  { name: "a prefix that only a pattern would match", where: [{ index: "name", prefix: "%" }], finds: "" },
  { name: "a substring", where: [{ index: "name", contains: "na" }], finds: "abcg" },
  { name: "a substring of one sign", where: [{ index: "name", contains: "_" }], finds: "d" },
  { name: "a substring of two signs", where: [{ index: "name", contains: "be" }], finds: "bg" },
  { name: "a longer substring", where: [{ index: "name", contains: "nabe" }], finds: "g" },
  {
    name: "a substring with the signs of patterns",
    where: [{ index: "name", contains: "%_*?" }],
    finds: "d",
  },
  {
    name: "a substring that only a pattern would match",
    where: [{ index: "name", contains: "a%l" }],
    finds: "",
  },
  { name: "a substring, letter case and all", where: [{ index: "name", contains: "An" }], finds: "c" },
  { name: "the empty substring: any value at all", where: [{ index: "born", contains: "" }], finds: "abce" },
  { name: "from", where: [{ index: "born", from: "1990-01-01" }], finds: "ac" },
  { name: "below", where: [{ index: "born", below: "1990-01-01" }], finds: "be" },
  { name: "from and below", where: [{ index: "born", from: "1990-01", below: "1990-01-02" }], finds: "ce" },
  { name: "an empty range", where: [{ index: "born", from: "1990", below: "1990" }], finds: "" },
  { name: "a range upside down", where: [{ index: "born", from: "2000", below: "1900" }], finds: "" },
  { name: "an open range: any value at all", where: [{ index: "born" }], finds: "abce" },
  { name: "an index nobody has", where: [{ index: "shoe", prefix: "" }], finds: "" },
  {
    name: "an index named like a member of every object",
    where: [{ index: "constructor", prefix: "" }],
    finds: "",
  },
  { name: "no condition", where: [], finds: "abcdefg" },
  {
    name: "two conditions",
    where: [
      { index: "name", prefix: "a" },
      { index: "member", anyOf: ["y"] },
    ],
    finds: "a",
  },
  {
    name: "two conditions met by two values of one index",
    where: [
      { index: "member", anyOf: ["x"] },
      { index: "member", anyOf: ["z"] },
    ],
    finds: "d",
  },
  {
    name: "a range, a substring and a prefix",
    where: [
      { index: "born", from: "1985" },
      { index: "name", contains: "an" },
      { index: "name", prefix: "b" },
    ],
    finds: "b",
  },
  {
    name: "conditions that exclude each other",
    where: [
      { index: "name", anyOf: ["ana"] },
      { index: "name", anyOf: ["Ana"] },
    ],
    finds: "",
  },
];

const orders: readonly { name: string; sort?: Query["sort"]; order: string }[] = [
  { name: "by key without a sort", order: "abcdefg" },
  { name: "by first value", sort: { index: "name" }, order: "edcagbf" },
  { name: "by first value, descending", sort: { index: "name", descending: true }, order: "bgacdef" },
  { name: "with those without a value last", sort: { index: "born" }, order: "becadfg" },
  {
    name: "with those without a value last also descending, keys turned around",
    sort: { index: "born", descending: true },
    order: "acebgfd",
  },
  { name: "by an index that nobody has", sort: { index: "shoe" }, order: "abcdefg" },
];

const conditionCases = conditions.map(
  ({ name, where, finds }): StoreCase => ({
    about: "conditions",
    name: `finds ${name}`,
    async run({ store }) {
      await mustCommit(store, { put: people });
      await mustCommit(store, {
        put: [{ ...person("stranger"), collection: "homes", entries: { name: ["ana"] } }],
      });
      const query = { collection: "people", where };
      expect(keysOf((await store.query({ ...query, limit: 100 })).documents).join("")).toBe(finds);
      expect(keysOf(await readAll(store, { ...query, limit: 1 })).join("")).toBe(finds);
      expect((await store.count?.(query)) ?? finds.length).toBe(finds.length);
      const sort = { index: "born", descending: true };
      expect(
        keysOf(await readAll(store, { ...query, sort, limit: 2 }))
          .sort()
          .join(""),
      ).toBe(finds);
    },
  }),
);

const orderCases = orders.map(
  ({ name, sort, order }): StoreCase => ({
    about: "order",
    name: `documents come ${name}, on pages of any size`,
    async run({ store }) {
      await mustCommit(store, { put: people });
      const query: Query = { collection: "people", limit: 100, ...(sort ? { sort } : {}) };
      for (const limit of [100, 7, 6, 3, 2, 1]) {
        expect(keysOf(await readAll(store, { ...query, limit })).join(""), `pages of ${limit}`).toBe(order);
      }
      const page = await store.query({ ...query, limit: 6 });
      expect(keysOf(page.documents).join("")).toBe(order.slice(0, 6));
      expect(page.next?.key).toBe(order[5]);
      expect((await store.query({ ...query, limit: 7 })).next).toBeUndefined();
    },
  }),
);

/** Conditions, order and paging. */
export const queryCases: readonly StoreCase[] = [
  ...conditionCases,
  ...orderCases,
  {
    about: "order",
    name: "documents of equal value come by key, in the direction of the sort",
    async run({ store }) {
      const entries = { same: ["s"] };
      await mustCommit(store, { put: ["c", "a", "d", "b"].map((key) => person(key, { entries })) });
      for (const limit of [1, 2, 3, 4]) {
        const up = await readAll(store, { collection: "people", sort: { index: "same" }, limit });
        expect(keysOf(up).join("")).toBe("abcd");
        const sort = { index: "same", descending: true };
        expect(keysOf(await readAll(store, { collection: "people", sort, limit })).join("")).toBe("dcba");
      }
    },
  },
  {
    about: "order",
    name: "a condition and the sort may use different indexes",
    async run({ store }) {
      await mustCommit(store, { put: people });
      const where = [{ index: "member", anyOf: ["x", "y", "xy"] }];
      const query: Query = { collection: "people", where, sort: { index: "born" }, limit: 2 };
      expect(keysOf(await readAll(store, query)).join("")).toBe("badg");
      expect(keysOf(await readAll(store, { ...query, sort: { index: "name" } })).join("")).toBe("dagb");
    },
  },
  {
    about: "paging",
    name: "stays true while documents come, change and go between pages",
    async run({ store }) {
      const named = (key: string, name: string) => person(key, { entries: { name: [name] } });
      await mustCommit(store, { put: ["b", "d", "f", "h", "j"].map((name) => named(`key-${name}`, name)) });
      const query: Query = { collection: "people", sort: { index: "name" }, limit: 2 };
      const first = await store.query(query);
      expect(keysOf(first.documents)).toEqual(["key-b", "key-d"]);
      // Before the place: a newcomer, and the very document the place names is gone. After it: one comes, one goes.
      await mustCommit(store, {
        put: [named("key-a", "a"), named("key-e", "e")],
        remove: [personKey("key-d"), personKey("key-h")],
      });
      const rest = await readAll(store, { ...query, ...(first.next ? { after: first.next } : {}) });
      expect(keysOf(rest)).toEqual(["key-e", "key-f", "key-j"]);
    },
  },
  {
    about: "paging",
    name: "goes on among documents without a value",
    async run({ store }) {
      await mustCommit(store, { put: ["a", "b", "c", "d"].map((key) => person(key)) });
      for (const descending of [false, true]) {
        const sort = { index: "name", descending };
        const after = { value: null, key: descending ? "c" : "b" };
        const rest = await readAll(store, { collection: "people", sort, after, limit: 1 });
        expect(keysOf(rest).join("")).toBe(descending ? "ba" : "cd");
        const fromValue = { value: "m", key: "zzz" };
        const all = await readAll(store, { collection: "people", sort, after: fromValue, limit: 3 });
        expect(keysOf(all).join("")).toBe(descending ? "dcba" : "abcd");
      }
    },
  },
  {
    about: "paging",
    name: "visits each of 500 documents once, in either direction, with and without a condition",
    async run({ store }) {
      const put = Array.from({ length: 500 }, (_, i) => {
        const value = `${(i * 37) % 101}`;
        return person(`${i}`, { entries: i % 7 === 0 ? {} : { value: [value, "all"] } });
      });
      await mustCommit(store, { put });
      for (const descending of [false, true]) {
        const query: Query = { collection: "people", sort: { index: "value", descending }, limit: 33 };
        const every = keysOf(await readAll(store, query));
        expect(new Set(every).size).toBe(500);
        expect(every).toHaveLength(500);
        const where = [{ index: "value", anyOf: ["all"] }];
        const some = keysOf(await readAll(store, { ...query, where }));
        expect(some).toEqual(every.slice(0, some.length));
        expect(some).toHaveLength(500 - 72);
      }
    },
  },
  {
    about: "paging",
    name: "counts what it finds, and stops where nobody waits for the number",
    async run({ store }) {
      await mustCommit(store, { put: ["a", "b", "c"].map((key) => person(key)) });
      if (!store.count) return;
      const query = { collection: "people" };
      expect([undefined, 3]).toContain(await store.count(query, () => false));
      expect(await store.count(query, () => true)).toBe(3);
    },
  },
];
