import fc from "fast-check";
import { expect } from "vitest";
import { createMemoryStore } from "../store/memory.ts";
import type { ChangesPage, Found, Store } from "../store/port.ts";
import { handlesOf, type StoreCase } from "./describe-store-harness.ts";
import { inPart } from "./describe-store-part.ts";
import { claims, collections, keys, program, type Step } from "./describe-store-programs.ts";
import { isSound } from "./describe-store-upkeep.ts";

/** Random programs, compared with the memory store after every step. */
export const modelCases: readonly StoreCase[] = [
  {
    about: "model",
    name: "any program of commits, queries and changes has the answers of the memory store",
    async run(open) {
      let runs = 0;
      let handles = await handlesOf(open, 2);
      const property = fc.asyncProperty(program, async (steps) => {
        // Names of its own give each run an empty part of the one store.
        const part = `${++runs}.`;
        const model = createMemoryStore();
        const cursors = new Map<string, { model: string; real: string }>();
        for (const [nth, step] of steps.entries()) {
          if (step.do === "reopen") handles = [await open.reopen()];
          // The handles take turns, so that each works on what another left.
          const real = inPart(handles[nth % handles.length] ?? handles[0], part);
          await compareStep(step, { model, real, cursors });
          await compareState(model, real);
        }
      });
      await fc.assert(property, { numRuns: 80 });
      await isSound(handles[0]);
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
    const { collection, where = [] } = step.query;
    const all = await model.query({ collection, where, limit: 1000 });
    if (real.count) expect(await real.count({ collection, where })).toBe(all.documents.length);
  } else if (step.do === "find") {
    if (real.find) expect(await real.find(step.claim, step.naming)).toEqual(await foundBy(model, step));
  } else if (step.do === "follow") {
    await compareFeed(step, pair);
  }
}

/** What `find` promises, said by the calls that every store has. */
async function foundBy(store: Store, { claim, naming }: Step & { do: "find" }): Promise<Found | undefined> {
  const [holder] = await store.resolve([claim]);
  const [document] = holder ? await store.get([holder]) : [];
  if (!document) return undefined;
  if (!naming) return { document, naming: [] };
  const where = [{ index: naming.index, anyOf: [document.key] }];
  const { documents } = await store.query({ collection: naming.collection, where, limit: 1000 });
  return { document, naming: documents };
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
  const [documents, holders] = await Promise.all([real.get(all), real.resolve(claims)]);
  expect(documents).toEqual(await model.get(all));
  expect(holders).toEqual(await model.resolve(claims));
}

/** A call's answer; or the code of its refusal, which is an answer as well. */
export async function answer(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    return error instanceof Error && error.name === "StoreError" ? (error as { code?: string }).code : error;
  }
}
