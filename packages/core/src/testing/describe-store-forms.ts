import { expect } from "vitest";
import type { ChangesRequest, Commit, Condition, Document, Query, Store } from "../store/port.ts";
import { mostConditions } from "../store/rules.ts";
import { codeOf, mustCommit, person, personKey, readFeed, type StoreCase } from "./describe-store-harness.ts";

/** What a caller from JavaScript may give, whatever types say. */
const untyped = <T>(given: unknown): T => given as T;

const documents: readonly (readonly [fault: string, document: unknown])[] = [
  ["that is null", null],
  ["that is a text", "a"],
  ["with a key that is a number", { ...person("bad"), key: 5 }],
  ["with a version that is a text", { ...person("bad"), version: "1" }],
  ["with claims that are null", { ...person("bad"), claims: null }],
  ["with claims that are a text", { ...person("bad"), claims: "abc" }],
  ["with a claim that is a number", { ...person("bad"), claims: [5] }],
  ["with feeds that are null", { ...person("bad"), feeds: null }],
  ["with feeds that are a text", { ...person("bad"), feeds: "all" }],
  ["with a feed that is null", { ...person("bad"), feeds: [null] }],
  ["with entries that are null", { ...person("bad"), entries: null }],
  ["with entries that are a list", { ...person("bad"), entries: [] }],
  ["with values that are a text", { ...person("bad"), entries: { name: "str" } }],
  ["with values that are null", { ...person("bad"), entries: { name: null } }],
  ["with values that are undefined", { ...person("bad"), entries: { name: undefined } }],
  ["with claims that JSON has otherwise", { ...person("bad"), claims: told(["held"], ["taken"]) }],
  ["with feeds that JSON has otherwise", { ...person("bad"), feeds: told(["all"], 5) }],
  ["with entries that JSON has otherwise", { ...person("bad"), entries: told({ name: ["a"] }, []) }],
  ["with values that JSON has otherwise", { ...person("bad"), entries: { name: told(["a"], "a") } }],
  ["with a value that is a number", { ...person("bad"), entries: { name: [5] } }],
];

function told<T extends object>(declared: T, json: unknown): T {
  return Object.assign(declared, { toJSON: () => json });
}

const commits: readonly (readonly [fault: string, commit: unknown])[] = [
  ["that is null", null],
  ["that is a text", "put"],
  ["with a put that is null", { put: null }],
  ["with a put that is a document", { put: person("bad") }],
  ["with a remove that is null", { remove: null }],
  ["with a key to remove that is null", { remove: [null] }],
  ["with an expect that is null", { expect: null }],
  ["with an expectation that is null", { expect: [null] }],
  ["with an expectation of no kind there is", { expect: [{ kind: "nonsense", ...personKey("held") }] }],
  ["with an expectation of no kind", { expect: [personKey("held")] }],
  [
    "with a version expected that is a text",
    { expect: [{ kind: "version", ...personKey("held"), version: "1" }] },
  ],
  ["with a claim expected to be free that is null", { expect: [{ kind: "free", claim: null }] }],
  ["with a durability there is not", { durability: "somewhat" }],
  ...documents.map(([fault, document]) => [`with a document ${fault}`, { put: [document] }] as const),
];

const queries: readonly (readonly [fault: string, query: unknown])[] = [
  ["that is null", null],
  ["of a collection that is a number", { collection: 5, limit: 1 }],
  ["with a limit that is a text", { collection: "people", limit: "1" }],
  ["with a where that is null", { collection: "people", limit: 1, where: null }],
  ["with a condition that is null", { collection: "people", limit: 1, where: [null] }],
  ["with a condition on no index", { collection: "people", limit: 1, where: [{ prefix: "a" }] }],
  ...[
    { anyOf: null },
    { anyOf: "abc" },
    { anyOf: [5] },
    { prefix: 5 },
    { contains: null },
    { from: null },
    { prefix: "a", contains: "a" },
    { anyOf: ["a"], from: "a" },
    { contains: "a", below: "b" },
  ].map(
    (part) =>
      [
        `with the condition ${JSON.stringify(part)}`,
        { collection: "people", limit: 1, where: [{ index: "name", ...part }] },
      ] as const,
  ),
  ["with a sort that is a text", { collection: "people", limit: 1, sort: "name" }],
  ["with a sort by no index", { collection: "people", limit: 1, sort: {} }],
  ["from a place that is null", { collection: "people", limit: 1, after: null }],
  ["from a place without a key", { collection: "people", limit: 1, after: { value: null } }],
  ["by key from a place with a value", { collection: "people", limit: 1, after: { value: "a", key: "a" } }],
  ["from a place without a value", { collection: "people", limit: 1, after: { key: "a" } }],
];

const changes: readonly (readonly [fault: string, request: unknown])[] = [
  ["that is null", null],
  ["of a feed that is null", { feed: null, limit: 1 }],
  ["with a limit that is a text", { feed: "all", limit: "1" }],
  ["with a cursor that is null", { feed: "all", limit: 1, cursor: null }],
  ["with a cursor that is a number", { feed: "all", limit: 1, cursor: 5 }],
  ["with a cursor that is an object", { feed: "all", limit: 1, cursor: {} }],
];

const held = person("held", { claims: ["taken"], feeds: ["all"], entries: { name: ["ana"] } });

const badCommits = commits.map(
  ([fault, commit]): StoreCase => ({
    about: "forms",
    name: `a commit ${fault} is a bad request, and nothing of it is written`,
    async run({ store }) {
      await mustCommit(store, { put: [held] });
      const given = typeof commit === "object" && commit !== null ? also(commit) : commit;
      expect(await codeOf(async () => store.commit(untyped<Commit>(given)))).toBe("bad-request");
      // What was half written would be in the way of these.
      expect(await store.get([personKey("valid"), personKey("bad")])).toEqual([undefined, undefined]);
      const page = await store.query({ collection: "people", limit: 5 });
      expect(page.documents.map(({ key }) => key)).toEqual(["held"]);
      expect((await store.changes({ feed: "all", limit: 5 })).changes).toHaveLength(1);
    },
  }),
);

/** The same commit with a valid document before all else. */
function also(commit: object): object {
  const { put } = commit as { readonly put?: unknown };
  if (put !== undefined && !Array.isArray(put)) return commit;
  return { ...commit, put: [person("valid", { feeds: ["all"] }), ...(put ?? [])] };
}

const asked: readonly (readonly [call: string, ask: (store: Store) => Promise<unknown>])[] = [
  ["get of null", (store) => store.get(untyped(null))],
  ["get of a key that is null", (store) => store.get(untyped([null]))],
  ["get of a key that is a text", (store) => store.get(untyped(["held"]))],
  ["resolve of a claim that is null", (store) => store.resolve(untyped([null]))],
  ["resolve of a claim that is a number", (store) => store.resolve(untyped([5]))],
  ["resolve of a claim that is an object", (store) => store.resolve(untyped(["taken", {}]))],
  ...queries.map(
    ([fault, query]) => [`query ${fault}`, (store: Store) => store.query(untyped<Query>(query))] as const,
  ),
  ...changes.map(
    ([fault, request]) =>
      [
        `request for changes ${fault}`,
        (store: Store) => store.changes(untyped<ChangesRequest>(request)),
      ] as const,
  ),
];

const badCalls = asked.map(
  ([call, ask]): StoreCase => ({
    about: "forms",
    name: `a ${call} is a bad request`,
    async run({ store }) {
      await mustCommit(store, { put: [held] });
      expect(await codeOf(async () => ask(store))).toBe("bad-request");
    },
  }),
);

const ana = { index: "name", prefix: "an" } as const;
const kinds: readonly Condition[] = [
  ana,
  { index: "name", anyOf: ["ana", "bea"] },
  { index: "name", contains: "na" },
  { index: "name", from: "a", below: "b" },
];

/** Calls that a store may do without. */
const optional: readonly (readonly [call: string, ask: (store: Store) => Promise<unknown> | undefined])[] = [
  ["find of null", (store) => store.find?.(untyped(null))],
  ["find named by a text", (store) => store.find?.("taken", untyped("people"))],
  ["count of null", (store) => store.count?.(untyped(null))],
  [
    "count with a where that is null",
    (store) => store.count?.(untyped({ collection: "people", where: null })),
  ],
];

const badOptionalCalls = optional.map(
  ([call, ask]): StoreCase => ({
    about: "forms",
    name: `a ${call} is a bad request, where the store has the call`,
    async run({ store }) {
      const answer = ask(store);
      if (answer) expect(await codeOf(() => answer)).toBe("bad-request");
    },
  }),
);

/** What callers give along when they hand over an object of theirs as it is: no copy by structure can take it. */
const along = { more: () => 1, [Symbol("more")]: () => 1 };

/** Members that the port does not have. */
const membersAlong: StoreCase = {
  about: "forms",
  name: "members that the port does not name, functions as well, are neither read nor kept",
  async run({ store }) {
    const all = { feeds: ["all"], claims: ["mine"] };
    const body = { n: 1, method: along.more, list: [along.more] };
    const put = [{ ...person("a", { ...all, body: untyped(body) }), ...along }, person("b")];
    await mustCommit(store, { put, ...along });
    const [a] = await store.get([{ ...personKey("a"), ...along }]);
    expect(a).toEqual({ ...person("a", { ...all, entries: {} }), body: { n: 1, list: [null] } });
    const expectations = [
      { kind: "exists", ...personKey("a"), ...along },
      { kind: "free", claim: "nobody's", ...along },
    ] as const;
    const remove = [
      { ...person("a", all), ...along },
      { ...personKey("gone"), ...along },
    ];
    await mustCommit(store, { expect: expectations, remove });
    expect(await store.get([personKey("a")])).toEqual([undefined]);
    expect(await store.resolve(["mine"])).toEqual([undefined]);
    expect((await readFeed(store, "all")).told).toEqual(["gone a"]);
    const query = {
      collection: "people",
      where: [{ index: "name", prefix: "", ...along }],
      limit: 5,
      ...along,
    };
    expect((await store.query(query)).documents).toEqual([]);
  },
};

/** Requests whose form is not what types say, or at the end of what may be asked. */
export const formCases: readonly StoreCase[] = [
  ...badCommits,
  ...badCalls,
  ...badOptionalCalls,
  membersAlong,
  ...[2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, Number.MAX_SAFE_INTEGER - 1, Number.MAX_SAFE_INTEGER].map(
    (limit): StoreCase => ({
      about: "forms",
      name: `a limit of ${limit} is no limit`,
      async run({ store }) {
        await mustCommit(store, { put: [held, person("next", { feeds: ["all"] })] });
        const byKey = await store.query({ collection: "people", limit });
        expect(byKey.documents.map(({ key }) => key)).toEqual(["held", "next"]);
        const sorted = await store.query({
          collection: "people",
          where: [ana],
          sort: { index: "name" },
          limit,
        });
        expect(sorted.documents.map(({ key }) => key)).toEqual(["held"]);
        expect([byKey.next, sorted.next]).toEqual([undefined, undefined]);
        const page = await store.changes({ feed: "all", limit });
        expect([page.changes.length, page.more]).toEqual([2, false]);
      },
    }),
  ),
  {
    about: "forms",
    name: `a query has ${mostConditions} conditions at most`,
    async run({ store }) {
      const bea: Document = person("bea", { entries: { name: ["bea"] } });
      await mustCommit(store, { put: [held, bea] });
      const most = Array.from({ length: mostConditions }, (_, nth) => kinds[nth % kinds.length] ?? ana);
      for (const sort of [undefined, { index: "name" }]) {
        const query = { collection: "people", limit: 5, ...(sort && { sort }) };
        const { documents: found } = await store.query({ ...query, where: most });
        expect(found.map(({ key }) => key)).toEqual(["held"]);
        const code = await codeOf(() => store.query({ ...query, where: [...most, ana] }));
        expect(code).toBe("bad-request");
      }
    },
  },
];
