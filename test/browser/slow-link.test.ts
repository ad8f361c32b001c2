import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeInChromium } from "./describe-in-chromium.ts";
import { openFirstVisit, slowest } from "./stage/first-visit.ts";

describeInChromium("A first visit at 50 kbit/s, with 400 ms and a cut every minute", (executablePath) => {
  it("shows the sign-in form within 40 seconds and a first record within 60", async () => {
    const folder = await mkdtemp(join(tmpdir(), "fieldroll-slow-"));
    const visit = await openFirstVisit({ executablePath, folder, households: 100, quality: slowest });
    try {
      const { form, first } = await visit.begin();
      expect(form).toBeLessThan(40);
      expect(first).toBeLessThan(60);
    } finally {
      await visit.close();
      await rm(folder, { recursive: true, force: true });
    }
  });
});
