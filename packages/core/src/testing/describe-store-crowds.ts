import fc from "fast-check";
import { expect } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { Condition, Document, Query, Store } from "../store/port.ts";
import { keysOf, mustCommit, person, readAll, type StoreCase } from "./describe-store-harness.ts";

const words = ["maria", "mariana", "ana", "reyes", "cruz", "b_c", "علي"];
const states = ["active", "archived", "draft"];

/** Many documents: what a condition is met by is often too much to be gathered, so that stores read them in other ways. */
const crowd: fc.Arbitrary<readonly Document[]> = fc
  .record({
    count: fc.integer({ min: 90, max: 160 }),
    // How often a document has the first word, the first state and a second name: seldom, often or always.
    usual: fc.array(fc.constantFrom(1, 5, 9, 10), { minLength: 3, maxLength: 3 }),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map(({ count, usual: [word = 1, state = 1, further = 1], seed }) => {
    let next = seed;
    const below = (most: number) => {
      next = (next * 48_271) % 2_147_483_647;
      return next % most;
    };
    const pick = (among: readonly string[], often: number) =>
      (below(10) < often ? among[0] : among[below(among.length)]) ?? "";
    return Array.from({ length: count }, (_, i) => {
      const name = [`${pick(words, word)} ${pick(words, 0)}`];
      if (below(10) >= further) name.push(`${pick(words, word)} ${i}`);
      return person(`${i}`, { entries: { name, state: below(20) === 0 ? [] : [pick(states, state)] } });
    });
  });

const parts = [...words, "ari", "a ", "yes c", "a"];

const name: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...parts).map((contains) => ({ index: "name", contains })) },
  { weight: 1, arbitrary: fc.constantFrom(...words).map((prefix) => ({ index: "name", prefix })) },
);

const state: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...states).map((one) => ({ index: "state", anyOf: [one] })) },
  fc.uniqueArray(fc.constantFrom(...states), { minLength: 2 }).map((anyOf) => ({ index: "state", anyOf })),
  fc.constantFrom("a", "ar").map((prefix) => ({ index: "state", prefix })),
  fc.constant({ index: "state", contains: "iv" }),
  fc.constant({ index: "state", from: "arc" }),
);

const query: fc.Arbitrary<Query> = fc
  .record(
    {
      where: fc.oneof(
        fc.tuple(name, state),
        fc.tuple(state, name),
        fc.tuple(name, name, state),
        fc.tuple(state, state),
      ),
      sort: fc.record({ index: fc.constantFrom("name", "name", "state"), descending: fc.boolean() }),
      limit: fc.constantFrom(1, 3, 20, 200),
    },
    { requiredKeys: ["where", "limit"] },
  )
  .map((each) => ({ collection: "people", ...each }));

/** Conditions on several indexes of many documents. */
export const crowdCases: readonly StoreCase[] = [
  {
    about: "crowds",
    name: "a substring in the sort's index and one value of another find what has both",
    async run({ store }) {
      const put = Array.from({ length: 150 }, (_, i) => {
        const nth = String(i).padStart(3, "0");
        const name = [i % 15 === 0 ? `reyes ${nth}` : `cruz ${nth}`];
        return person(nth, {
          entries: { name, state: [i % 5 === 0 && i % 2 === 0 ? "archived" : "active"] },
        });
      });
      await mustCommit(store, { put });
      for (const [one, keys] of [
        ["active", ["015", "045", "075", "105", "135"]],
        ["archived", ["000", "030", "060", "090", "120"]],
      ] as const) {
        const where: Condition[] = [
          { index: "name", contains: "rey" },
          { index: "state", anyOf: [one] },
        ];
        for (const limit of [1, 2, 20]) {
          const query: Query = { collection: "people", where, sort: { index: "name" }, limit };
          expect(keysOf(await readAll(store, query)), one).toEqual(keys);
          const sort = { index: "name", descending: true };
          expect(keysOf(await readAll(store, { ...query, sort })), one).toEqual(keys.toReversed());
        }
      }
    },
  },
  {
    about: "crowds",
    name: "any query of many documents has the answers of the memory store",
    async run({ store: real }) {
      const queries = fc.array(query, { minLength: 12, maxLength: 12 });
      const property = fc.asyncProperty(crowd, queries, async (put, asked) => {
        const model = createMemoryStore();
        for (const store of [real, model]) await mustCommit(store, { put });
        try {
          for (const each of asked) await compareQuery(each, real, model);
        } finally {
          // Whom another run left would be counted as well, and the queries be read in other ways.
          await mustCommit(real, { remove: put });
        }
      });
      await fc.assert(property, { numRuns: 12 });
    },
  },
];

/** Compares a query's first page, what comes after it, and the count. */
async function compareQuery(query: Query, real: Store, model: Store): Promise<void> {
  const page = await model.query(query);
  expect(await real.query(query)).toEqual(page);
  if (page.next) {
    const further = { ...query, after: page.next };
    expect(await real.query(further)).toEqual(await model.query(further));
  }
  const { collection, where = [] } = query;
  const all = await model.query({ collection, where, limit: 1000 });
  if (real.count) expect(await real.count({ collection, where })).toBe(all.documents.length);
}
