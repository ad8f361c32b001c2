import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { reportMissingChromium } from "../test/browser/describe-in-chromium.ts";

/** Stands in for the tests that run inside Chromium where there is none, so that each is named as skipped. */
const packages = fileURLToPath(new URL("../packages", import.meta.url));

for (const file of readdirSync(packages, { recursive: true, encoding: "utf8" })) {
  if (file.endsWith(".chromium.test.ts") && !file.includes("node_modules"))
    reportMissingChromium(`packages/${file}`);
}
