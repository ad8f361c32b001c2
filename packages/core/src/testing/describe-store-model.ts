import fc from "fast-check";
import { expect } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type {
  ChangesPage,
  Commit,
  Condition,
  Document,
  DocumentKey,
  Expectation,
  Query,
  Store,
} from "../store/port.ts";
import type { StoreCase } from "./describe-store-harness.ts";

/** One step of a random program. */
type Step =
  | { readonly do: "commit"; readonly commit: Commit }
  | { readonly do: "query"; readonly query: Query }
  | { readonly do: "follow"; readonly feed: string; readonly limit: number; readonly again: boolean };

const collections = ["people", "homes"];
const keys = ["a", "b", "é", "😀", "\uff21"];
const claims = ["one", "two", "three", "é"];
const feeds = ["all", "north", "south"];
const indexes = ["name", "area"];
const values = ["", "a", "ab", "abc", "b", "é", "😀", "😀x", "\uff21", "علي"];

const key: fc.Arbitrary<DocumentKey> = fc.record({
  collection: fc.constantFrom(...collections),
  key: fc.constantFrom(...keys),
});
const value = fc.constantFrom(...values);
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
  fc.record({ index, anyOf: fc.array(value, { maxLength: 4 }) }),
  fc.record({ index, prefix: value }),
  fc.record({ index, contains: value }),
  fc.record({ index, from: value, below: value }, { requiredKeys: ["index"] }),
);

const query: fc.Arbitrary<Step> = fc
  .record(
    {
      collection: fc.constantFrom(...collections),
      where: fc.array(condition, { maxLength: 2, size: "max" }),
      sort: fc.record({ index, descending: fc.boolean() }),
      after: fc.record({ value: fc.option(value), key: fc.constantFrom(...keys) }),
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
    { weight: 2, arbitrary: follow },
  ),
  { minLength: 1, maxLength: 20 },
);

const program = fc.tuple(start, rest).map(([first, more]) => [first, ...more]);

/** Random programs, compared with the memory store after every step. */
export const modelCases: readonly StoreCase[] = [
  {
    about: "model",
    name: "any program of commits, queries and changes has the answers of the memory store",
    async run({ store }) {
      let runs = 0;
      const property = fc.asyncProperty(program, async (steps) => {
        // Names of its own give each run an empty part of the one store.
        const named = inPart(store, `${++runs}.`);
        const model = createMemoryStore();
        const cursors = new Map<string, { model: string; real: string }>();
        for (const step of steps) {
          await compareStep(step, { model, real: named, cursors });
          await compareState(model, named);
        }
      });
      await fc.assert(property, { numRuns: 80 });
    },
  },
];

interface Pair {
  readonly model: Store;
  readonly real: Store;
  /** How far each feed was read, in either store's own words. */
  readonly cursors: Map<string, { model: string; real: string }>;
}

async function compareStep(step: Step, pair: Pair): Promise<void> {
  const { model, real } = pair;
  if (step.do === "commit") {
    expect(await answer(real.commit(step.commit))).toEqual(await answer(model.commit(step.commit)));
  } else if (step.do === "query") {
    expect(await real.query(step.query)).toEqual(await model.query(step.query));
  } else {
    await compareFeed(step, pair);
  }
}

async function compareFeed(step: Step & { do: "follow" }, { model, real, cursors }: Pair): Promise<void> {
  const { feed, limit } = step;
  const known = step.again ? undefined : cursors.get(feed);
  const expected = await model.changes({ feed, limit, ...(known ? { cursor: known.model } : {}) });
  const found = await real.changes({ feed, limit, ...(known ? { cursor: known.real } : {}) });
  const told = ({ changes, more }: ChangesPage) => ({ changes, more });
  expect(told(found)).toEqual(told(expected));
  cursors.set(feed, { model: expected.next, real: found.next });
}

async function compareState(model: Store, real: Store): Promise<void> {
  const all = collections.flatMap((collection) => keys.map((each) => ({ collection, key: each })));
  expect(await real.get(all)).toEqual(await model.get(all));
  expect(await real.resolve(claims)).toEqual(await model.resolve(claims));
}

async function answer(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof Error && error.name === "StoreError" ? (error as { code?: string }).code : error;
  }
}

/** A part of a store that looks like a whole one: all its names carry a prefix. */
function inPart(store: Store, part: string): Store {
  const add = <T extends DocumentKey>(at: T): T => ({ ...at, collection: part + at.collection });
  const cut = <T extends DocumentKey>(at: T): T => ({ ...at, collection: at.collection.slice(part.length) });
  const addAll = (names: readonly string[] = []) => names.map((name) => part + name);
  const cutAll = (names: readonly string[]) => names.map((name) => name.slice(part.length));
  const addTo = (given: Document) => ({
    ...add(given),
    claims: addAll(given.claims),
    feeds: addAll(given.feeds),
  });
  const cutFrom = <T extends { claims: readonly string[]; feeds: readonly string[] } & DocumentKey>(
    stored: T,
  ): T => ({
    ...cut(stored),
    claims: cutAll(stored.claims),
    feeds: cutAll(stored.feeds),
  });
  const ask = (each: Expectation) =>
    each.kind === "free" ? { ...each, claim: part + each.claim } : add(each);
  const askedFor = (each: Expectation) =>
    each.kind === "free" ? { ...each, claim: each.claim.slice(part.length) } : cut(each);
  return {
    get: async (at) => (await store.get(at.map(add))).map((found) => found && cutFrom(found)),
    resolve: async (names) => (await store.resolve(addAll(names))).map((found) => found && cut(found)),
    async query(asked) {
      const page = await store.query({ ...asked, collection: part + asked.collection });
      return { ...page, documents: page.documents.map(cutFrom) };
    },
    async changes(request) {
      const page = await store.changes({ ...request, feed: part + request.feed });
      const changes = page.changes.map((change) =>
        change.kind === "put" ? { ...change, document: cutFrom(change.document) } : cut(change),
      );
      return { ...page, changes };
    },
    async commit({ expect: expected = [], put = [], remove = [], ...rest }) {
      const whole = { ...rest, expect: expected.map(ask), put: put.map(addTo), remove: remove.map(add) };
      const result = await store.commit(whole);
      if (result.ok) return result;
      const failures = result.failures.map((failure) =>
        failure.kind === "claim-taken"
          ? { ...failure, claim: failure.claim.slice(part.length), holder: cut(failure.holder) }
          : { ...failure, expectation: askedFor(failure.expectation) },
      );
      return { ok: false, failures };
    },
    close: () => store.close(),
  };
}
