import { describe, expect, it } from "vitest";
import { simulate } from "../simulate.ts";
import { bugs } from "./bugs.ts";
import { simulationWith } from "./build.ts";

/** The simulation must have met each bug by then. */
const mostSeeds = 500;

/** Where code has moved, a bug needs another seed than the one that is kept. */
const patience = { timeout: 300_000 };

describe("a bug that others had in the field", () => {
  it("is another one in each case", () => {
    expect(new Set(bugs.map(({ name }) => name)).size).toBe(bugs.length);
    expect(bugs.length).toBeGreaterThanOrEqual(20);
  });

  it.each(bugs)("is caught: $name (C$row)", patience, async (bug) => {
    const simulateBug = await simulationWith(bug);
    for (let tried = 0; tried < mostSeeds; tried++) {
      const seed = bug.seed + tried;
      const run = { seed, devices: 2, hours: 1.5, pace: 8 };
      if ((await simulateBug(run)).violations.length === 0) continue;
      // It is the bug that the run shows, and nothing else.
      expect((await simulate(run)).violations).toEqual([]);
      return;
    }
    expect.unreachable(`${mostSeeds} runs did not show it`);
  });
});
