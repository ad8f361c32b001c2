import { createMemoryStore, type Store } from "@fieldroll/core";
import { routeTable } from "@fieldroll/server";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accuracyOf, bestThreshold, type Pair, pairs } from "./equal-work-measure.ts";
import { requestOf, routesWithoutProbe } from "./equal-work-probes.ts";
import { tracing } from "./equal-work-trace.ts";
import { type EqualWorld, type Names, openEqualWorld } from "./equal-work-world.ts";

const stores: readonly (readonly [string, () => Promise<Store>])[] = [
  ["memory", async () => createMemoryStore()],
  ["SQLite", () => openSqliteStore({ path: ":memory:" })],
];
const every = pairs({ many: 4 });
const everyAlone = every.filter(({ name }) => !/^(\$batch|transaction)/.test(name));

it("has a request for every route that names a record which may be hidden", () => {
  expect(routesWithoutProbe(routeTable({ programs: true }))).toEqual([]);
  expect(routesWithoutProbe([{ method: "GET", template: "/Secret/{address}" }])).toEqual([
    "GET /Secret/{address}",
  ]);
});

describe.each(stores)("a hidden record, on %s", (_, open) => {
  describe.each([false, true])("with a photo: %s", (photo) => {
    const calls: string[] = [];
    let world: EqualWorld;
    let store: Store;

    beforeAll(async () => {
      store = await open();
      world = await openEqualWorld(
        tracing(store, (line) => calls.push(line)),
        { people: 2, photo },
      );
    });
    afterAll(() => store.close());

    /** What is told, without names, and what the store did for it. */
    async function told(pair: Pair, names: readonly Names[]) {
      calls.length = 0;
      const answer = await world.handle(requestOf(world, pair.ask(names, 0, world)));
      const text = await answer.text();
      const headers = [...answer.headers].map(([name, value]) => `${name}: ${withoutNames(value, names)}`);
      return {
        status: answer.status,
        text: withoutNames(text, names),
        size: text.length,
        headers,
        // Some are made at the same time, in any order.
        calls: calls.toSorted(),
      };
    }

    it.each(every.map((pair) => [pair.name, pair] as const))(
      "is answered like an unknown one, by the same calls: %s",
      async (__, pair) => {
        const hidden = await told(pair, world.hidden);
        expect(hidden).toEqual(await told(pair, world.unknown));
      },
    );
  });
});

/** Whether anybody can tell the two by a clock: a short form of `npm run torture -- equal-work`. */
describe("the time that an answer takes, on SQLite", () => {
  let world: EqualWorld;
  let store: Store;

  beforeAll(async () => {
    store = await openSqliteStore({ path: ":memory:" });
    world = await openEqualWorld(store, { people: 3, photo: true });
  });
  afterAll(() => store.close());

  it("does not tell a hidden record from an unknown one", { timeout: 120_000 }, async () => {
    const told: string[] = [];
    for (const pair of everyAlone) {
      const { share, tries } = await leastOfFive(pair);
      if (share > 0.65) told.push(`${pair.name}: ${share}, after ${tries}`);
    }
    expect(told).toEqual([]);
  });

  /** Other work on the machine may be in step with one form for a while: what is told is told again. */
  async function leastOfFive(pair: Pair) {
    const count = 100;
    let share = 1;
    let tries = 0;
    while (share > 0.65 && tries < 5)
      share = Math.min(share, (await accuracyOf(world, pair, { count, seed: ++tries })).time);
    return { share, tries };
  }
});

describe("the best threshold", () => {
  const samples = (hidden: number, unknown: number) =>
    Array.from({ length: 400 }, (_, i) => ({
      hidden: i % 2 === 0,
      value: (i % 2 === 0 ? hidden : unknown) + ((i * 37) % 100),
    }));
  it("tells apart what differs", () => expect(bestThreshold(samples(200, 0))).toBe(1));
  it("tells apart what is less", () => expect(bestThreshold(samples(0, 200))).toBe(1));
  it("guesses where there is no difference", () =>
    expect(Math.abs(bestThreshold(samples(0, 0)) - 0.5)).toBeLessThan(0.1));
});

function withoutNames(text: string, names: readonly Names[]): string {
  const all = names
    .flatMap(Object.values)
    .flatMap((name) => [name, encodeURIComponent(name), name.slice(name.indexOf("|") + 1)]);
  const shorter = all
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, name) => rest.replaceAll(name, "<name>"), text);
  return shorter.replace(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g, "<id>");
}
