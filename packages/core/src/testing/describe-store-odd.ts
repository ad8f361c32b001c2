import { expect } from "vitest";
import type { Condition, Store } from "../store/port.ts";
import { keysOf, mustCommit, person, personKey, readFeed, type StoreCase } from "./describe-store-harness.ts";

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `n${n}`);

async function found(store: Store, condition: Condition, collection = "people"): Promise<string[]> {
  return keysOf((await store.query({ collection, where: [condition], limit: 5000 })).documents);
}

/** Texts and numbers that are alike for some medium, or that it has no room for. */
export const oddCases: readonly StoreCase[] = [
  {
    about: "unicode",
    name: "names that differ in case, in a space at the end or in U+FEFF are different names",
    async run({ store }) {
      const names = ["a", "A", "a ", "\ufeffa", "a\ufeff", "\ufeff"];
      const put = names.map((name) =>
        person(name, { collection: name, claims: [name], entries: { [name]: [name] }, feeds: [name] }),
      );
      await mustCommit(store, { put });
      expect(await store.get(put)).toEqual(put);
      expect(await store.resolve(names)).toEqual(put.map(({ collection, key }) => ({ collection, key })));
      for (const name of names) {
        expect(keysOf((await store.query({ collection: name, limit: 9 })).documents)).toEqual([name]);
        expect(await found(store, { index: name, anyOf: [name] }, name)).toEqual([name]);
        expect((await readFeed(store, name)).told).toEqual([`put ${name}`]);
      }
      await mustCommit(store, { put: names.map((name) => person(name)) });
      expect(
        keysOf(await store.get(names.map(personKey)).then((all) => all.flatMap((one) => one ?? []))),
      ).toEqual(names);
    },
  },
  {
    about: "unicode",
    name: "half a surrogate pair in a body comes back as it was",
    async run({ store }) {
      const body = { "\ud83d": ["\ude00", "a\ud83db"] };
      await mustCommit(store, { put: [person("a", { body })] });
      expect((await store.get([personKey("a")]))[0]?.body).toEqual(body);
    },
  },
  {
    about: "reads",
    name: "the greatest version is expected and comes back as it was",
    async run({ store }) {
      const [before, last] = [Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER];
      await mustCommit(store, { put: [person("a", { version: before })] });
      const next = { expect: [{ kind: "version", ...personKey("a"), version: before }] as const };
      await mustCommit(store, { ...next, put: [person("a", { version: last })] });
      expect((await store.get([personKey("a")]))[0]?.version).toBe(last);
      const result = await store.commit(next);
      expect(result.ok || result.failures).toMatchObject([{ found: last }]);
    },
  },
  {
    about: "reads",
    name: "an index and a member of a body may be named __proto__",
    async run({ store }) {
      const body = JSON.parse('{"__proto__":{"a":1},"constructor":2}');
      const entries = Object.fromEntries([["__proto__", ["x"]]]);
      await mustCommit(store, { put: [person("a", { body, entries })] });
      const [document] = await store.get([personKey("a")]);
      expect(JSON.stringify(document?.body)).toBe(JSON.stringify(body));
      expect(Object.entries(document?.entries ?? {})).toEqual([["__proto__", ["x"]]]);
      expect(await found(store, { index: "__proto__", anyOf: ["x"] })).toEqual(["a"]);
    },
  },
  {
    about: "reads",
    name: "what is declared twice comes back twice",
    async run({ store }) {
      const twice = {
        claims: ["b", "a", "b"],
        entries: { name: ["y", "x", "y"] },
        feeds: ["all", "few", "all"],
      };
      await mustCommit(store, { put: [person("a", twice)] });
      await mustCommit(store, { put: [person("a", { ...twice, version: 2 })] });
      expect(await store.get([personKey("a")])).toMatchObject([twice]);
      expect(await store.resolve(["b"])).toEqual([personKey("a")]);
      expect((await readFeed(store, "all")).told).toEqual(["put a"]);
    },
  },
  {
    about: "conditions",
    name: "a range from the empty value asks for a value",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { entries: { name: [""] } }), person("b")] });
      expect(await found(store, { index: "name", from: "" })).toEqual(["a"]);
    },
  },
  {
    about: "feeds",
    name: "a put of what is there already is told",
    async run({ store }) {
      const put = [person("a", { feeds: ["all"] })];
      await mustCommit(store, { put: [...put, person("b", { feeds: ["all"] })] });
      const { next } = await readFeed(store, "all");
      await mustCommit(store, { put });
      expect((await readFeed(store, "all", { cursor: next })).told).toEqual(["put a"]);
    },
  },
  {
    about: "sizes",
    name: "2,500 keys are read, claims resolved, and values asked for in one call",
    async run({ store }) {
      const keys = numbered(2500);
      const sorted = keys.toSorted();
      const put = keys.map((key) => person(key, { claims: [key], entries: { name: [key] } }));
      await mustCommit(store, { put });
      expect((await store.get(keys.map(personKey))).map((each) => each?.key)).toEqual(keys);
      expect((await store.resolve(keys)).map((each) => each?.key)).toEqual(keys);
      expect(await found(store, { index: "name", anyOf: keys })).toEqual(sorted);
    },
  },
];
