import { describe, expect, it } from "vitest";
import keptSeeds from "./kept-seeds.json" with { type: "json" };
import type { SimulationOptions } from "./options.ts";
import { itHoldsInShortRuns } from "./short-runs.ts";
import { simulate } from "./simulate.ts";

/** A run that once broke a promise, and why it did. */
interface KeptSeed extends SimulationOptions {
  readonly why: string;
}

describe("tablets, an office, and a network with every fault", () => {
  it.each(keptSeeds as readonly KeptSeed[])(
    "hold what they promise where one once did not: $why",
    { timeout: 180_000 },
    async (run) => {
      expect((await simulate(run)).violations).toEqual([]);
    },
  );

  it.each([{ consents: true, page: 4 }, { files: true }])(
    "leave the same trace for the same seed, with %o",
    { timeout: 180_000 },
    async (variety) => {
      const run = { seed: 4711, devices: 3, hours: 2, ...variety };
      const [one, other] = [await simulate(run), await simulate(run)];
      expect(other).toEqual(one);
      expect((await simulate({ ...run, seed: 4712 })).trace).not.toBe(one.trace);
    },
  );

  itHoldsInShortRuns({ nth: 0, of: 2 });
});
