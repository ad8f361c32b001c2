import { chromiumMissing, findChromium } from "../../test/browser/chromium.ts";
import { readOptions } from "../options.ts";
import { killTablets } from "./run.ts";

const usage = `npm run kills -- [--kills 200] [--seed N]

Kills a Chromium with its profile on disk, or a tab of it, at random moments of edits, pushes and pulls, and compares what is there
afterwards with what was promised.`;

const { values } = readOptions(usage, {
  numbers: ["kills", "seed"],
  options: {
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(process.pid) },
  },
});
const executablePath = findChromium();
if (!executablePath) {
  process.stderr.write(`${chromiumMissing}\n`);
  process.exit(1);
}
const [kills, seed] = [Number(values.kills), Number(values.seed)];
const started = performance.now();
process.stdout.write(`${kills} kills, seed ${seed}\n`);
const found = await killTablets({
  executablePath,
  kills,
  seed,
  people: 2_000,
  wholeEvery: 5,
  freshEvery: 20,
  tell: (kill, { how, at, count }, { promised }) => {
    process.stderr.write(`  ${kill}: ${how} at ${at} ${count}; ${promised} edits promised\n`);
  },
});
const seconds = ((performance.now() - started) / 1000).toFixed(0);
process.stdout.write(
  `${kills} kills: ${found.promised} edits promised and all there, each once; ${found.replayed} answers were asked for again, ` +
    `${found.conflicts} writes merged; every outbox emptied, every device equal to the server; ${seconds} s\n`,
);
