import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { firstPace, type Pace, type PageOutcome, paceAfter, pageSizes } from "./pace.ts";

const { fewest, most } = pageSizes;
const landed = (records: number, took: number): PageOutcome => ({ kind: "landed", records, took });
const cut: PageOutcome = { kind: "cut" };

describe("paceAfter", () => {
  it.each<[string, Pace, PageOutcome, Pace]>([
    [
      "a cut page is asked for again with the fewest records",
      { size: 500, rate: 90 },
      cut,
      { size: fewest, rate: 90 },
    ],
    [
      "a fast page is followed by one four times as large",
      { size: 50, rate: null },
      landed(50, 100),
      { size: 200, rate: 500 },
    ],
    [
      "no page has more than the most",
      { size: 200, rate: 500 },
      landed(200, 200),
      { size: most, rate: 1_000 },
    ],
    [
      "a page of the slowest link is followed by one that takes five seconds",
      { size: 50, rate: null },
      landed(50, 2_500),
      { size: 100, rate: 20 },
    ],
    [
      "a slow page is followed by a smaller one",
      { size: 500, rate: 500 },
      landed(500, 25_000),
      { size: 100, rate: 20 },
    ],
    [
      "no page has less than the fewest",
      { size: 10, rate: 1 },
      landed(10, 60_000),
      { size: fewest, rate: 1 / 6 },
    ],
    [
      "an empty page says nothing of the speed",
      { size: 50, rate: 20 },
      landed(0, 9_000),
      { size: 50, rate: 20 },
    ],
    [
      "a clock that was put back meanwhile counts as no time",
      { size: 50, rate: null },
      landed(50, -9_000),
      { size: 200, rate: 50_000 },
    ],
  ])("%s", (_, before, outcome, after) => {
    expect(paceAfter(before, outcome)).toEqual(after);
  });

  it("stays between the fewest and the most whatever comes, and comes back from a cut", () => {
    const outcome = fc.oneof(
      fc.constant(cut),
      fc.record({
        kind: fc.constant("landed" as const),
        records: fc.nat(500),
        took: fc.integer({ min: -1e6, max: 1e8 }),
      }),
    );
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 40 }), (outcomes) => {
        const end = outcomes.reduce(paceAfter, firstPace);
        expect(end.size).toBeGreaterThanOrEqual(fewest);
        expect(end.size).toBeLessThanOrEqual(most);
        const healed = [1, 2, 3].reduce((pace) => paceAfter(pace, landed(pace.size, 1)), end);
        expect(healed.size).toBe(most);
      }),
    );
  });
});
