/**
 * A tablet's first visit over the slowest link, with its times: `npm run slow-link`. Chromium has its profile on disk, and the link is a
 * gate on loopback that cuts every connection each minute.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromiumMissing, findChromium } from "../../test/browser/chromium.ts";
import { buildFieldApp } from "../../test/browser/stage/app.ts";
import { type Moment, openFirstVisit, slowest } from "../../test/browser/stage/first-visit.ts";
import { readOptions } from "../options.ts";

const usage = `npm run slow-link -- [--households 1000] [--kilobits 50] [--latency 400] [--cut 60]

Opens the field app for the first time over a slow link, and prints after how many seconds the sign-in form was there, the first record
could be opened, and all households of the area were on the tablet. --kilobits is a second, --latency in milliseconds, --cut in seconds.`;

/** What must be, in seconds. */
const promised = { form: 40, first: 60, all: 900 };

const { values } = readOptions(usage, {
  numbers: ["households", "kilobits", "latency", "cut"],
  options: {
    households: { type: "string", default: "1000" },
    kilobits: { type: "string", default: String(slowest.bitsPerSecond / 1_000) },
    latency: { type: "string", default: String(slowest.latency) },
    cut: { type: "string", default: "60" },
  },
});
const executablePath = findChromium();
if (!executablePath) {
  process.stderr.write(`${chromiumMissing}\n`);
  process.exit(1);
}

let late = 0;
const tell = (what: string, { seconds, down, asked }: Moment, most: number) => {
  if (seconds > most) late++;
  const cost = `${(down / 1_000).toFixed(0)} kB, ${asked} requests`;
  process.stdout.write(`${seconds.toFixed(1).padStart(7)} s of ${most}  ${what} (${cost})\n`);
};

await buildFieldApp();
const folder = await mkdtemp(join(tmpdir(), "fieldroll-slow-link-"));
const quality = {
  bitsPerSecond: Number(values.kilobits) * 1_000,
  latency: Number(values.latency),
  cutEvery: Number(values.cut) * 1_000,
};
const visit = await openFirstVisit({
  executablePath,
  folder,
  households: Number(values.households),
  quality,
});
try {
  const { form, first } = await visit.begin();
  tell("the sign-in form", form, promised.form);
  tell("the first record", first, promised.first);
  const progress = (records: number) =>
    process.stderr.write(`\r${visit.now().seconds.toFixed(0)} s: ${records} records   `);
  await visit.isComplete(progress);
  process.stderr.write("\n");
  tell(`all ${values.households} households`, visit.now(), promised.all);
} finally {
  await visit.close();
  await rm(folder, { recursive: true, force: true });
}
process.exitCode = late > 0 ? 1 : 0;
