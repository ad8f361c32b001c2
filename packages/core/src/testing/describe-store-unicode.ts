import { expect } from "vitest";
import { compareCodeUnits } from "../store/match.ts";
import { keysOf, mustCommit, person, personKey, readAll, type StoreCase } from "./describe-store-harness.ts";

/** In order of UTF-16 code units, which is neither that of code points (see the emoji) nor that of any language. */
const ordered: readonly string[] = [
  "\u0001",
  " ",
  "A",
  "Z",
  "a",
  "aa",
  "a\u0301",
  "a\uffff",
  "a\uffff\uffff",
  "b",
  "e\u0301",
  "z",
  "\u00e9",
  "\u017eena",
  "علي",
  "فاطمة",
  "अली",
  "सीता",
  "😀",
  "😀😀",
  "😁",
  "\ue000",
  "\ufb01",
  "\uff21",
  "\uffff",
  "\uffff\uffff",
];

const prefixes = ["a", "a\uffff", "\uffff", "😀", "e", "é", "ع", "स", "\u0001"];

/** Strings of every script. */
export const unicodeCases: readonly StoreCase[] = [
  {
    about: "unicode",
    name: "keys, claims, feeds, index names and values of any script come back as they were",
    async run({ store }) {
      const put = ordered.map((text) =>
        person(text, {
          collection: text,
          body: text,
          claims: [text],
          entries: { [text]: [text] },
          feeds: [text],
        }),
      );
      await mustCommit(store, { put });
      const keys = ordered.map((text) => ({ collection: text, key: text }));
      expect(await store.get(keys)).toEqual(put);
      expect(await store.resolve(ordered)).toEqual(keys);
      for (const text of ordered) {
        const where = [{ index: text, anyOf: [text] }];
        expect(await store.query({ collection: text, where, limit: 9 })).toMatchObject({
          documents: [{ key: text }],
        });
        expect(await store.changes({ feed: text, limit: 9 })).toMatchObject({
          changes: [{ document: { key: text } }],
        });
      }
    },
  },
  {
    about: "unicode",
    name: "keys are ordered by UTF-16 code unit",
    async run({ store }) {
      await mustCommit(store, { put: [...ordered].reverse().map((text) => person(text)) });
      expect(keysOf(await readAll(store, { collection: "people", limit: 4 }))).toEqual(ordered);
    },
  },
  {
    about: "unicode",
    name: "values are ordered by UTF-16 code unit, in either direction",
    async run({ store }) {
      const put = ordered.map((text, i) =>
        person(`${(i * 7) % 100}`, { body: text, entries: { text: [text] } }),
      );
      await mustCommit(store, { put });
      const texts = async (descending: boolean) => {
        const sort = { index: "text", descending };
        return (await readAll(store, { collection: "people", sort, limit: 5 })).map(
          (document) => document.body,
        );
      };
      expect(await texts(false)).toEqual(ordered);
      expect(await texts(true)).toEqual([...ordered].reverse());
    },
  },
  {
    about: "unicode",
    name: "prefixes, substrings and ranges go by UTF-16 code unit",
    async run({ store }) {
      await mustCommit(store, { put: ordered.map((text) => person(text, { entries: { text: [text] } })) });
      const find = async (condition: object) => {
        const where = [{ index: "text", ...condition }];
        return keysOf(await readAll(store, { collection: "people", where, limit: 3 }));
      };
      for (const prefix of prefixes) {
        expect(await find({ prefix }), prefix).toEqual(ordered.filter((text) => text.startsWith(prefix)));
        expect(await find({ contains: prefix }), prefix).toEqual(
          ordered.filter((text) => text.includes(prefix)),
        );
      }
      for (const from of prefixes) {
        for (const below of prefixes) {
          const within = ordered.filter(
            (text) => compareCodeUnits(text, from) >= 0 && compareCodeUnits(text, below) < 0,
          );
          expect(await find({ from, below }), `${from} to ${below}`).toEqual(within);
        }
      }
    },
  },
  {
    about: "unicode",
    name: "half a surrogate pair is found within pairs, and what no document can have is found nowhere",
    async run({ store }) {
      await mustCommit(store, { put: ordered.map((text) => person(text, { entries: { text: [text] } })) });
      const find = async (condition: object) => {
        const where = [{ index: "text", ...condition }];
        return keysOf((await store.query({ collection: "people", where, limit: 99 })).documents);
      };
      expect(await find({ prefix: "\ud83d" })).toEqual(["😀", "😀😀", "😁"]);
      expect(await find({ contains: "\ude00" })).toEqual(["😀", "😀😀"]);
      expect(await find({ contains: "\ude00\ud83d" })).toEqual(["😀😀"]);
      expect(await find({ from: "\ud83d", below: "\ud83e" })).toEqual(["😀", "😀😀", "😁"]);
      expect(await find({ anyOf: ["\ud83d", "\u0000", "z"] })).toEqual(["z"]);
      expect(await find({ from: "\u0000", below: "B\u0000" })).toEqual(["\u0001", " ", "A"]);
      // Also where it is longer than an index may keep.
      for (const never of ["\u0000", "a\u0000", "\u0000b", `${"a".repeat(3000)}\u0000`]) {
        expect(await find({ anyOf: [never] })).toEqual([]);
        expect(await find({ prefix: never })).toEqual([]);
        expect(await find({ contains: never })).toEqual([]);
      }
      expect(await store.resolve(["", "\ud83d", "a\u0000"])).toEqual([undefined, undefined, undefined]);
      for (const never of ["", "\ud83d", "a\u0000"]) expect(await store.find?.(never)).toBeUndefined();
    },
  },
  {
    about: "unicode",
    name: "composed and decomposed letters are different keys",
    async run({ store }) {
      await mustCommit(store, { put: [person("é", { body: 1 }), person("e\u0301", { body: 2 })] });
      const found = await store.get(["e\u0301", "é"].map(personKey));
      expect(found.map((document) => document?.body)).toEqual([2, 1]);
    },
  },
];
