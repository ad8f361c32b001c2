import { expect } from "vitest";
import { sameJson } from "../json.ts";
import { createMemoryStore } from "../store/memory.ts";
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

const rich = (key: string, version = 1) =>
  person(key, { version, body: { key }, claims: [`claim ${key}`], entries: { name: [key] }, feeds: ["all"] });

async function isWhole(store: Store, keys: readonly string[]): Promise<void> {
  expect((await store.get(keys.map(personKey))).map((document) => document?.body)).toEqual(
    keys.map((key) => ({ key })),
  );
  expect(await store.resolve(keys.map((key) => `claim ${key}`))).toEqual(keys.map(personKey));
  const where = [{ index: "name", prefix: "" }];
  expect(keysOf(await readAll(store, { collection: "people", where, limit: 2 }))).toEqual(keys);
  expect((await readFeed(store, "all")).told).toEqual(keys.map((key) => `put ${key}`));
}

/** Opening, several handles, and sizes. */
export const lifeCases: readonly StoreCase[] = [
  {
    about: "durability",
    name: "documents, claims, entries, feeds and cursors are there after reopening",
    async run(open) {
      await mustCommit(open.store, { put: [rich("a"), rich("b")] });
      await mustCommit(open.store, { put: [rich("c")], durability: "relaxed" });
      const { next } = await readFeed(open.store, "all");
      const store = await open.reopen();
      await isWhole(store, ["a", "b", "c"]);
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual([]);
      await mustCommit(store, { put: [rich("a", 2)] });
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["put a"]);
      expect((await store.commit({ put: [person("z", { claims: ["claim a"] })] })).ok).toBe(false);
    },
  },
  {
    about: "durability",
    name: "after reopening a feed still tells what is gone, and nothing of a commit that was refused is there",
    async run(open) {
      await mustCommit(open.store, { put: [rich("a"), rich("b"), rich("c")] });
      const { next } = await readFeed(open.store, "all");
      await mustCommit(open.store, { put: [{ ...rich("b", 2), feeds: [] }], remove: [personKey("a")] });
      const refused = { expect: [{ kind: "exists", ...personKey("a") } as const], put: [rich("d")] };
      expect((await open.store.commit(refused)).ok).toBe(false);
      const store = await open.reopen();
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["gone b", "gone a"]);
      expect((await readFeed(store, "all")).told).toEqual(["put c", "gone b", "gone a"]);
      expect(await store.get([personKey("a"), personKey("d")])).toEqual([undefined, undefined]);
      expect(await store.resolve(["claim a", "claim d"])).toEqual([undefined, undefined]);
    },
  },
  {
    about: "durability",
    name: "a commit that has resolved survives a crash of the process, strict and relaxed",
    needs: "crash",
    async run(open) {
      await mustCommit(open.store, { put: [rich("a")], durability: "strict" });
      await mustCommit(open.store, { put: [rich("b")], durability: "relaxed" });
      await mustCommit(open.store, { put: [rich("c")] });
      const { next } = await readFeed(open.store, "all");
      const store = (await open.crash?.()) ?? open.store;
      await isWhole(store, ["a", "b", "c"]);
      await mustCommit(store, { put: [rich("d")] });
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["put d"]);
      await isWhole(store, ["a", "b", "c", "d"]);
    },
  },
  {
    about: "handles",
    name: "every handle sees what another has committed, at once",
    needs: "second",
    async run(open) {
      const one = open.store;
      const two = (await open.second?.()) ?? one;
      await mustCommit(one, { put: [rich("a")] });
      await isWhole(two, ["a"]);
      await mustCommit(two, { put: [rich("b")] });
      await isWhole(one, ["a", "b"]);
      await two.close();
      await mustCommit(one, { put: [rich("c")] });
      await isWhole(one, ["a", "b", "c"]);
    },
  },
  {
    about: "handles",
    name: "what a handle has read, also that there was nothing, it reads anew when another has committed",
    needs: "second",
    async run(open) {
      const [one, two = one] = await handlesOf(open, 2);
      const query = { collection: "people", where: [{ index: "name", anyOf: ["a"] }] };
      const naming = { collection: "people", index: "of" };
      const isSeen = async (...expected: readonly Document[]) => {
        const [document] = expected;
        const [at] = expected.map(({ collection, key }) => ({ collection, key }));
        expect(await two.get([personKey("a")])).toEqual([document]);
        expect(await two.resolve(["claim a"])).toEqual([at]);
        expect((await two.query({ ...query, limit: 5 })).documents).toEqual(expected.slice(0, 1));
        if (two.count) expect(await two.count(query)).toBe(document ? 1 : 0);
        const found = document && { document, naming: expected.slice(1) };
        if (two.find) expect(await two.find("claim a", naming)).toEqual(found);
      };
      const named = { ...rich("b"), entries: { of: ["a"] } };
      const states = [
        [],
        [rich("a")],
        [rich("a", 2)],
        [rich("a", 3), named],
        [rich("a", 4)],
        [],
        [rich("a")],
      ];
      for (const state of states) {
        const remove = ["a", "b"].filter((key) => !keysOf(state).includes(key)).map(personKey);
        await mustCommit(one, { put: state, remove });
        await isSeen(...state);
      }
    },
  },
  {
    about: "handles",
    name: "of 100 racing commits on two handles that expect the same version exactly one is made",
    needs: "second",
    async run(open) {
      const handles = [open.store, (await open.second?.()) ?? open.store];
      await mustCommit(open.store, { put: [person("a")] });
      const racing = Array.from({ length: 100 }, async (_, i) => {
        const store = handles[i % 2] ?? open.store;
        const expectation = { kind: "version", ...personKey("a"), version: 1 } as const;
        const put = [person("a", { version: 2, body: i }), person(`of ${i}`, { feeds: ["all"] })];
        return store.commit({ expect: [expectation], put });
      });
      const results = await Promise.all(racing);
      const winners = results.flatMap((result, i) => (result.ok ? [i] : []));
      expect(winners).toHaveLength(1);
      expect(keysOf(await readAll(open.store, { collection: "people", limit: 100 }))).toEqual([
        "a",
        `of ${winners[0]}`,
      ]);
      expect((await readFeed(open.store, "all")).told).toEqual([`put of ${winners[0]}`]);
    },
  },
  {
    about: "handles",
    name: "of 100 racing commits on two handles that make the same claim exactly one is made",
    needs: "second",
    async run(open) {
      const handles = [open.store, (await open.second?.()) ?? open.store];
      const racing = Array.from({ length: 100 }, async (_, i) =>
        (handles[i % 2] ?? open.store).commit({ put: [person(`${i}`, { claims: ["the one"] })] }),
      );
      const results = await Promise.all(racing);
      expect(results.filter((result) => result.ok)).toHaveLength(1);
      const winner = results.findIndex((result) => result.ok);
      for (const store of handles) expect(await store.resolve(["the one"])).toEqual([personKey(`${winner}`)]);
    },
  },
  {
    about: "sizes",
    name: "a body of 5 MB comes back whole",
    async run({ store }) {
      const photo = "0123456789abcdeé".repeat(5 * 65_536);
      await mustCommit(store, { put: [person("a", { body: { photo } })] });
      const [document] = await store.get([personKey("a")]);
      // Compared without expect, which would print both.
      expect(sameJson(document?.body, { photo })).toBe(true);
    },
  },
  {
    about: "sizes",
    name: "1,000 documents are put, read, found, resolved, told and removed at once",
    async run({ store }) {
      const keys = Array.from({ length: 1000 }, (_, i) => `${i}`.padStart(4, "0"));
      const expectations = keys.map((key) => ({ kind: "absent", ...personKey(key) }) as const);
      await mustCommit(store, { expect: expectations, put: keys.map((key) => rich(key)) });
      await isWhole(store, keys);
      const where = [{ index: "name", anyOf: keys }];
      expect((await store.query({ collection: "people", where, limit: 1000 })).documents).toHaveLength(1000);
      const versions = keys.map((key) => ({ kind: "version", ...personKey(key), version: 1 }) as const);
      await mustCommit(store, { expect: versions, remove: keys.map(personKey) });
      expect(await store.query({ collection: "people", limit: 1 })).toEqual({ documents: [] });
      expect((await readFeed(store, "all")).told).toEqual(keys.map((key) => `gone ${key}`));
    },
  },
  {
    about: "sizes",
    name: "20 documents scattered among 1,000 are changed, with new ones between, and each is told",
    async run({ store }) {
      const named = (i: number) => `${i}`.padStart(5, "0");
      await mustCommit(store, { put: Array.from({ length: 1000 }, (_, i) => rich(named(i * 10))) });
      const { next } = await readFeed(store, "all");
      const changed = Array.from({ length: 20 }, (_, i) => named(i * 500));
      const fresh = Array.from({ length: 20 }, (_, i) => named(i * 500 + 5));
      const put = [
        ...changed.map((key) => ({ ...rich(key, 2), feeds: [] })),
        ...fresh.map((key) => rich(key)),
      ];
      const versions = changed.map((key) => ({ kind: "version", ...personKey(key), version: 1 }) as const);
      const absences = fresh.map((key) => ({ kind: "absent", ...personKey(key) }) as const);
      await mustCommit(store, { expect: [...versions, ...absences], put });
      const told = [...changed.map((key) => `gone ${key}`), ...fresh.map((key) => `put ${key}`)];
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(told);
      expect(await readAll(store, { collection: "people", limit: 300 })).toHaveLength(1020);
    },
  },
  {
    about: "sizes",
    name: "pages of what most of 1,000 documents match are those of the memory store, in any order",
    async run({ store }) {
      const model = createMemoryStore();
      const words = ["ana", "banana", "cruz", "santos", "zoe"];
      const put = Array.from({ length: 1000 }, (_, i) => {
        const [first = "", second = ""] = [words[(i * 7) % 5], words[(i * 3) % 5]];
        const name = i % 9 === 0 ? [] : [`${first} ${(i * 37) % 101}`, second];
        return person(`${(i * 617) % 1000}`, { entries: { name, born: i % 11 === 0 ? [] : [`${i % 13}`] } });
      });
      for (const each of [store, model]) await mustCommit(each, { put });
      const conditions: Condition[] = [
        { index: "name", contains: "an" },
        { index: "name", prefix: "" },
        { index: "name", anyOf: words },
        { index: "name", from: "b" },
        { index: "born", below: "5" },
      ];
      const wheres = [
        [],
        ...conditions.map((each) => [each]),
        conditions.slice(0, 1).concat(conditions.slice(4)),
      ];
      for (const where of wheres) {
        for (const index of ["name", "born"]) {
          for (const descending of [false, true]) {
            const query: Query = { collection: "people", where, sort: { index, descending }, limit: 333 };
            const title = `${JSON.stringify(where)} by ${index}${descending ? ", descending" : ""}`;
            expect(keysOf(await readAll(store, query)), title).toEqual(keysOf(await readAll(model, query)));
          }
        }
      }
    },
  },
];
