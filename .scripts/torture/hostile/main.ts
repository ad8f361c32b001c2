import { readOptions } from "../../options.ts";
import { hostileRun } from "./run.ts";

const usage = `npm run torture -- hostile [--store sqlite|postgres] [--minutes 10] [--seed N] [--only ATTACK]

Throws requests of all kinds at a server under ordinary load, whose heap has 256 MB, and prints the slowest answers, the peak memory and
the longest stall of the event loop. It fails where the server ends, or answers with 5xx.`;

/** @returns whether the server held */
export async function hostileTorture(args: string[]): Promise<boolean> {
  const { values } = readOptions(usage, {
    args,
    numbers: ["minutes", "seed"],
    options: {
      store: { type: "string", default: "sqlite" },
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: String(process.pid) },
      only: { type: "string" },
    },
  });
  const { store, minutes, seed, only } = values;
  process.stdout.write(`${store}: ${minutes} minutes of hostile requests, seed ${seed}\n`);
  return hostileRun({
    store,
    minutes: Number(minutes),
    seed: Number(seed),
    ...(only !== undefined && { only }),
  });
}
