import { expect, it } from "vitest";
import { killTablets } from "../../../.scripts/kills/run.ts";
import { describeInChromium } from "../describe-in-chromium.ts";

describeInChromium("A tablet whose browser or tab is killed at random moments", (executablePath) => {
  it("has lost nothing that it promised, applied nothing twice, and comes to what the server has", async () => {
    const options = { executablePath, kills: 6, seed: 3, people: 600, wholeEvery: 6, freshEvery: 6 };
    const { promised } = await killTablets(options);
    expect(promised).toBeGreaterThan(50);
  });
});
