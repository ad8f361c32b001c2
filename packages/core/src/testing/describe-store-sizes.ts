import { expect } from "vitest";
import { sameJson } from "../json.ts";
import type { Condition, Document, Query, Store } from "../store/port.ts";
import {
  handlesOf,
  keysOf,
  mustCommit,
  person,
  personKey,
  readAll,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

const keyOf = (n: number) => `${n}`.padStart(6, "0");
const mark = (n: number) => (n % 997 === 0 ? ["rare"] : []);

/** The nth of many documents: its place in every order can be computed. */
function nth(n: number, count: number): Document {
  const family = ["reyes", "santos", "قاسم", "सिंह", "ng"][n % 5] ?? "";
  return person(keyOf(n), {
    body: { n },
    claims: [`id ${n}`],
    entries: {
      name: [`${family} ${keyOf(n)}`],
      // Falls as the key rises, so that no order is that of another.
      born: [keyOf(count - n)],
      mark: mark(n),
    },
    feeds: n % 1000 === 0 ? ["all", "few"] : ["all"],
  });
}

async function fill(store: Store, count: number): Promise<void> {
  for (let from = 0; from < count; from += 1000) {
    const many = Math.min(1000, count - from);
    await mustCommit(store, { put: Array.from({ length: many }, (_, i) => nth(from + i, count)) });
  }
}

/** Queries of many documents, and the keys of a page that each has to find. */
function expectedPages(
  count: number,
): readonly { query: Omit<Query, "collection">; keys: readonly string[] }[] {
  const numbers = Array.from({ length: count }, (_, n) => n);
  const middle = Math.floor(count / 2);
  const where = (condition: object) => [{ index: "name", ...condition }];
  const keys = (found: readonly number[]) => found.map(keyOf);
  const sort = { index: "born" };
  const rare = numbers.filter((n) => mark(n).length > 0);
  return [
    {
      query: { limit: 20, after: { value: null, key: keyOf(middle) } },
      keys: keys(numbers.slice(middle + 1, middle + 21)),
    },
    { query: { limit: 1000, where: [{ index: "mark", anyOf: ["rare"] }] }, keys: keys(rare) },
    {
      query: {
        limit: 5,
        where: [{ index: "mark", anyOf: ["rare"] }],
        sort: { index: "born", descending: true },
      },
      keys: keys(rare.slice(0, 5)),
    },
    { query: { limit: 20, sort }, keys: keys(numbers.toReversed().slice(0, 20)) },
    {
      query: { limit: 20, sort, after: { value: keyOf(middle), key: "" } },
      keys: keys(numbers.toReversed().slice(middle - 1, middle + 19)),
    },
    {
      query: { limit: 50, where: where({ prefix: "santos" }), sort: { index: "name", descending: true } },
      keys: keys(
        numbers
          .filter((n) => n % 5 === 1)
          .toReversed()
          .slice(0, 50),
      ),
    },
    { query: { limit: 20, where: where({ contains: keyOf(middle) }) }, keys: [keyOf(middle)] },
    { query: { limit: 20, where: where({ contains: "nowhere" }) }, keys: [] },
    {
      query: { limit: 20, where: [{ index: "born", from: keyOf(1), below: keyOf(5) }], sort },
      keys: keys([count - 1, count - 2, count - 3, count - 4]),
    },
  ];
}

/** Has a document leave a feed of its own, and gives the cursor from between: however much follows, both are kept. */
async function leaveEarly(store: Store): Promise<string> {
  await mustCommit(store, { put: [person("early", { collection: "homes", feeds: ["early"] })] });
  const { next } = await readFeed(store, "early");
  await mustCommit(store, { remove: [{ collection: "homes", key: "early" }] });
  return next;
}

async function isKept(store: Store, cursor: string): Promise<void> {
  expect((await readFeed(store, "early", { cursor })).told).toEqual(["gone early"]);
  expect((await readFeed(store, "early")).told).toEqual(["gone early"]);
}

const many = 350;
const indexes = ["a", "b", "c", "d", "e"];
/** One for each of the indexes. */
const five: readonly Condition[] = [
  { index: "a", prefix: "an" },
  { index: "b", contains: "na" },
  { index: "c", anyOf: ["ana", "zoe"] },
  { index: "d", from: "a", below: "b" },
  { index: "e", prefix: "ana" },
];
const inAll = Object.fromEntries(indexes.map((index) => [index, ["ana"]]));

/** Many documents of one version; with each version claims go on to the next of 50 neighbours. */
function manyOf(version: number): Document[] {
  return Array.from({ length: many }, (_, n) => {
    const claim = `claim ${n - (n % 50) + ((n + version) % 50)}`;
    return person(keyOf(n), { version, claims: [claim], entries: inAll, feeds: ["all"] });
  });
}

/** The versions of {@link manyOf} that each call shows: several where it shows several moments. */
async function versionsSeen(
  store: Store,
): Promise<readonly (readonly [call: string, versions: Set<unknown>])[]> {
  const numbers = Array.from({ length: many }, (_, n) => n);
  const [got, holders, { documents }, { changes }] = await Promise.all([
    store.get(numbers.map((n) => personKey(keyOf(n)))),
    store.resolve(numbers.map((n) => `claim ${n}`)),
    store.query({ collection: "people", where: five, limit: 1000 }),
    store.changes({ feed: "all", limit: 1000 }),
  ]);
  expect([documents.length, changes.length]).toEqual([many, many]);
  return [
    ["get", new Set(got.map((each) => each?.version))],
    ["resolve", new Set(holders.map((each, n) => (n - Number(each?.key) + 50) % 50))],
    ["query", new Set(documents.map((each) => each.version))],
    ["changes", new Set(changes.map((each) => each.kind === "put" && each.document.version))],
  ];
}

/** Sizes that a register has. */
export const sizeCases: readonly StoreCase[] = [
  {
    about: "sizes",
    name: `${many} documents are written at one moment, and read at one by every call`,
    async run(open) {
      const [one, two = one] = await handlesOf(open, 2);
      await mustCommit(one, { put: manyOf(1) });
      const strangers = indexes.map((index) =>
        person(`stranger ${index}`, { entries: { ...inAll, [index]: ["bob"] } }),
      );
      await mustCommit(one, { put: strangers });
      const reading = async () => {
        for (let times = 0; times < 4; times++) {
          for (const [call, versions] of await versionsSeen(two)) {
            expect([...versions], `versions seen by ${call}`).toHaveLength(1);
          }
        }
      };
      const writing = async () => {
        for (let version = 2; version <= 6; version++) {
          await mustCommit(one, { put: manyOf(version) });
          // Keeps the pace of a store that is slow to read.
          await one.query({ collection: "people", limit: 150 });
        }
      };
      // The reading begins first, so that also a store that answers at once is written to while it reads.
      await Promise.all([reading(), writing()]);
    },
  },
  {
    about: "sizes",
    name: "of more than 120 expectations each that fails is found, also the last",
    async run({ store }) {
      await mustCommit(store, { put: [person("there", { claims: ["taken"] })] });
      const kept = Array.from(
        { length: 120 },
        (_, n) => ({ kind: "absent", ...personKey(keyOf(n)) }) as const,
      );
      const failing = [
        { expectation: { kind: "version", ...personKey("there"), version: 2 }, found: 1 },
        { expectation: { kind: "exists", ...personKey("nobody") } },
        { expectation: { kind: "absent", ...personKey("there") }, found: 1 },
        { expectation: { kind: "free", claim: "taken" } },
      ] as const;
      for (const some of [failing, ...failing.map((each) => [each])]) {
        const expected = [...kept, ...some.map((each) => each.expectation)];
        expect(await store.commit({ expect: expected, put: [person("new")] })).toEqual({
          ok: false,
          failures: some.map((each) => ({ kind: "expectation", ...each })),
        });
      }
      await mustCommit(store, { expect: kept, put: [person("new")] });
    },
  },
  {
    about: "sizes",
    name: "names and values of 5,000 characters are told apart by their last one, and those of 500 sorted by it",
    async run({ store }) {
      const long = "क्षेत्र ".repeat(625);
      const [one, two] = ["1", "2"].map((last) => `${long}${last}`) as [string, string];
      const named = (text: string, value: string) =>
        person(text, {
          claims: [text],
          entries: { [text]: [text], value: [value], sorted: [value.slice(-500)] },
          feeds: [text],
        });
      await mustCommit(store, { put: [named(one, two), named(two, one)] });
      expect(keysOf((await store.resolve([two, one, long])).flatMap((each) => each ?? []))).toEqual([
        two,
        one,
      ]);
      const find = async (condition: Condition) =>
        keysOf((await store.query({ collection: "people", where: [condition], limit: 3 })).documents);
      expect(await find({ index: one, prefix: long })).toEqual([one]);
      expect(await find({ index: "value", anyOf: [one] })).toEqual([two]);
      expect(await find({ index: "value", prefix: two })).toEqual([one]);
      expect(await find({ index: "value", contains: `${long.slice(-9)}1` })).toEqual([two]);
      expect(await find({ index: "value", from: two })).toEqual([one]);
      expect(keysOf(await readAll(store, { collection: "people", limit: 1 }))).toEqual([one, two]);
      for (const descending of [false, true]) {
        const sort = { index: "sorted", descending };
        const sorted = keysOf(await readAll(store, { collection: "people", sort, limit: 1 }));
        expect(sorted).toEqual(descending ? [one, two] : [two, one]);
      }
      for (const each of [one, two]) expect((await readFeed(store, each)).told).toEqual([`put ${each}`]);
    },
  },
  {
    about: "sizes",
    name: "2,500 keys are read, claims resolved, and values asked for in one call",
    async run({ store }) {
      const keys = Array.from({ length: 2500 }, (_, n) => `n${n}`);
      const put = keys.map((key) => person(key, { claims: [key], entries: { name: [key] } }));
      await mustCommit(store, { put });
      expect((await store.get(keys.map(personKey))).map((each) => each?.key)).toEqual(keys);
      expect((await store.resolve(keys)).map((each) => each?.key)).toEqual(keys);
      const where = [{ index: "name", anyOf: keys }];
      expect(keysOf((await store.query({ collection: "people", where, limit: 5000 })).documents)).toEqual(
        keys.toSorted(),
      );
    },
  },
  {
    about: "sizes",
    name: "a document of 20,000 values in one index is found by each, also when one of them has changed",
    async run({ store }) {
      const values = Array.from({ length: 20_000 }, (_, n) => `member ${n}`);
      const find = async (value: string) => {
        const where = [{ index: "member", anyOf: [value] }];
        return keysOf((await store.query({ collection: "people", where, limit: 2 })).documents);
      };
      await mustCommit(store, { put: [person("a", { entries: { member: values } })] });
      const changed = values.with(19_000, "another");
      await mustCommit(store, { put: [person("a", { version: 2, entries: { member: changed } })] });
      const [document] = await store.get([personKey("a")]);
      expect(sameJson(document?.entries.member ?? [], changed)).toBe(true);
      expect(await find("member 19999")).toEqual(["a"]);
      expect(await find("another")).toEqual(["a"]);
      expect(await find("member 19000")).toEqual([]);
    },
  },
  {
    about: "sizes",
    name: "documents are put in commits of 1,000, and read, found and told page by page",
    sized: true,
    async run({ store }, { documents: count }) {
      const early = await leaveEarly(store);
      await fill(store, count);
      const some = Array.from({ length: 200 }, (_, i) => (i * 7919) % count);
      const found = await store.get(some.map((n) => personKey(keyOf(n))));
      expect(found.map((each) => each?.body)).toEqual(some.map((n) => ({ n })));
      const holders = await store.resolve([...some.map((n) => `id ${n}`), `id ${count}`]);
      expect(holders.map((each) => each?.key)).toEqual([...some.map(keyOf), undefined]);
      for (const { query, keys } of expectedPages(count)) {
        const { documents } = await store.query({ collection: "people", ...query });
        expect(keysOf(documents), JSON.stringify(query)).toEqual(keys);
      }
      if (store.count) expect(await store.count({ collection: "people" })).toBe(count);
      const { told, next } = await readFeed(store, "all", { limit: 1000 });
      expect(told.length, "changes told").toBe(count);
      expect(
        told.every((each, n) => each === `put ${keyOf(n)}`),
        "changes in order",
      ).toBe(true);
      expect((await readFeed(store, "few")).told).toHaveLength(Math.ceil(count / 1000));
      const changed = [3, count - 1].map((n) => ({ ...nth(n, count), version: 2 }));
      await mustCommit(store, { put: changed, remove: [personKey(keyOf(5))] });
      const rest = [`put ${keyOf(3)}`, `put ${keyOf(count - 1)}`, `gone ${keyOf(5)}`];
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(rest);
      await isKept(store, early);
    },
  },
  {
    about: "sizes",
    name: "5,000 documents are put, changed and removed, each in one commit",
    async run({ store }) {
      const early = await leaveEarly(store);
      const keys = Array.from({ length: 5000 }, (_, n) => keyOf(n));
      const put = (version: number, feed: string) =>
        keys.map((key) =>
          person(key, { version, claims: [`id ${key}`], entries: { v: [`${version}`] }, feeds: [feed] }),
        );
      await mustCommit(store, {
        expect: keys.map((key) => ({ kind: "absent", ...personKey(key) })),
        put: put(1, "all"),
      });
      const expected = keys.map((key) => ({ kind: "version", ...personKey(key), version: 1 }) as const);
      await mustCommit(store, { expect: expected, put: put(2, "other") });
      const refused = await store.commit({ expect: expected, put: put(3, "all") });
      expect(refused.ok ? 0 : refused.failures.length).toBe(5000);
      const where = [{ index: "v", anyOf: ["2"] }];
      expect((await store.query({ collection: "people", where, limit: 5001 })).documents).toHaveLength(5000);
      for (const [feed, what] of [
        ["all", "gone"],
        ["other", "put"],
      ] as const) {
        expect((await readFeed(store, feed, { limit: 2500 })).told).toEqual(
          keys.map((key) => `${what} ${key}`),
        );
      }
      await mustCommit(store, { remove: keys.map(personKey) });
      expect((await store.resolve(keys.map((key) => `id ${key}`))).every((each) => !each)).toBe(true);
      await isKept(store, early);
    },
  },
  {
    about: "sizes",
    name: "bodies of 5 MB come whole in a page of a query and of a feed, among small ones",
    async run({ store }) {
      const photo = (key: string) => ({ photo: `${key}123456789abcdeé`.repeat(5 * 65_536) });
      for (const key of ["a", "b"]) {
        await mustCommit(store, {
          put: [person(key, { body: photo(key), feeds: ["all"] }), person(`${key}1`, { feeds: ["all"] })],
        });
      }
      const [{ documents }, { changes }] = await Promise.all([
        store.query({ collection: "people", limit: 10 }),
        store.changes({ feed: "all", limit: 10 }),
      ]);
      const told = changes.flatMap((each) => (each.kind === "put" ? [each.document] : []));
      for (const page of [documents, told]) {
        expect(keysOf(page)).toEqual(["a", "a1", "b", "b1"]);
        const bodies = page.map((each) => each.body);
        // Compared without expect, which would print them.
        expect(sameJson(bodies, [photo("a"), {}, photo("b"), {}])).toBe(true);
      }
    },
  },
];
