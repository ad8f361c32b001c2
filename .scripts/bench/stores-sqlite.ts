/** Measures the SQLite store in a process of its own. Its argument is a {@link StoresTask}, as JSON. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { StoresTask } from "./stores.ts";
import { measureBulk } from "./stores-bulk.ts";
import { compareSqlite } from "./stores-compare.ts";
import { type GrowthSubject, growthOf, growthSubject, growthTable } from "./stores-growth.ts";

const task = JSON.parse(process.argv[2] ?? "{}") as StoresTask;
const { sizes, bulk, folder } = task;
if (process.send) await serve(await growthSubject(folder, sizes?.[0] ?? 0));
else if (bulk) await measureBulk(task, bulk === "with audit");
else if (sizes) await measureGrowth(sizes);
else await compareSqlite(task);

async function measureGrowth(all: readonly number[]): Promise<void> {
  const subjects: GrowthSubject[] = [];
  for (const size of all) subjects.push(await startSubject(size));
  process.stdout.write(growthTable(await growthOf(subjects, task.rounds)));
}

/** Each size has a process of its own, whose peak memory is then its own. */
async function startSubject(records: number): Promise<GrowthSubject> {
  const child = fork(process.argv[1] ?? "", [JSON.stringify({ ...task, sizes: [records] })]);
  const answer = async () => {
    const told = new AbortController();
    const either = ["message", "exit"].map((event) => once(child, event, { signal: told.signal }));
    const [message] = (await Promise.race(either)) as [unknown];
    told.abort();
    if (typeof message === "object" && message) return message;
    throw new Error(`the process that measures ${records} records ended with ${message}`);
  };
  const ask = (call: string | null) => {
    child.send({ call });
    return answer();
  };
  const calls = (await answer()) as GrowthSubject["calls"];
  return {
    records,
    calls,
    measure: async (call) => (await ask(call)) as readonly number[],
    end: async () => (await ask(null)) as Awaited<ReturnType<GrowthSubject["end"]>>,
  };
}

/** The other side of {@link startSubject}. */
async function serve(subject: GrowthSubject): Promise<void> {
  const tell = (message: object) => process.send?.(message);
  tell(subject.calls);
  process.on("message", async ({ call }: { readonly call: string | null }) => {
    if (call !== null) tell(await subject.measure(call));
    else {
      tell(await subject.end());
      process.disconnect();
    }
  });
}
