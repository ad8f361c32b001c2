import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openFirstVisit, slowest } from "./stage/first-visit.ts";

/** The slowest link, ten times as fast, and cut after as much as it brings in 48 seconds: right before the first records. */
const faster = {
  bitsPerSecond: 10 * slowest.bitsPerSecond,
  latency: slowest.latency / 10,
  cutAfter: 300_000,
};

/** Seconds on the slowest link: bytes and round trips tell them, on a machine of any speed. */
const secondsOf = ({ down, asked }: { readonly down: number; readonly asked: number }) =>
  (8 * down) / slowest.bitsPerSecond + (asked * slowest.latency) / 1_000;

describeInChromium("A first visit over the slowest link, with a cut", (executablePath) => {
  it("shows the sign-in form within 40 seconds, a first record within 60, and ends with all households", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fieldroll-slow-"));
    const visit = await openFirstVisit({ executablePath, folder, households: 100, quality: faster });
    try {
      const { form, first } = await visit.begin();
      expect(secondsOf(form)).toBeLessThan(40);
      expect(secondsOf(first)).toBeLessThan(60);
      expect(await visit.isComplete()).toBe(500);
    } finally {
      await visit.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
