import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clockState } from "./clock.ts";

const [second, hour, day] = [1_000, 3_600_000, 24 * 3_600_000];
const at = Date.UTC(2026, 0, 15);

const right = { correction: 0, isKnown: true, isDoubtful: false };
const unknown = { correction: 0, isKnown: false, isDoubtful: false };
const doubtful = { correction: 0, isKnown: false, isDoubtful: true };
const corrected = (correction: number) => ({ correction, isKnown: true, isDoubtful: false });

describe("clockState", () => {
  it("knows nothing before an answer", () => {
    expect(clockState(new Date(at), null)).toEqual(unknown);
  });

  it.each([
    ["a few seconds are the delay of an answer", 5 * second, 0, right],
    ["three hours ahead are corrected", 3 * hour, day, corrected(3 * hour)],
    ["three hours behind are corrected", -3 * hour, 30 * day, corrected(-3 * hour)],
    ["a year ahead is corrected", 400 * day, 20 * day, corrected(400 * day)],
    ["a year behind is corrected", -400 * day, 20 * day, corrected(-400 * day)],
    ["a clock that was a year ahead and went back may be right", 400 * day, -400 * day, doubtful],
    ["a clock that was a month behind and went on by a month may be right", -30 * day, 30 * day, doubtful],
    ["a clock that was two days ahead may have been set right within four", 2 * day, 4 * day, doubtful],
    ["a right clock that went back by years is wrong", 0, -2_000 * day, doubtful],
    ["a right clock that went back by an hour is taken as it is", 0, -hour, unknown],
    ["a clock that was three hours ahead and went back is taken as it is", 3 * hour, -3 * hour, unknown],
  ])("%s", (_, skew, since, state) => {
    expect(clockState(new Date(at + since), { skew, at })).toEqual(state);
  });

  it("corrects by what was heard or not at all, and is in no doubt about what it knows", () => {
    const span = fc.integer({ min: -1_000 * day, max: 1_000 * day });
    fc.assert(
      fc.property(span, span, (skew, since) => {
        const { correction, isKnown, isDoubtful } = clockState(new Date(at + since), { skew, at });
        expect([0, skew]).toContain(correction);
        if (!isKnown) expect(correction).toBe(0);
        expect(isKnown && isDoubtful).toBe(false);
        if (Math.abs(skew) >= day) expect(isKnown || isDoubtful).toBe(true);
      }),
    );
  });
});
