import fc from "fast-check";
import { type Json, sameJson } from "../json.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Commit, Document, DocumentKey, Expectation, Store } from "../store/port.ts";
import { handlesOf, mustCommit, person, readAll, type StoreCase } from "./describe-store-harness.ts";
import { answer } from "./describe-store-model.ts";
import { inPart } from "./describe-store-part.ts";

const keys = ["a", "b", "c"];
const claims = ["one", "two"];
const feeds = ["all", "north"];

const key: fc.Arbitrary<DocumentKey> = fc.record({
  collection: fc.constant("people"),
  key: fc.constantFrom(...keys),
});
const version = fc.integer({ min: 1, max: 2 });

const document: fc.Arbitrary<Document> = fc
  .record({
    at: key,
    version,
    body: fc.nat(9),
    claims: fc.constantFrom([], ...claims.map((claim) => [claim])),
    entries: fc.record({ name: fc.array(fc.constantFrom("x", "y"), { maxLength: 1 }) }),
    feeds: fc.uniqueArray(fc.constantFrom(...feeds), { maxLength: 2 }),
  })
  .map(({ at, ...rest }) => ({ ...at, ...rest }));

const expectation: fc.Arbitrary<Expectation> = fc.oneof(
  fc.record({ at: key, version }).map(({ at, version }) => ({ kind: "version" as const, ...at, version })),
  key.map((at) => ({ kind: "exists" as const, ...at })),
  key.map((at) => ({ kind: "absent" as const, ...at })),
  fc.constantFrom(...claims).map((claim) => ({ kind: "free" as const, claim })),
);

const commit: fc.Arbitrary<Commit> = fc.record({
  expect: fc.array(expectation, { maxLength: 2 }),
  put: fc.uniqueArray(document, { maxLength: 2, selector: (each) => each.key }),
  remove: fc.oneof(fc.constant([]), fc.tuple(key)),
});

interface Moment {
  readonly start: readonly Document[];
  /** Each with the handle that it is given to: one may write several together. */
  readonly commits: readonly { readonly by: number; readonly commit: Commit }[];
}

const any: fc.Arbitrary<Moment> = fc.record({
  start: fc
    .uniqueArray(document, { maxLength: 3, selector: (each) => each.key })
    .map((documents) => documents.map((each, nth) => withFree(each, documents.slice(0, nth)))),
  commits: fc.array(fc.record({ by: fc.constantFrom(0, 0, 1, 2), commit }), { minLength: 2, maxLength: 4 }),
});

/** Documents that hold claims, and drop them for those of others: each commit has names of its own, and needs another. */
const passing: fc.Arbitrary<Moment> = fc.record({
  start: fc
    .shuffledSubarray(keys, { minLength: 2 })
    .map((some) => some.map((each, nth) => person(each, { claims: claims.slice(nth, nth + 1) }))),
  commits: fc.uniqueArray(
    fc.record({
      by: fc.constantFrom(0, 0, 0, 1),
      commit: document.map((each) => ({ put: [each] })),
    }),
    { minLength: 2, maxLength: 3, selector: ({ commit }) => commit.put[0]?.key },
  ),
});

const moment = fc.oneof(any, passing);

/** A document without the claims that one of the others makes. */
function withFree(document: Document, others: readonly Document[]): Document {
  const taken = new Set(others.flatMap(({ claims = [] }) => claims));
  return { ...document, claims: (document.claims ?? []).filter((claim) => !taken.has(claim)) };
}

/** Simultaneous commits, checked against all the orders in which they could have been made. */
export const orderCases: readonly StoreCase[] = [
  {
    about: "orders",
    name: "any commits of one moment, of one handle and of several, have the answers that they have in some order",
    async run(open) {
      const handles = await handlesOf(open, 3);
      let runs = 0;
      const property = fc.asyncProperty(moment, async ({ start, commits: asked }) => {
        // Names of its own give each run an empty part of the one store.
        const part = `${++runs}.`;
        const parts = handles.map((store) => inPart(store, part));
        const [first = open.store] = parts;
        await mustCommit(first, { put: start });
        const commits = asked.map((each) => each.commit);
        const answers = await Promise.all(
          asked.map(({ by, commit }) => answer((parts[by] ?? first).commit(commit))),
        );
        const found = plain({ answers, state: await stateOf(first) });
        for (const order of ordersOf([...commits.keys()])) {
          if (sameJson(plain(await outcome(start, commits, order)), found)) return;
        }
        throw new Error(`No order of the commits has the answers found: ${JSON.stringify(found, null, 1)}`);
      });
      await fc.assert(property, { numRuns: 200 });
    },
  },
];

/** What comes of commits that are made one after the other. */
async function outcome(start: readonly Document[], commits: readonly Commit[], order: readonly number[]) {
  const model = createMemoryStore();
  await mustCommit(model, { put: start });
  const answers: unknown[] = [];
  for (const i of order) answers[i] = await answer(model.commit(commits[i] ?? {}));
  return { answers, state: await stateOf(model) };
}

/** All that a store holds. A feed's order is left out: it is promised of each document, and not across them. */
async function stateOf(store: Store): Promise<unknown> {
  const sort = { index: "name" };
  const [documents, holders, listed, ...pages] = await Promise.all([
    store.get(keys.map((each) => ({ collection: "people", key: each }))),
    store.resolve(claims),
    Promise.all(
      ["x", "y"].map((value) =>
        readAll(store, { collection: "people", where: [{ index: "name", anyOf: [value] }], sort, limit: 9 }),
      ),
    ),
    ...feeds.map((feed) => store.changes({ feed, limit: 9 })),
  ]);
  const told = pages.map(({ changes }) =>
    changes.map((each) => (each.kind === "put" ? each.document : { gone: each.key })),
  );
  return {
    documents,
    holders,
    listed,
    told: told.map((each) => each.map((one) => JSON.stringify(plain(one))).toSorted()),
  };
}

function* ordersOf(numbers: readonly number[]): Generator<readonly number[]> {
  if (numbers.length === 0) yield [];
  for (const first of numbers) {
    for (const rest of ordersOf(numbers.filter((each) => each !== first))) yield [first, ...rest];
  }
}

/** Members in one order, and nothing that is undefined, so that what is equal is the same text. */
function plain(value: unknown): Json {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : each,
    ),
  ) as Json;
}
