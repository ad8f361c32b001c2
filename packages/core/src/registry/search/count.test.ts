import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import type { Store } from "../../store/port.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { createBudget } from "../budget.ts";
import { person } from "./test-world.ts";

/** The most steps that a test lets a count go on. */
const most = 50;

const counting: Readonly<Record<string, (store: Store, step: () => void) => Store>> = {
  "reading page after page": (store, step) => ({
    ...store,
    async query(query) {
      if (query.collection !== "Individual" || query.limit !== 500) return store.query(query);
      step();
      return { documents: [], next: { value: null, key: "x" } };
    },
  }),
  "asking the store to count": (store, step) => ({
    ...store,
    async count(_query, isWanted = () => true) {
      while (isWanted()) step();
      return undefined;
    },
  }),
};

it.each(Object.keys(counting))("%s ends when the caller goes away", async (way) => {
  const world = createTestRegistry();
  unwrap(await world.view.individuals.create(person("p1")));
  const signal = { aborted: false };
  let steps = 0;
  const store = counting[way]?.(world.store, () => {
    steps += 1;
    signal.aborted = steps === 3;
    if (steps > most) throw new Error("It goes on.");
  });
  const budget = createBudget({
    records: 100,
    bytes: 1e6,
    milliseconds: 1e6,
    elapsed: () => 0,
    signal,
  });
  const view = createTestRegistry(store ? { store } : {}).as({}, { budget });
  const page = unwrap(await view.individuals.search({ _total: "accurate" }));
  expect([steps, page.data.length, page.total]).toEqual([3, 1, undefined]);
});
