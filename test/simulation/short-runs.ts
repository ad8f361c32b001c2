import { expect, it } from "vitest";
import { simulate } from "./simulate.ts";
import { varietyOf } from "./variety.ts";

/** More of them are a variable away, and the long ones are `npm run simulate`. */
const seeds = Number(process.env.FIELDROLL_SIMULATED_SEEDS ?? 100);
const first = Number(process.env.FIELDROLL_FIRST_SEED ?? 1);
const atOnce = 25;

/** Makes the runs of one file of tests: each takes its share of the seeds, as files run side by side. */
export function itHoldsInShortRuns(share: { readonly nth: number; readonly of: number }): void {
  const parts = Array.from({ length: Math.ceil(seeds / atOnce) }, (_, i) => first + i * atOnce);
  const total = new Map<string, number>();
  it.each(parts.filter((_, i) => i % share.of === share.nth))(
    "hold what they promise in the runs from seed %i on",
    { timeout: 120_000 },
    async (from) => {
      for (let seed = from; seed < Math.min(from + atOnce, first + seeds); seed++) {
        const { violations, counts } = await simulate({
          seed,
          devices: 2,
          hours: 0.6,
          pace: 10,
          ...varietyOf(seed),
        });
        expect({ seed, violations }).toEqual({ seed, violations: [] });
        for (const [what, times] of Object.entries(counts)) total.set(what, (total.get(what) ?? 0) + times);
      }
    },
  );

  it("meet every fault, every deed and every kind of decision", () => {
    expect(expected.filter((what) => !total.get(what))).toEqual([]);
  });
}

const faults = [
  ...[
    "request lost",
    "refused at once",
    "answer lost",
    "duplicated",
    "delivered late",
    "cut short",
    "portal",
  ],
  ...["401", "403", "413", "422", "429", "500", "500 after the deed", "503", "storage"],
].map((fault) => `fault: ${fault}`);

/** What the runs together must have exercised, or they show less than they claim. */
const expected = [
  ...faults,
  ...["crashes", "clock jumps", "office: restart", "deed: register a household", "deed: add a member"],
  ...["disks lost", "restored", "edits lost by the server", "tablets given to another person"],
  ...["tabs opened or closed", "upgrades with edits unsent", "consents withdrawn"],
  ...["decision: conflict, choose", "decision: rejected, retry", "decision: gone, retry"],
];
