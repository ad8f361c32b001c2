import { describe, it } from "vitest";
import { chromiumMissing, findChromium } from "./chromium.ts";

/**
 * Declares browser tests. Without a Chromium they are one skipped test that says why; with CI=true, a failed one.
 *
 * @param define receives the path of the browser.
 */
export function describeInChromium(name: string, define: (executablePath: string) => void): void {
  const executablePath = findChromium();
  if (executablePath) describe(name, () => define(executablePath));
  else reportMissingChromium(name);
}

/** Registers the test that stands for browser tests which can't run here. */
export function reportMissingChromium(name: string): void {
  const title = `${name} (${chromiumMissing})`;
  if (process.env.CI === "true")
    it(title, () => {
      throw new Error(chromiumMissing);
    });
  else it.skip(title, () => undefined);
}
