import { findingText } from "./stores-figures.ts";
import { inspectWorker } from "./sync-inspect.ts";
import type { PageName, Service, Stage } from "./sync-stage.ts";
import type { HeapMeasures, SideMeasures } from "./sync-task.ts";

interface HeapBench {
  readonly stage: Stage;
  readonly service: Service;
  readonly records: number;
}

/** The most that a heap of JavaScript holds during a first sync, whatever waits for collection included. */
export async function benchHeap(bench: HeapBench): Promise<void> {
  const engine = await engineHeap(bench);
  const others: string[] = [];
  for (const side of bench.stage.pages) {
    if (side === "engine" || side === "replication") continue;
    others.push(`${side} ${(await pageHeap(bench, side)).toFixed(0)} MB`);
  }
  process.stdout.write(
    findingText({
      name: `heap peak during a first sync of ${bench.records}`,
      value: `${engine.peak.toFixed(0)} MB above the blank worker`,
      goal: "≤ 64 MB",
      figures: `${engine.steady.toFixed(0)} MB after collection at the end; ${others.join(", ")}`,
      reached: engine.peak <= 64,
    }),
  );
}

async function engineHeap({ stage, service }: HeapBench): Promise<{ peak: number; steady: number }> {
  const tab = await stage.open<SideMeasures>("engine", service.port);
  const attached = await inspectWorker(tab.page);
  const syncing = tab.call("firstSync", { name: "heap-engine", token: service.token });
  const worker = await attached();
  const used = async () => (await worker.send<{ usedSize: number }>("Runtime.getHeapUsage")).usedSize;
  const blank = await used();
  let ended = false;
  void syncing.finally(() => {
    ended = true;
  });
  let peak = 0;
  while (!ended) {
    peak = Math.max(peak, (await used()) - blank);
    await tab.page.waitForTimeout(20);
  }
  await syncing;
  await worker.send("HeapProfiler.collectGarbage");
  const steady = (await used()) - blank;
  await tab.close();
  return { peak: peak / 1e6, steady: steady / 1e6 };
}

async function pageHeap({ stage, service }: HeapBench, side: PageName): Promise<number> {
  const tab = await stage.open<SideMeasures & HeapMeasures>(side, service.port);
  await tab.call("watchHeap");
  await tab.call("firstSync", { name: `heap-${side}`, token: service.token });
  const peak = await tab.call("heapPeak");
  await tab.close();
  return peak / 1e6;
}
