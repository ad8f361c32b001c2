import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { latencies, rate, requestText, type Shot } from "./load.ts";
import { buildPrograms, type Programs } from "./programs.ts";
import { seed, system } from "./seed.ts";
import { type Running, rawCommits, startBare, startService } from "./servers.ts";

export interface BenchOptions {
  readonly records: number;
  readonly rounds: number;
  /** Of one measurement. */
  readonly seconds: number;
  /** One of `get`, `patch`, `search`, `pages`. Default: all, in this order. */
  readonly only?: string;
  /** Folder for CPU profiles of the server. */
  readonly profile?: string;
}

interface Bench extends BenchOptions {
  readonly programs: Programs;
  readonly folder: string;
  readonly service: Running;
  readonly bare: Running;
  readonly authorization: string;
}

const connections = 16;

/** Runs every measurement and prints it beside its goal. */
export async function benchHttp(options: BenchOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-bench-"));
  const programs = await buildPrograms();
  try {
    await seed(join(folder, "registry.db"), options.records);
    const service = await startService(programs, folder, { profile: options.profile });
    const bare = await startBare(programs, folder);
    const authorization = `Bearer ${service.token}`;
    const bench = { ...options, service, bare, programs, folder, authorization };
    for (const [name, run] of Object.entries(measurements)) {
      if ((options.only ?? name) === name) await run(bench);
    }
    await bare.stop();
    await service.stop();
  } finally {
    await rm(folder, { recursive: true });
    await programs.remove();
  }
}

const measurements = { get: benchGet, patch: benchPatch, search: benchSearch, pages: benchPages };

async function benchGet(bench: Bench): Promise<void> {
  const { service, records, seconds, authorization } = bench;
  let at = 0;
  const nextNumber = () => (at = (at + 7919) % records);
  const own = (): Shot => ({
    bytes: requestText("GET", `/api/v2/Individual/${system}%7C${nextNumber()}`, {
      headers: { Authorization: authorization },
    }),
  });
  const bare = (): Shot => ({ bytes: requestText("GET", `/Individual/${system}%7C${nextNumber()}`) });
  await compare(bench, "GET one Individual, token and audit", {
    goal: 0.5,
    measured: () => measuredRate(service, { seconds, next: own }),
    reference: () => measuredRate(bench.bare, { seconds, next: bare }),
  });
}

async function benchPatch(bench: Bench): Promise<void> {
  const { service, seconds, authorization, programs, folder } = bench;
  const versions = new Map<number, string>();
  let turn = 0;
  const next = (connection: number): Shot => {
    turn += 1;
    const body = JSON.stringify({ name: { middle: `M${turn}` } });
    const tag = versions.get(connection) ?? '"1"';
    const headers = {
      Authorization: authorization,
      "Content-Type": "application/merge-patch+json",
      "If-Match": tag,
    };
    return {
      bytes: requestText("PATCH", `/api/v2/Individual/${system}%7C${connection}`, { headers, body }),
      onAnswer: ({ head }) => versions.set(connection, /etag: (\S+)/i.exec(head)?.[1] ?? ""),
    };
  };
  await compare(bench, "PATCH with If-Match, durable", {
    goal: 0.4,
    measured: () => measuredRate(service, { seconds, next }),
    reference: async () => ({ rate: rawCommits(programs, folder, seconds) }),
  });
}

/** Interleaves both sides, so that whatever else the machine does concerns both. */
async function compare(
  { rounds }: Bench,
  name: string,
  {
    goal,
    measured,
    reference,
  }: { readonly goal: number; measured(): Promise<Measured>; reference(): Promise<Measured> },
): Promise<void> {
  await reference();
  await measured();
  const ours: Measured[] = [];
  const theirs: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await reference());
    ours.push(await measured());
  }
  const ratio = median(ours.map(({ rate: value }, i) => value / (theirs[i]?.rate ?? 1)));
  const figures = `${summary(ours)} of ${summary(theirs)}`;
  report(name, { figures, value: `ratio ${ratio.toFixed(2)}`, goal: `≥ ${goal}`, reached: ratio >= goal });
}

/** One round of a server. */
interface Measured {
  /** Answers a second. */
  readonly rate: number;
  /** Processor time of an answer in microseconds, which other work on the machine changes little. */
  readonly cost?: number;
}

async function measuredRate(
  { port, processorTime }: Running,
  load: { readonly seconds: number; readonly next: (connection: number) => Shot },
): Promise<Measured> {
  const before = processorTime();
  const begin = performance.now();
  const answers = await rate(port, { ...load, connections });
  const answered = (answers * (performance.now() - begin)) / 1000;
  const after = processorTime();
  if (before === undefined || after === undefined) return { rate: answers };
  return { rate: answers, cost: ((after - before) * 1000) / answered };
}

function summary(rounds: readonly Measured[]): string {
  const costs = rounds.flatMap(({ cost }) => cost ?? []);
  const each = costs.length > 0 ? ` at ${median(costs).toFixed(0)} µs of processor time` : "";
  return `${median(rounds.map((round) => round.rate)).toFixed(0)}/s${each}`;
}

async function benchSearch({ service, authorization, rounds }: Bench): Promise<void> {
  const names = ["reba", "Mali", "vizalo", "to pa", "nalore", "gu", "zzz", "yumina", "sapare", "lito ma"];
  const requests = Array.from({ length: rounds * 4 }, () => names)
    .flat()
    .map((name) => get(`/api/v2/Individual?name=${encodeURIComponent(name)}`, authorization));
  const times = await latencies(service.port, requests);
  const p95 = quantile(times, 0.95);
  const figures = `p50 ${median(times).toFixed(1)} ms`;
  report("search by name", {
    figures,
    value: `p95 ${p95.toFixed(1)} ms`,
    goal: "≤ 20 ms",
    reached: p95 <= 20,
  });
}

async function benchPages({ service, authorization, records }: Bench): Promise<void> {
  const first = "/api/v2/Individual?_sort=name&limit=20";
  const wanted = Math.min(1000, Math.floor(records / 20) - 1);
  let path = first;
  for (let page = 1; page < wanted; page++) {
    const answer = await fetch(`http://127.0.0.1:${service.port}${path}`, {
      headers: { Authorization: authorization },
    });
    const { links } = (await answer.json()) as { links: { next: string } };
    const { pathname, search } = new URL(links.next);
    path = pathname + search;
  }
  const turns = Array.from({ length: 200 }, (_, i) => get(i % 2 ? path : first, authorization));
  const times = await latencies(service.port, turns);
  const [one, far] = [0, 1].map((parity) => median(times.filter((_, i) => i % 2 === parity)));
  const ratio = (far ?? 0) / (one ?? 1);
  const figures = `${far?.toFixed(2)} ms against ${one?.toFixed(2)} ms`;
  report(`page ${wanted} against page 1`, {
    figures,
    value: `ratio ${ratio.toFixed(2)}`,
    goal: "≤ 1.2",
    reached: ratio <= 1.2,
  });
}

function get(target: string, authorization: string): string {
  return requestText("GET", target, { headers: { Authorization: authorization } });
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

function report(
  name: string,
  {
    figures,
    value,
    goal,
    reached,
  }: { readonly figures: string; readonly value: string; readonly goal: string; readonly reached: boolean },
): void {
  process.stdout.write(`${reached ? "ok  " : "MISS"} ${name}: ${value} (goal ${goal}; ${figures})\n`);
}
