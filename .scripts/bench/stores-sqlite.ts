/** Measures the SQLite store in a process of its own. Its argument is a {@link StoresTask}, as JSON. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { StoresTask } from "./stores.ts";
import { measureBulk } from "./stores-bulk.ts";
import { compareSqlite } from "./stores-compare.ts";
import { type Growth, growthOf, growthTable } from "./stores-growth.ts";

const task = JSON.parse(process.argv[2] ?? "{}") as StoresTask;
const { sizes, bulk } = task;
if (bulk) await measureBulk(task, bulk === "with audit");
else if (!sizes) await compareSqlite(task);
else if (process.send) process.send(await growthOf(task, sizes[0] ?? 0));
else process.stdout.write(growthTable(await eachAlone(sizes)));

/** Each size in a process of its own, whose peak memory is then its own. */
async function eachAlone(all: readonly number[]): Promise<readonly Growth[]> {
  const found: Growth[] = [];
  for (const size of all) {
    const child: ChildProcess = fork(process.argv[1] ?? "", [JSON.stringify({ ...task, sizes: [size] })]);
    const [growth] = (await Promise.race([once(child, "message"), once(child, "exit")])) as [Growth | number];
    if (typeof growth === "number") throw new Error(`measuring ${size} records ended with ${growth}`);
    found.push(growth);
  }
  return found;
}
