import { Worker } from "node:worker_threads";
import type { SimulationReport } from "../../test/simulation/simulate.ts";
import { varietyOf } from "../../test/simulation/variety.ts";
import { bundleProgram } from "../bundle.ts";
import { readOptions } from "../options.ts";
import { type Ended, type Run, readLog, writeLog } from "./log.ts";

const usage = `npm run simulate -- [--seed N] [--runs 1] [--devices 5] [--weeks 4] [--pace 0.5] [--threads 1] [--log FILE] [--trace] [--watch TOKEN]

Tablets, their people, an office and a server over weeks, with every fault of a network, of a disk and of a battery, in minutes; prints
what happened and what promise was broken. The same seed makes the same run. With a token of an edit that a broken promise names, each
document that holds it is printed as it comes, changes and goes.

Runs are handed to threads, one at a time. With a log, those that are in it are not made again: a long series may be broken off and goes
on where it was, and several machines may each take a range of seeds.`;

const { values } = readOptions(usage, {
  numbers: ["seed", "runs", "devices", "weeks", "pace", "threads"],
  options: {
    seed: { type: "string", default: String(process.pid) },
    runs: { type: "string", default: "1" },
    devices: { type: "string", default: "5" },
    weeks: { type: "string", default: "4" },
    pace: { type: "string", default: "0.5" },
    threads: { type: "string", default: "1" },
    log: { type: "string" },
    trace: { type: "boolean", default: false },
    watch: { type: "string" },
  },
});
const { log, trace, watch } = values;
const number = (name: "seed" | "runs" | "devices" | "weeks" | "pace" | "threads") => Number(values[name]);
const [first, runs, devices, weeks, pace] = [
  number("seed"),
  number("runs"),
  number("devices"),
  number("weeks"),
  number("pace"),
];
const before = readLog(log, { devices, weeks, pace }).filter(
  ({ seed }) => seed >= first && seed < first + runs,
);
const made = new Set(before.map(({ seed }) => seed));
const left = Array.from({ length: runs }, (_, i) => first + i).filter((seed) => !made.has(seed));
const ended: Ended[] = [...before];
const started = performance.now();

/** Lets one thread make runs until none is left. */
async function work(program: string): Promise<void> {
  const worker = new Worker(program);
  for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
    const run: Run = { seed, devices, weeks, pace };
    const report = await answerOf(worker, {
      ...run,
      hours: weeks * 7 * 24,
      trace,
      watch,
      ...varietyOf(seed),
    });
    ended.push({ ...run, ...report });
    writeLog(log, { ...run, ...report });
    tellRun(run, report);
  }
  await worker.terminate();
}

function answerOf(worker: Worker, asked: object): Promise<SimulationReport> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (report: SimulationReport) => {
      worker.off("error", reject);
      resolve(report);
    });
    worker.postMessage(asked);
  });
}

function tellRun({ seed }: Run, { violations, trace: mark }: SimulationReport): void {
  const state = violations.length === 0 ? "all promises held" : `${violations.length} promises broken`;
  process.stdout.write(`seed ${seed}: ${devices * weeks} device-weeks, ${state}, trace ${mark}\n`);
  for (const violation of violations.slice(0, 20)) process.stdout.write(`  ${violation}\n`);
}

function tellProgress(): void {
  const minutes = (performance.now() - started) / 60_000;
  const rate = ((ended.length - before.length) * devices * weeks) / minutes;
  const toGo = rate > 0 ? ((runs - ended.length) * devices * weeks) / rate : Number.NaN;
  process.stderr.write(
    `${ended.length} of ${runs} runs, ${rate.toFixed(1)} device-weeks a minute, ${Number.isNaN(toGo) ? "unknown" : toGo.toFixed(0)} minutes to go\n`,
  );
}

const program = await bundleProgram(new URL("worker.ts", import.meta.url));
const progress = setInterval(tellProgress, 30_000);
await Promise.all(Array.from({ length: Math.min(number("threads"), left.length) }, () => work(program)));
clearInterval(progress);

const total: Record<string, number> = {};
for (const { counts } of ended) {
  for (const [what, times] of Object.entries(counts)) total[what] = (total[what] ?? 0) + times;
}
for (const what of Object.keys(total).toSorted()) process.stdout.write(`  ${what}: ${total[what]}\n`);
const broken = ended.filter(({ violations }) => violations.length > 0);
const seconds = ((performance.now() - started) / 1000).toFixed(0);
process.stdout.write(
  `${ended.length * devices * weeks} device-weeks, ${before.length * devices * weeks} of them from the log, the others in ${seconds} s; ` +
    `${broken.length} of ${ended.length} runs with a broken promise\n`,
);
process.exitCode = broken.length > 0 ? 1 : 0;
