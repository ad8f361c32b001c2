import fc from "fast-check";
import type { Commit, Condition, Document, DocumentKey, Expectation, Naming, Query } from "../store/port.ts";

/** One step of a random program. */
export type Step =
  | { readonly do: "commit"; readonly commit: Commit }
  | { readonly do: "query"; readonly query: Query }
  | { readonly do: "find"; readonly claim: string; readonly naming?: Naming | undefined }
  | { readonly do: "reopen" }
  | { readonly do: "follow"; readonly feed: string; readonly limit: number; readonly again: boolean };

export const collections = ["people", "homes"];
export const keys = ["a", "b", "é", "😀", "\uff21"];
export const claims = ["one", "two", "three", "é"];
const feeds = ["all", "north", "south"];
const indexes = ["name", "area"];
const values = ["", "a", "ab", "abc", "b", "é", "😀", "😀x", "\uff21", "علي"];

const key: fc.Arbitrary<DocumentKey> = fc.record({
  collection: fc.constantFrom(...collections),
  key: fc.constantFrom(...keys),
});
const value = fc.constantFrom(...values);
/** What conditions and positions may name although no document can have it. */
const sought = fc.constantFrom(...values, "\ud83d", "\ude00", "\u0000", "a\u0000");
const index = fc.constantFrom(...indexes);
const version = fc.integer({ min: 1, max: 3 });

const document: fc.Arbitrary<Document> = fc
  .record({
    at: key,
    version,
    body: fc.oneof(fc.constant(null), fc.record({ n: fc.nat(9) })),
    claims: fc.uniqueArray(fc.constantFrom(...claims), { maxLength: 2 }),
    entries: fc.dictionary(index, fc.array(value, { maxLength: 3, size: "max" }), {
      maxKeys: 2,
      size: "max",
      noNullPrototype: true,
    }),
    feeds: fc.uniqueArray(fc.constantFrom(...feeds), { maxLength: 3 }),
  })
  .map(({ at, ...rest }) => ({ ...at, ...rest }));

const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc.record({ at: key, version }).map(({ at, version }) => ({ kind: "version" as const, ...at, version })),
  key.map((at) => ({ kind: "exists" as const, ...at })),
  key.map((at) => ({ kind: "absent" as const, ...at })),
  fc.constantFrom(...claims).map((claim) => ({ kind: "free" as const, claim })),
);

// Commits that break the port's rules are left in: both stores must refuse them.
const commit: fc.Arbitrary<Step> = fc
  .record({
    put: fc.uniqueArray(document, { maxLength: 3, selector: (each) => `${each.collection} ${each.key}` }),
    remove: fc.array(key, { maxLength: 1 }),
    expect: fc.oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      fc.array(expectation, { minLength: 1, maxLength: 2 }),
    ),
    durability: fc.constantFrom("strict" as const, "relaxed" as const),
  })
  .map((each) => ({ do: "commit", commit: each }));

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ index, anyOf: fc.array(sought, { maxLength: 4 }) }),
  fc.record({ index, prefix: sought }),
  fc.record({ index, contains: sought }),
  fc.record({ index, from: sought, below: sought }, { requiredKeys: ["index"] }),
);

const query: fc.Arbitrary<Step> = fc
  .record(
    {
      collection: fc.constantFrom(...collections),
      where: fc.array(condition, { maxLength: 2, size: "max" }),
      sort: fc.record({ index, descending: fc.boolean() }),
      after: fc.record({ value: fc.option(sought), key: fc.constantFrom(...keys) }),
      limit: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ["collection", "limit"] },
  )
  .map(({ after, ...rest }) => {
    // Without a sort, no position has a value.
    const place = after && !rest.sort ? { ...after, value: null } : after;
    return { do: "query", query: { ...rest, ...(place ? { after: place } : {}) } };
  });

const follow: fc.Arbitrary<Step> = fc
  .record({ feed: fc.constantFrom(...feeds), limit: fc.integer({ min: 1, max: 3 }), again: fc.boolean() })
  .map((each) => ({ do: "follow", ...each }));

const find: fc.Arbitrary<Step> = fc
  .record({
    claim: fc.constantFrom(...claims, "nobody's"),
    naming: fc.option(fc.record({ collection: fc.constantFrom(...collections), index }), { nil: undefined }),
  })
  .map((each) => ({ do: "find", ...each }));

// A commit of several documents comes first, so that there is something to find.
const start: fc.Arbitrary<Step> = fc
  .uniqueArray(document, { minLength: 4, maxLength: 8, selector: (each) => `${each.collection} ${each.key}` })
  .map((put) => ({
    do: "commit",
    commit: { put: put.map((each, i) => (i < 2 ? each : { ...each, claims: [] })) },
  }));

const rest = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: commit },
    { weight: 6, arbitrary: query },
    { weight: 3, arbitrary: follow },
    { weight: 1, arbitrary: find },
    { weight: 1, arbitrary: fc.constant<Step>({ do: "reopen" }) },
  ),
  { minLength: 1, maxLength: 20 },
);

/** Programs that begin with a commit of several documents. */
export const program: fc.Arbitrary<readonly Step[]> = fc
  .tuple(start, rest)
  .map(([first, more]) => [first, ...more]);
