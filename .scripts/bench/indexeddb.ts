import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { chromiumMissing, chromiumSwitches, findChromium } from "../../test/browser/chromium.ts";
import { servePage } from "../../test/browser/stage/page-server.ts";
import type { Landed, Measures } from "./indexeddb-page.ts";

export interface IndexedDbBenchOptions {
  /** Of the larger landing, and of the store that is queried. */
  readonly records: number;
  readonly rounds: number;
  /** A part of a measurement's name. Default: all. */
  readonly only?: string;
}

/** Calls one of the page's measures. */
type Call = <Name extends keyof Measures>(
  name: Name,
  ...args: Parameters<Measures[Name]>
) => Promise<Awaited<ReturnType<Measures[Name]>>>;

interface Bench extends IndexedDbBenchOptions {
  readonly call: Call;
}

/** Measures the IndexedDB store in a Chromium with its profile on disk, beside IndexedDB by hand in the same page. */
export async function benchIndexedDb(options: IndexedDbBenchOptions): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error(chromiumMissing);
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-bench-"));
  const page = await servePage(".scripts/bench/indexeddb-page.ts", { minify: true });
  const context = await chromium.launchPersistentContext(folder, {
    executablePath,
    args: [...chromiumSwitches, "--enable-precise-memory-info"],
  });
  try {
    const tab = await context.newPage();
    await tab.goto(`http://localhost:${page.port}/`);
    const call = ((name: string, ...args: unknown[]) =>
      tab.evaluate(
        ([method, given]) =>
          (globalThis as unknown as { measures: Record<string, (...each: unknown[]) => unknown> }).measures[
            method
          ]?.(...given),
        [name, args] as const,
      )) as Call;
    for (const [name, run] of Object.entries(measurements)) {
      if (name.includes(options.only ?? "")) await run({ ...options, call });
    }
  } finally {
    await context.close();
    page.close();
    await rm(folder, { recursive: true, force: true });
  }
}

const measurements: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  "landing 10000": (bench) => benchLanding(bench, 10_000, bench.rounds),
  landing: (bench) => benchLanding(bench, bench.records, Math.min(bench.rounds, 3)),
  edits: benchEdits,
  queries: benchQueries,
  similar: benchSimilar,
};

async function benchLanding({ call }: Bench, records: number, rounds: number): Promise<void> {
  const [raw, ours, engine]: Landed[][] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const [theirs, plain, full] = ["raw", "ours", "engine"].map((name) => `${name}-${round}`) as [
      string,
      string,
      string,
    ];
    raw?.push(await call("landRaw", theirs, records));
    ours?.push(await call("land", plain, records, false));
    engine?.push(await call("land", full, records, true));
    for (const name of [theirs, plain, full]) await call("remove", name);
  }
  for (const [name, landed = []] of [
    ["", ours],
    [", with what the engine reads first", engine],
  ] as const) {
    const ratio = median(landed.map((each, i) => (raw?.[i]?.milliseconds ?? 0) / each.milliseconds));
    const rate = (of: readonly Landed[]) =>
      Math.round(median(of.map(({ milliseconds }) => (records * 1000) / milliseconds)));
    const heap = Math.max(...landed.map((each) => each.heap));
    report(`landing ${records}${name}`, {
      figures: `${rate(landed)}/s of ${rate(raw ?? [])}/s raw with three indexes; heap ${heap.toFixed(0)} MB`,
      value: `ratio ${ratio.toFixed(2)}`,
      goal: "≥ 1",
      reached: ratio >= 1,
    });
  }
}

async function benchEdits({ call, rounds }: Bench): Promise<void> {
  await call("landRaw", "raw", 10_000);
  await call("land", "ours", 10_000, false);
  const [raw, ours]: number[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    raw?.push(...(await call("editsRaw", "raw", 200)));
    ours?.push(...(await call("edits", "ours", 200)));
  }
  const ratio = median(ours ?? []) / median(raw ?? []);
  report("one strict edit", {
    figures: `${times(ours ?? [], 0.99)} against ${times(raw ?? [], 0.99)} raw`,
    value: `ratio of p50 ${ratio.toFixed(2)}`,
    goal: "≤ 2",
    reached: ratio <= 2,
  });
  await call("remove", "raw");
  await call("remove", "ours");
}

/** The most that a query's p95 may take, in milliseconds. */
const goals: Readonly<Record<string, number>> = {
  prefix: 20,
  contains: 50,
  "sort by birth date": 20,
  "from the middle of the names": 20,
  "without a telephone": 20,
  identifier: 20,
};

async function benchQueries({ call, records, rounds }: Bench): Promise<void> {
  await call("landRaw", "raw", records);
  await call("land", "ours", records, false);
  const first = await call("firstQuery", "ours", "contains");
  process.stdout.write(`     the first query of a store just opened: ${first.toFixed(0)} ms\n`);
  for (const [kind, goal] of Object.entries(goals)) {
    const [raw, ours]: number[][] = [[], []];
    for (let round = 0; round < rounds; round++) {
      if (kind === "prefix" || kind === "contains")
        raw?.push(...(await call("queriesRaw", "raw", kind, kind === "prefix" ? 40 : 2)));
      ours?.push(...(await call("queries", "ours", kind, 40)));
    }
    const p95 = quantile(ours ?? [], 0.95);
    report(`${kind}, 20 of ${records}`, {
      figures: `${times(ours ?? [], 0.95)}${raw?.length ? ` against ${times(raw, 0.95)} raw` : ""}`,
      value: `p95 ${p95.toFixed(1)} ms`,
      goal: `≤ ${goal} ms`,
      reached: p95 <= goal,
    });
  }
}

async function benchSimilar({ call, records, rounds }: Bench): Promise<void> {
  await call("landNeighbours", "similar", records);
  const { first, times: all, found } = await call("similar", "similar", records, rounds * 40);
  const p99 = quantile(all, 0.99);
  report(`people like one who is registered with a slip, of ${records}`, {
    figures: `${times(all, 0.99)}; the first after opening ${first.toFixed(0)} ms; ${Math.round(found * 100)} % found`,
    value: `p99 ${p99.toFixed(1)} ms`,
    goal: "≤ 50 ms",
    reached: p99 <= 50,
  });
  await call("remove", "similar");
}

function times(values: readonly number[], high: number): string {
  return `p50 ${median(values).toFixed(1)} ms, p${high * 100} ${quantile(values, high).toFixed(1)} ms`;
}

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function report(
  name: string,
  found: {
    readonly figures: string;
    readonly value: string;
    readonly goal: string;
    readonly reached: boolean;
  },
): void {
  const { figures, value, goal, reached } = found;
  process.stdout.write(`${reached ? "ok  " : "MISS"} ${name}: ${value} (goal ${goal}; ${figures})\n`);
}
