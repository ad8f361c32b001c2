import { expect } from "vitest";
import type { Query, Store } from "../store/port.ts";
import {
  handlesOf,
  impatience,
  keysOf,
  mustCommit,
  person,
  personKey,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

/** A commit of four documents in two collections, all of one version; two claims change hands in each. */
function quartet(name: string, version: number) {
  const claims = [`heads ${name}`, `tails ${name}`];
  const [one = "", two = ""] = version % 2 === 0 ? claims : claims.toReversed();
  const rest = { version, feeds: ["all"], entries: { version: [`${version}`.padStart(3, "0")] } };
  return [
    person(`${name}1`, { ...rest, claims: [one] }),
    person(`${name}2`, { ...rest, claims: [two] }),
    person(`${name}3`, { ...rest, collection: "homes" }),
    person(`${name}4`, { ...rest, collection: "homes" }),
  ];
}

/** Reads what {@link quartet} writes through every door, each of which shows one moment. */
async function readWhole(store: Store, name: string): Promise<void> {
  const one = (versions: readonly (number | undefined)[], door: string) =>
    expect(new Set(versions).size, `versions of one commit seen by ${door}: ${versions}`).toBeLessThan(2);
  const people = [`${name}1`, `${name}2`].map(personKey);
  const homes = [`${name}3`, `${name}4`].map((key) => ({ collection: "homes", key }));
  const where = [{ index: "version", prefix: "" }];
  const [got, listed, holders, page] = await Promise.all([
    store.get([...people, ...homes]),
    store.query({ collection: "people", where, sort: { index: "version" }, limit: 100 }),
    store.resolve([`heads ${name}`, `tails ${name}`]),
    store.changes({ feed: "all", limit: 100 }),
  ]);
  one(
    got.map((each) => each?.version),
    "get",
  );
  const versions = listed.documents.filter(({ key }) => key.startsWith(name)).map(({ version }) => version);
  expect(versions, "documents listed").toHaveLength(2);
  one(versions, "query");
  expect(keysOf(holders.filter((each) => each !== undefined)).toSorted(), "holders").toEqual(keysOf(people));
  const told = page.changes.flatMap((each) => (each.kind === "put" ? [each.document] : []));
  one(
    told.filter(({ key }) => key.startsWith(name)).map(({ version }) => version),
    "changes",
  );
}

const keys = ["a", "b", "c", "d", "e", "f"];

/** Six numbers in an order that depends on a seed and on nothing else. */
function shuffled(seed: number): string[] {
  return keys.toSorted((x, y) => rank(x, seed) - rank(y, seed));
}

function rank(key: string, seed: number): number {
  return ((key.charCodeAt(0) + 11) * (seed + 7) * 7919) % 101;
}

/** Adds one to a document's version, trying again as often as others come first. */
async function raise(store: Store, key: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries++) {
    const [document] = await store.get([personKey(key)]);
    const version = document?.version ?? 0;
    const expectation = { kind: "version", ...personKey(key), version } as const;
    const next = person(key, { version: version + 1, body: version + 1, feeds: ["all"] });
    if ((await store.commit({ expect: [expectation], put: [next] })).ok) return;
  }
  throw new Error("The commit is refused again and again.");
}

/** Many commits in flight on several handles. */
export const raceCases: readonly StoreCase[] = [
  {
    about: "isolation",
    name: "readers on other handles see only whole commits, by get, query, resolve and changes",
    async run(open) {
      const [one, two, three, four] = await handlesOf(open, 4);
      const names = ["n", "s"];
      await mustCommit(one, { put: names.flatMap((name) => quartet(name, 1)) });
      const { committed, read } = impatience();
      let writing = names.length;
      const writers = names.map(async (name, i) => {
        const store = i === 0 ? one : (two ?? one);
        try {
          for (let version = 2; version <= 25; version++) {
            await mustCommit(store, { put: quartet(name, version) });
            committed();
          }
        } finally {
          writing -= 1;
        }
      });
      const readers = [three, four].map(async (store = one, i) => {
        for (; writing > 0; read()) await readWhole(store, names[i] ?? "");
      });
      await Promise.all([...writers, ...readers]);
    },
  },
  {
    about: "isolation",
    name: "what a query answers meets its conditions and is in its order as it was at one moment",
    async run(open) {
      const [one, two = one] = await handlesOf(open, 2);
      const numbers = keys.map((_, n) => `${n}`);
      const put = (version: number) =>
        mustCommit(one, {
          put: shuffled(version).map((key, n) => person(key, { version, entries: { n: [`${n}`] } })),
        });
      await put(1);
      const patience = impatience();
      let writing = true;
      const write = async () => {
        for (let version = 2; version <= 40; version++) {
          await put(version);
          patience.committed();
        }
      };
      const ask = async (asked: Pick<Query, "where" | "sort">) => {
        const { documents } = await two.query({ collection: "people", ...asked, limit: 9 });
        return documents.map(({ entries }) => entries.n?.[0]);
      };
      const index = "n";
      const conditions = [
        { condition: { index, anyOf: ["1", "0"] }, expected: ["0", "1"] },
        { condition: { index, below: "2" }, expected: ["0", "1"] },
        { condition: { index, prefix: "3" }, expected: ["3"] },
        { condition: { index, contains: "5" }, expected: ["5"] },
      ];
      const read = async () => {
        for (; writing; patience.read()) {
          for (const { condition, expected } of conditions) {
            expect((await ask({ where: [condition] })).toSorted()).toEqual(expected);
          }
          for (const descending of [false, true]) {
            const expected = descending ? numbers.toReversed() : numbers;
            expect(await ask({ sort: { index, descending } })).toEqual(expected);
          }
        }
      };
      const written = write().finally(() => {
        writing = false;
      });
      await Promise.all([written, read()]);
    },
  },
  {
    about: "races",
    name: "no update is lost that was decided on the version it replaces",
    async run(open) {
      const handles = await handlesOf(open, 4);
      await mustCommit(open.store, { put: [person("a")] });
      const adding = handles.map(async (store) => {
        for (let n = 0; n < 8; n++) await raise(store, "a");
      });
      await Promise.all(adding);
      expect((await open.store.get([personKey("a")]))[0]?.version).toBe(1 + 8 * handles.length);
    },
  },
  {
    about: "races",
    name: "of simultaneous puts of one document without expectation one is left, whole",
    async run(open) {
      const handles = await handlesOf(open, 4);
      const numbers = Array.from({ length: 20 }, (_, n) => `${n}`);
      await Promise.all(
        numbers.map((n, i) =>
          mustCommit(handles[i % handles.length] ?? open.store, {
            put: [
              person("a", { body: n, claims: [`claim ${n}`], entries: { n: [n] }, feeds: [`feed ${n}`] }),
            ],
          }),
        ),
      );
      const winner = (await open.store.get([personKey("a")]))[0]?.body;
      expect(numbers).toContain(winner);
      const holders = await open.store.resolve(numbers.map((n) => `claim ${n}`));
      expect(numbers.filter((_, i) => holders[i])).toEqual([winner]);
      for (const n of numbers) {
        const where = [{ index: "n", anyOf: [n] }];
        const { documents } = await open.store.query({ collection: "people", where, limit: 2 });
        expect(keysOf(documents)).toEqual(n === winner ? ["a"] : []);
        expect((await readFeed(open.store, `feed ${n}`)).told).toEqual([n === winner ? "put a" : "gone a"]);
      }
    },
  },
  {
    about: "races",
    name: "of simultaneous puts and removals of one document it is left whole or nowhere",
    async run(open) {
      const handles = await handlesOf(open, 4);
      const rich = person("a", { claims: ["claim"], entries: { n: ["1"] }, feeds: ["all"] });
      const racing = Array.from({ length: 40 }, (_, i) =>
        mustCommit(
          handles[i % handles.length] ?? open.store,
          i % 3 === 0 ? { remove: [personKey("a")] } : { put: [rich] },
        ),
      );
      await Promise.all(racing);
      const [[document], [holder], { documents }, { told }] = await Promise.all([
        open.store.get([personKey("a")]),
        open.store.resolve(["claim"]),
        open.store.query({ collection: "people", where: [{ index: "n", prefix: "" }], limit: 2 }),
        readFeed(open.store, "all"),
      ]);
      expect(holder !== undefined).toBe(document !== undefined);
      expect(documents).toHaveLength(document ? 1 : 0);
      expect(told).toEqual([document ? "put a" : "gone a"]);
    },
  },
  {
    about: "races",
    name: "commits of many documents, in different orders, are all made",
    async run(open) {
      const handles = await handlesOf(open, 4);
      const racing = Array.from({ length: 40 }, (_, i) => {
        const put = shuffled(i).map((key, n) =>
          person(key, { version: i + 1, claims: [`claim ${n}`], entries: { n: [`${n}`] }, feeds: ["all"] }),
        );
        return mustCommit(handles[i % handles.length] ?? open.store, { put });
      });
      await Promise.all(racing);
      const found = await open.store.get(keys.map(personKey));
      expect(new Set(found.map((each) => each?.version)).size, "commits that are left").toBe(1);
      const told = await readFeed(open.store, "all");
      expect(told.told).toHaveLength(keys.length);
    },
  },
  {
    about: "races",
    name: "of simultaneous moves of a claim each finds the holder that the one before left",
    async run(open) {
      const handles = await handlesOf(open, 4);
      await mustCommit(open.store, { put: keys.map((key) => person(key, { claims: [`of ${key}`] })) });
      await mustCommit(open.store, { put: [person("a", { claims: ["the one"] })] });
      // Each takes the claim from one whom it believes to hold it: right, or refused with the holder's name.
      const results = await Promise.all(
        keys.slice(1).flatMap((from) =>
          ["a", from].map((believed, i) =>
            (handles[i % handles.length] ?? open.store).commit({
              put: [person(`new ${from} ${believed}`, { claims: ["the one"] })],
              remove: [personKey(believed)],
            }),
          ),
        ),
      );
      expect(results.filter(({ ok }) => ok)).toHaveLength(1);
      const [holder] = await open.store.resolve(["the one"]);
      expect(holder?.key).toMatch(/^new . a$/);
      expect(await open.store.get([personKey("a")])).toEqual([undefined]);
    },
  },
];
