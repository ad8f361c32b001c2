import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspectWorker, type WorkerInspector } from "./sync-inspect.ts";
import type { Service, Stage } from "./sync-stage.ts";
import type { EngineMeasures } from "./sync-task.ts";

interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

/** Where the worker's time goes in a first sync and in a push of 200 edits: profiles for DevTools, and a summary of each. */
export async function profileWorker({
  stage,
  service,
  folder,
}: {
  readonly stage: Stage;
  readonly service: Service;
  readonly folder: string;
}): Promise<void> {
  const tab = await stage.open<EngineMeasures>("engine", service.port);
  const attached = await inspectWorker(tab.page);
  const script = await readFile(stage.workerScript, "utf8");
  const starting = tab.call("start", "profile");
  const worker = await attached();
  await startProfile(worker);
  await starting;
  await endProfile(worker, { script, path: join(folder, "first-sync.cpuprofile") });
  await tellWaits(worker);
  await tab.call("edit", { from: 0, count: 200, poisonedEach: 0, text: "Profile" });
  await startProfile(worker);
  await tab.call("sync");
  await endProfile(worker, { script, path: join(folder, "push.cpuprofile") });
  await tellWaits(worker);
  await tab.close();
}

/** Makes the worker note when each of its transactions of IndexedDB began and ended. */
const noteTransactions = `if (!self.noted) {
  self.noted = [];
  const { transaction } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    const made = transaction.apply(this, given);
    const span = [performance.now(), Infinity];
    const end = () => { span[1] = performance.now(); };
    made.addEventListener("complete", end);
    made.addEventListener("abort", end);
    self.noted.push(span);
    return made;
  };
}
performance.setResourceTimingBufferSize(5000);
performance.clearResourceTimings();
self.noted.length = 0;`;

const noted = `JSON.stringify({
  requests: performance.getEntriesByType("resource").map((each) => [each.startTime, each.responseEnd]),
  transactions: self.noted.filter(([, to]) => to < Infinity),
})`;

type Spans = readonly (readonly [number, number])[];

/** How much of the time something was under way that the worker waits for. */
async function tellWaits(worker: WorkerInspector): Promise<void> {
  const { result } = await worker.send<{ result: { value: string } }>("Runtime.evaluate", {
    expression: noted,
  });
  const { requests, transactions } = JSON.parse(result.value) as { requests: Spans; transactions: Spans };
  const [sent, written] = [covered(requests), covered(transactions)].map((time) => time.toFixed(0));
  process.stdout.write(
    `     ${requests.length} requests, at least one under way for ${sent} ms of it\n` +
      `     ${transactions.length} transactions of IndexedDB, at least one open for ${written} ms of it\n\n`,
  );
}

/** The length of what at least one span covers. */
function covered(spans: Spans): number {
  let [sum, until] = [0, 0];
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    sum += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return sum;
}

async function startProfile(worker: WorkerInspector): Promise<void> {
  await worker.send("Runtime.evaluate", { expression: noteTransactions });
  await worker.send("Profiler.enable");
  await worker.send("Profiler.setSamplingInterval", { interval: 250 });
  await worker.send("Profiler.start");
}

async function endProfile(
  worker: WorkerInspector,
  { script, path }: { readonly script: string; readonly path: string },
): Promise<void> {
  const { profile } = await worker.send<{ profile: Profile }>("Profiler.stop");
  await writeFile(path, JSON.stringify(profile));
  const module = modulesOf(script);
  const [byModule, byFunction] = [new Map<string, number>(), new Map<string, number>()];
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  let whole = 0;
  profile.samples.forEach((id, i) => {
    const frame = frames.get(id);
    if (!frame) return;
    const time = (profile.timeDeltas[i] ?? 0) / 1000;
    const place = frame.url ? module(frame.lineNumber) : frame.functionName;
    whole += time;
    add(byModule, place, time);
    add(byFunction, `${frame.functionName || "(anonymous)"} of ${place}`, time);
  });
  process.stdout.write(`     ${path}: ${whole.toFixed(0)} ms of the worker\n`);
  for (const times of [byModule, byFunction]) {
    process.stdout.write(`${largest(times, whole)}\n`);
  }
}

function add(times: Map<string, number>, name: string, time: number): void {
  times.set(name, (times.get(name) ?? 0) + time);
}

function largest(times: ReadonlyMap<string, number>, whole: number): string {
  return [...times]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 20)
    .map(
      ([name, time]) =>
        `       ${time.toFixed(0).padStart(6)} ms ${((time * 100) / whole).toFixed(1).padStart(5)} %  ${name}`,
    )
    .join("\n");
}

/** A bundle that was not minified names each module in a comment before its code. */
function modulesOf(script: string): (line: number) => string {
  let current = "the bundle";
  const names = script.split("\n").map((line) => {
    current = /^ *\/\/ ((?:packages|node_modules|\.scripts|examples)\/\S+)$/.exec(line)?.[1] ?? current;
    return current;
  });
  return (line) => names[line] ?? "the bundle";
}
