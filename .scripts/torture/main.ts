import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readOptions } from "../options.ts";
import { measureEqualWork } from "./equal-work.ts";
import { hostileTorture } from "./hostile/main.ts";
import { namedServer, ownServer } from "./postgres.ts";
import { torture } from "./run.ts";
import type { Subject } from "./subjects.ts";

if (process.argv[2] === "equal-work") {
  await measureEqualWork(process.argv.slice(3));
  process.exit();
}
if (process.argv[2] === "hostile") {
  process.exit((await hostileTorture(process.argv.slice(3))) ? 0 : 1);
}

const usage = `npm run torture -- [--store sqlite|postgres] [--kills 200] [--seed N] [--writers 8] [--url postgres://…]

Kills the writers of a store with SIGKILL at random moments, and compares what is left with what they had acknowledged. PostgreSQL runs
on a server of its own, which is killed as well, or on the one named, which is left alone.

npm run torture -- equal-work --help tells of another program: how well a clock tells hidden records from unknown ones.
npm run torture -- hostile --help tells of a third: hostile requests of all kinds at a server under ordinary load.`;

const { values } = readOptions(usage, {
  numbers: ["kills", "seed", "writers"],
  options: {
    store: { type: "string", default: "sqlite" },
    kills: { type: "string", default: "200" },
    seed: { type: "string", default: String(process.pid) },
    writers: { type: "string", default: "8" },
    url: { type: "string" },
  },
});

const makers: Readonly<Record<string, () => Promise<Subject>>> = {
  sqlite: inNewFile,
  postgres: () => (values.url === undefined ? ownServer() : namedServer(values.url)),
};

async function inNewFile(): Promise<Subject> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-torture-"));
  const drop = () => rm(folder, { recursive: true });
  return { target: { kind: "sqlite", path: join(folder, "torture.db") }, drop };
}

const make = makers[values.store];
if (!make) {
  process.stderr.write(`There is no store ${values.store}. There is: ${Object.keys(makers).join(", ")}.\n`);
  process.exit(1);
}
const [kills, seed, writers] = [values.kills, values.seed, values.writers].map(Number) as [
  number,
  number,
  number,
];
const subject = await make();
const started = performance.now();
process.stdout.write(`${values.store}: ${kills} kills of ${writers} writers, seed ${seed}\n`);
try {
  const found = await torture({
    subject,
    kills,
    seed,
    writers,
    tell: (kill, { acknowledged, beyond }) => {
      const line = `  ${kill} kills: ${acknowledged} commits acknowledged, ${beyond} found beyond`;
      if (process.stderr.isTTY) process.stderr.write(`\r${line}`);
      else if (kill % 20 === 0) process.stderr.write(`${line}\n`);
    },
  });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  process.stdout.write(
    `${kills} kills, ${found.serverKills} of them of the server too: ${found.acknowledged} commits acknowledged and all there, ` +
      `${found.beyond} found beyond, none in part; feeds complete; ${seconds} s\n`,
  );
  await subject.drop();
} catch (error) {
  process.stderr.write(`\nSeed ${seed}, left as it is: ${JSON.stringify(subject.target)}\n`);
  throw error;
}
