import { expect } from "vitest";
import type { Json } from "../json.ts";
import type { Expectation } from "../store/port.ts";
import { codeOf, mustCommit, person, personKey, readAll, type StoreCase } from "./describe-store-harness.ts";

const full = {
  claims: ["Individual/urn:id|7", "Individual/urn:id|8"],
  entries: { name: ["reyes", "ana"], active: ["true"], address: [] },
  feeds: ["area/north", "all"],
};

const bodies: readonly Json[] = [
  null,
  true,
  0,
  -1.5,
  1e21,
  ...[0.1 + 0.2, 5e-324, Number.MAX_VALUE, Number.MIN_SAFE_INTEGER],
  "",
  'text with \u0000, "quotes" and \\',
  [],
  [[], [null, {}]],
  { nested: { deeply: [{ a: 1 }, "b", false, null] }, "": "empty name", ключ: "键 مفتاح" },
];

/** What nobody may read in a message. */
const secret = "told in confidence";

/** Reading, and what documents are. */
export const readCases: readonly StoreCase[] = [
  {
    about: "reads",
    name: "an empty store has nothing",
    async run({ store }) {
      expect(await store.get([personKey("a")])).toEqual([undefined]);
      expect(await store.resolve(["a"])).toEqual([undefined]);
      expect(await store.query({ collection: "people", limit: 5 })).toEqual({ documents: [] });
    },
  },
  {
    about: "reads",
    name: "get answers place by place, in the order asked",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { body: 1 }), person("b", { body: 2 })] });
      const found = await store.get(["b", "none", "a", "b"].map(personKey));
      expect(found.map((document) => document?.body)).toEqual([2, undefined, 1, 2]);
      expect(await store.get([])).toEqual([]);
    },
  },
  {
    about: "reads",
    name: "a document comes back with all that it declared",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { ...full, version: 3, body: { x: 1 } })] });
      const expected = { collection: "people", key: "a", version: 3, body: { x: 1 }, ...full };
      expect(await store.get([personKey("a")])).toEqual([expected]);
      expect((await store.query({ collection: "people", limit: 1 })).documents).toEqual([expected]);
      const { changes } = await store.changes({ feed: "all", limit: 1 });
      expect(changes).toEqual([{ kind: "put", document: expected }]);
    },
  },
  {
    about: "reads",
    name: "what a document did not declare comes back empty",
    async run({ store }) {
      await mustCommit(store, { put: [person("a")] });
      const bare = {
        collection: "people",
        key: "a",
        version: 1,
        body: {},
        claims: [],
        entries: {},
        feeds: [],
      };
      expect(await store.get([personKey("a")])).toEqual([bare]);
    },
  },
  {
    about: "reads",
    name: "find, where a store has it, tells a claim's holder and the documents that name it by its key",
    async run({ store }) {
      if (!store.find) return;
      const home = (key: string, member: readonly string[]) =>
        person(key, { collection: "homes", entries: { member } });
      const other = person("d", { collection: "camps", entries: { member: ["a"] } });
      const put = [
        person("a", full),
        person("b"),
        home("y", ["a", "b"]),
        home("x", ["b", "a"]),
        home("z", ["b"]),
      ];
      await mustCommit(store, { put: [...put, other] });
      const [claim = ""] = full.claims;
      const [holder] = await store.get([personKey("a")]);
      const where = [{ index: "member", anyOf: ["a"] }];
      const { documents } = await store.query({ collection: "homes", where, limit: 5 });
      const naming = { collection: "homes", index: "member" };
      expect(documents).toHaveLength(2);
      expect(await store.find(claim, naming)).toEqual({ document: holder, naming: documents });
      expect(await store.find(claim)).toEqual({ document: holder, naming: [] });
      expect(await store.find(claim, { ...naming, index: "none" })).toEqual({ document: holder, naming: [] });
      expect(await store.find("Individual/urn:id|9", naming)).toBeUndefined();
      expect(await codeOf(async () => store.find?.(claim, { ...naming, collection: "" }))).toBe(
        "bad-request",
      );
    },
  },
  {
    about: "reads",
    name: "a put replaces the whole document with all that it declared",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", { ...full, body: { old: 1 } })] });
      await mustCommit(store, { put: [person("a", { version: 2, body: { fresh: 1 } })] });
      const [document] = await store.get([personKey("a")]);
      expect(document).toEqual({
        ...person("a"),
        version: 2,
        body: { fresh: 1 },
        claims: [],
        entries: {},
        feeds: [],
      });
      const where = [{ index: "name", anyOf: ["reyes"] }];
      expect(await store.query({ collection: "people", where, limit: 1 })).toEqual({ documents: [] });
    },
  },
  {
    about: "reads",
    name: "a removed document is nowhere, and removing it again is harmless",
    async run({ store }) {
      await mustCommit(store, { put: [person("a", full)] });
      await mustCommit(store, { remove: [personKey("a")] });
      await mustCommit(store, { remove: [personKey("a"), personKey("never")] });
      expect(await store.get([personKey("a")])).toEqual([undefined]);
      expect(await readAll(store, { collection: "people", limit: 5 })).toEqual([]);
      const where = [{ index: "name", prefix: "r" }];
      expect(await readAll(store, { collection: "people", where, limit: 5 })).toEqual([]);
    },
  },
  {
    about: "reads",
    name: "collections are apart",
    async run({ store }) {
      await mustCommit(store, {
        put: [person("a", { body: 1 }), person("a", { collection: "homes", body: 2 })],
      });
      await mustCommit(store, { remove: [personKey("a")] });
      expect(await store.get([personKey("a")])).toEqual([undefined]);
      expect((await readAll(store, { collection: "homes", limit: 5 })).map((home) => home.body)).toEqual([2]);
      expect(await readAll(store, { collection: "home", limit: 5 })).toEqual([]);
    },
  },
  {
    about: "reads",
    name: "bodies of every kind of JSON come back as they were",
    async run({ store }) {
      await mustCommit(store, { put: bodies.map((body, i) => person(`${i}`, { body })) });
      const found = await store.get(bodies.map((_, i) => personKey(`${i}`)));
      expect(found.map((document) => document?.body)).toEqual(bodies);
    },
  },
  {
    about: "reads",
    name: "documents are handed over by value",
    async run({ store }) {
      const given = { ...person("a"), body: { list: [1] }, entries: { name: ["x"] } };
      const committing = store.commit({ put: [given] });
      given.body.list.push(2);
      given.entries.name[0] = "y";
      await committing;
      expect((await store.get([personKey("a")]))[0]?.body).toEqual({ list: [1] });
      const [got] = await store.get([personKey("a")]);
      spoil(() => (got as unknown as { body: { list: number[] } }).body.list.push(3));
      spoil(() => (got as unknown as { entries: { name: string[] } }).entries.name.push("z"));
      const [again] = await store.get([personKey("a")]);
      expect(again?.body).toEqual({ list: [1] });
      expect(again?.entries).toEqual({ name: ["x"] });
    },
  },
  {
    about: "reads",
    name: "requests are handed over by value",
    async run({ store }) {
      const put = [person("a", full), person("b", { ...full, claims: ["b"], entries: { name: ["b"] } })];
      await mustCommit(store, { put });
      const keys = [personKey("a")];
      const claims = ["b"];
      const anyOf = ["b"];
      const naming = { collection: "people", index: "name" };
      const query = { collection: "people", where: [{ index: "name", anyOf }], limit: 5 };
      const request = { feed: "all", limit: 5 };
      const asked = Promise.all([
        ...[store.get(keys), store.resolve(claims), store.query(query), store.changes(request)],
        ...[store.count?.(query), store.find?.("b", naming)],
      ]);
      keys.push(personKey("b"));
      claims.unshift("a");
      anyOf.push("ana");
      Object.assign(query, { collection: "homes", limit: 1 });
      Object.assign(request, { feed: "none" });
      Object.assign(naming, { collection: "homes" });
      const [a, b] = await store.get(["a", "b"].map(personKey));
      const told = [a, b].map((document) => ({ kind: "put", document }));
      expect(await asked).toEqual([
        ...[
          [a],
          [personKey("b")],
          { documents: [b] },
          { changes: told, next: expect.any(String), more: false },
        ],
        ...[store.count && 1, store.find && { document: b, naming: [b] }],
      ]);
    },
  },
  {
    about: "reads",
    name: "expectations and what is to be removed are handed over by value",
    async run({ store }) {
      await mustCommit(store, { put: ["a", "b", "c", "d"].map((key) => person(key)) });
      const emptied: Expectation[] = [versionOf(7)];
      const changed = versionOf(7);
      const refused = Promise.all(
        [emptied, [changed]].map((expect) => store.commit({ expect, put: [person("a", { version: 2 })] })),
      );
      emptied.pop();
      Object.assign(changed, { version: 1 });
      expect((await refused).map(({ ok }) => ok)).toEqual([false, false]);
      const [second, remove] = [personKey("b"), [personKey("a")]];
      remove.push(second);
      const removing = store.commit({ remove });
      remove[0] = personKey("c");
      remove.push(personKey("c"));
      Object.assign(second, { key: "d" });
      await removing;
      const left = await store.get(["a", "b", "c", "d"].map(personKey));
      expect(left.flatMap((each) => each?.key ?? [])).toEqual(["c", "d"]);
    },
  },
  {
    about: "reads",
    name: "a refusal quotes no value of a body, of an index or of a condition",
    async run({ store }) {
      const valid = person("a", { body: { told: secret }, entries: { name: [secret] } });
      const [prefix, odd] = [{ index: "name", prefix: secret }, `${secret}\u0000`];
      const calls: readonly (() => Promise<unknown>)[] = [
        ...[
          [{ ...valid, version: 0 }],
          [{ ...valid, key: "" }],
          [valid, valid],
          [valid, person("b", { body: { told: secret, of: 10n as never } })],
          [valid, person("b", { entries: { name: [odd] } })],
          [valid, person("b", { claims: [odd] })],
        ].map((put) => () => store.commit({ put })),
        () => store.query({ collection: "people", where: [prefix], limit: 0 }),
        () =>
          store.query({ collection: "people", where: [prefix, { ...prefix, anyOf: [secret] }], limit: 1 }),
        () => store.resolve([secret, 5 as never]),
      ];
      for (const call of calls) {
        const told = await call().then(
          () => "nothing was refused",
          (error) => `${error.code}: ${error.message}`,
        );
        expect(told).toMatch(/^bad-request: /);
        expect(told).not.toContain(secret);
      }
    },
  },
  {
    about: "reads",
    name: "a call with names that break the rules is a bad request",
    async run({ store }) {
      const commits: [string, Parameters<typeof store.commit>[0]][] = [
        ["empty key", { put: [person("")] }],
        ["empty collection", { remove: [{ collection: "", key: "a" }] }],
        ["U+0000 in a key", { put: [person("a\u0000b")] }],
        ["half a surrogate pair in a key", { put: [person("a\ud83d")] }],
        ["half a surrogate pair in a claim", { put: [person("a", { claims: ["\ude00"] })] }],
        ["empty claim", { put: [person("a", { claims: [""] })] }],
        ["empty feed", { put: [person("a", { feeds: [""] })] }],
        ["U+0000 in a value", { put: [person("a", { entries: { name: ["\u0000"] } })] }],
        ["version 0", { put: [person("a", { version: 0 })] }],
        ["version 1.5", { put: [person("a", { version: 1.5 })] }],
        ["a document put twice", { put: [person("a"), person("a")] }],
        ["a document put and removed", { put: [person("a")], remove: [personKey("a")] }],
        ["a claim put twice", { put: [person("a", { claims: ["c"] }), person("b", { claims: ["c"] })] }],
        ["an expectation of an empty key", { expect: [{ kind: "exists", ...personKey("") }] }],
        ["an expectation of no version", { expect: [versionOf(undefined as never)] }],
        ["an expectation of version 1.5", { expect: [versionOf(1.5)] }],
        ["an expectation of version NaN", { expect: [versionOf(Number.NaN)] }],
        ["a body with a BigInt", { put: [person("a", { body: { of: [10n as never] } })] }],
        ["a body that is undefined", { put: [person("a", { body: undefined as never })] }],
        ["a body that is a function", { put: [person("a", { body: (() => 1) as never })] }],
      ];
      for (const [fault, commit] of commits) {
        const valid = person("valid");
        const code = await codeOf(() => store.commit({ ...commit, put: [valid, ...(commit.put ?? [])] }));
        expect(code, fault).toBe("bad-request");
      }
      expect(await store.get([personKey("valid")])).toEqual([undefined]);
      expect(await codeOf(() => store.get([personKey("")]))).toBe("bad-request");
      expect(await codeOf(() => store.query({ collection: "people", limit: 0 }))).toBe("bad-request");
      expect(await codeOf(() => store.query({ collection: "", limit: 1 }))).toBe("bad-request");
      expect(await codeOf(() => store.changes({ feed: "all", limit: 0.5 }))).toBe("bad-request");
    },
  },
];

function versionOf(version: number): Expectation {
  return { kind: "version", ...personKey("a"), version };
}

function spoil(change: () => void): void {
  try {
    change();
  } catch {
    // A frozen document refuses, which keeps the promise as well.
  }
}
