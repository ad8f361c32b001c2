import { expect } from "vitest";
import type { Condition, Store } from "../store/port.ts";
import {
  keysOf,
  mustCommit,
  person,
  personKey,
  readAll,
  readFeed,
  type StoreCase,
} from "./describe-store-harness.ts";

async function found(store: Store, condition: Condition, collection = "people"): Promise<string[]> {
  return keysOf((await store.query({ collection, where: [condition], limit: 5000 })).documents);
}

/** Gives everything that has a name each of these names. */
async function areApart(store: Store, names: readonly string[]): Promise<void> {
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
}

/** What a medium may join names by. */
const joins = [..." :/|.,;-_#\t\n\u0001\u001f\u007f\ue000\uffff"];

/** Texts and numbers that are alike for some medium, or that it has no room for. */
export const oddCases: readonly StoreCase[] = [
  {
    about: "unicode",
    name: "names that differ in case, in a space at the end or in U+FEFF are different names",
    async run({ store }) {
      await areApart(store, ["a", "A", "a ", "\ufeffa", "a\ufeff", "\ufeff"]);
    },
  },
  {
    about: "reads",
    name: "names are apart that are alike once they are joined",
    async run({ store }) {
      for (const mark of joins) {
        const [whole, own] = [`a${mark}b`, `b${mark}c`];
        const put = [
          person("c", {
            collection: whole,
            claims: [`${whole}1`],
            feeds: [whole],
            entries: { [whole]: ["c"] },
          }),
          person(own, { collection: "a", claims: [`a${mark}1`], feeds: [own], entries: { a: [own] } }),
          person("1", { collection: "a", entries: { [`a${mark}b`]: ["c"], a: [`b${mark}d`] } }),
        ];
        await mustCommit(store, { put });
        expect(await store.get(put), JSON.stringify(mark)).toMatchObject(put);
        expect(await found(store, { index: whole, anyOf: ["c"] }, whole)).toEqual(["c"]);
        expect(await found(store, { index: "a", anyOf: [own] }, "a")).toEqual([own]);
        expect(await found(store, { index: whole, anyOf: ["c"] }, "a")).toEqual(["1"]);
        expect(await found(store, { index: "a", anyOf: [`b${mark}c`, `b${mark}d`] }, "a")).toEqual([
          ...["1", own].sort(),
        ]);
        expect((await readFeed(store, whole)).told).toEqual(["put c"]);
        await mustCommit(store, { remove: put });
      }
    },
  },
  {
    about: "reads",
    name: "names may be those that every object has already",
    async run({ store }) {
      await areApart(store, ["__proto__", "constructor", "hasOwnProperty", "toString"]);
    },
  },
  {
    about: "unicode",
    name: "values that differ in case, in a space at the end, in U+FEFF or in composition are different values",
    async run({ store }) {
      const values = [
        "a",
        "A",
        "a ",
        "a  ",
        " a",
        "\ufeffa",
        "a\ufeff",
        "é",
        "e\u0301",
        "é ",
        "É",
        "ﬁ",
        "fi",
      ];
      await mustCommit(store, {
        put: values.map((value, n) => person(`${n}`, { entries: { name: [value] } })),
      });
      const keys = (meets: (value: string) => boolean) =>
        values.flatMap((value, n) => (meets(value) ? [`${n}`] : [])).toSorted();
      for (const value of values) {
        const title = JSON.stringify(value);
        const conditions: readonly (readonly [Condition, string[]])[] = [
          [{ index: "name", anyOf: [value] }, keys((each) => each === value)],
          [{ index: "name", prefix: value }, keys((each) => each.startsWith(value))],
          [{ index: "name", contains: value }, keys((each) => each.includes(value))],
          [{ index: "name", from: value, below: `${value}\u0001` }, keys((each) => each === value)],
        ];
        for (const [condition, expected] of conditions) {
          expect(await found(store, condition), title).toEqual(expected);
        }
      }
    },
  },
  {
    about: "order",
    name: "values that look like numbers are texts, in either direction and on pages of any size",
    async run({ store }) {
      const values = ["1", "10", "100", "2", "20", "3", "9", "99"];
      const put = values.map((value, n) =>
        person(`${(n * 3) % 8}`, { body: value, entries: { n: [value] } }),
      );
      await mustCommit(store, { put });
      for (const descending of [false, true]) {
        for (const limit of [3, 8, 9]) {
          const all = await readAll(store, { collection: "people", sort: { index: "n", descending }, limit });
          const expected = descending ? values.toReversed() : values;
          expect(
            all.map(({ body }) => body),
            `pages of ${limit}`,
          ).toEqual(expected);
        }
      }
      const range = await store.query({
        collection: "people",
        where: [{ index: "n", from: "2", below: "9" }],
        limit: 9,
      });
      expect(range.documents.map(({ body }) => body).toSorted()).toEqual(["2", "20", "3"]);
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
];
