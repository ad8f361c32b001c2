import { expect, it } from "vitest";
import { faultNames } from "./network.ts";
import type { SimulationOptions } from "./options.ts";
import { simulate } from "./simulate.ts";
import { varietyOf } from "./variety.ts";

/** Some three minutes on two processors; more are a variable away, and the long ones are `npm run simulate`. */
const seeds = Number(process.env.FIELDROLL_SIMULATED_SEEDS ?? 2_000);
const first = Number(process.env.FIELDROLL_FIRST_SEED ?? 1);
const inOneTest = 50;
/** While one run waits for a signature or a cipher, which threads of their own make, another goes on. */
const atOnce = 2;

/** Makes the runs of one file of tests: each takes its share of the seeds, as files run side by side. */
export function itHoldsInShortRuns(share: { readonly nth: number; readonly of: number }): void {
  const parts = Array.from({ length: Math.ceil(seeds / inOneTest) }, (_, i) => first + i * inOneTest);
  const total = new Map<string, number>();
  it.each(parts.filter((_, i) => i % share.of === share.nth))(
    "hold what they promise in the runs from seed %i on",
    { timeout: 120_000 },
    async (from) => {
      const last = Math.min(from + inOneTest, first + seeds) - 1;
      let next = from;
      const goOn = async () => {
        for (let seed = next++; seed <= last; seed = next++) {
          const { violations, counts } = await simulate(shortRun(seed));
          expect({ seed, violations }).toEqual({ seed, violations: [] });
          for (const [what, times] of Object.entries(counts)) total.set(what, (total.get(what) ?? 0) + times);
        }
      };
      await Promise.all(Array.from({ length: atOnce }, goOn));
    },
  );

  it("meet every fault, every deed and every kind of decision", () => {
    expect(expected.filter((what) => !total.get(what))).toEqual([]);
  });
}

/** Some seven things that people do on two tablets, in a quarter of an hour. */
function shortRun(seed: number): SimulationOptions {
  return { seed, devices: 2, hours: 0.25, pace: 16, ...varietyOf(seed) };
}

const faults = [...faultNames, "storage"].map((fault) => `fault: ${fault}`);

/** What the runs together must have exercised, or they show less than they claim. */
const expected = [
  ...faults,
  ...["crashes", "clock jumps", "office: restart", "deed: register a household", "deed: add a member"],
  ...["deed: give up, done", "deed: give up, refused"],
  ...["disks lost", "restored", "edits lost by the server", "tablets given to another person"],
  ...["files taken in", "records out of files"],
  ...["tabs opened or closed", "upgrades with edits unsent", "consents withdrawn"],
  ...["decision: conflict, choose", "decision: rejected, retry", "decision: gone, retry"],
];
