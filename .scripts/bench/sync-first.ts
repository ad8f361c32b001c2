import { quiet } from "./quiet.ts";
import { findingText, median } from "./stores-figures.ts";
import { openCouch } from "./sync-couch.ts";
import { openLine } from "./sync-line.ts";
import type { RawMeasures } from "./sync-page-raw.ts";
import type { PageName, Service, Stage } from "./sync-stage.ts";
import type { FirstSync, SideMeasures } from "./sync-task.ts";

export interface FirstSyncBench {
  readonly stage: Stage;
  readonly service: Service;
  readonly records: number;
  readonly rounds: number;
}

/** What each side does to have the records. */
export const sides: Readonly<Record<PageName, string>> = {
  engine: "the engine in its worker: its own pages of the feed, the cursor in the same commit",
  raw: "IndexedDB by hand: pages of 500, the next one fetched meanwhile, a put for each record, 3 indexes, relaxed",
  dexie: "Dexie by hand: the same with bulkPut",
  rxdb: "RxDB over Dexie: replicateRxCollection with a pull handler over the feed, batches of 500, 3 indexes",
  pouchdb:
    "PouchDB: bulkDocs of pages of 500 of the feed, auto_compaction, one revision; no index but the id",
  replication:
    "PouchDB: its own replication from a CouchDB's answers out of memory, batches of 500; no index but the id",
};

const peers: readonly PageName[] = ["dexie", "rxdb", "pouchdb", "replication"];

/** From the real server to queryable, each side on a page opened anew, the sides taking turns. */
export async function benchFirstSync(bench: FirstSyncBench): Promise<void> {
  const { stage, service, records } = bench;
  const names = stage.pages;
  const runs = new Map<PageName, FirstSync[]>(names.map((name) => [name, []]));
  const wire: number[] = [];
  const line = await openLine(service.port, await openCouch(service));
  const rounds = records > 20_000 ? Math.min(bench.rounds, 2) : bench.rounds;
  for (let round = 0; round < rounds; round++) {
    wire.push(await fetchAll(stage, service));
    for (const name of names) {
      const from = name === "replication" ? { ...service, port: line.port } : service;
      const run = await firstSync({ ...bench, service: from }, name, `${name}-${records}-${round}`);
      runs.get(name)?.push(run);
    }
  }
  line.close();
  for (const name of names) process.stdout.write(sideLine(name, runs.get(name) ?? [], records));
  process.stdout.write(`     fetch and JSON.parse alone: ${median(wire).toFixed(0)} ms\n`);
  report(records, runs);
}

export async function firstSync(
  { stage, service, records }: Omit<FirstSyncBench, "rounds">,
  side: PageName,
  name: string,
): Promise<FirstSync> {
  await quiet();
  const tab = await stage.open<SideMeasures>(side, service.port, { at: name });
  const result = await tab.call("firstSync", { name, token: service.token });
  await tab.close();
  if (result.records !== records) throw new Error(`${side} has ${result.records} of ${records} records.`);
  return result;
}

async function fetchAll(stage: Stage, service: Service): Promise<number> {
  const tab = await stage.open<RawMeasures>("raw", service.port);
  const time = await tab.call("fetchAll", { name: "none", token: service.token });
  await tab.close();
  return time;
}

function sideLine(side: PageName, runs: readonly FirstSync[], records: number): string {
  const all = runs.map((run) => run.all);
  const rate = ((records * 1000) / median(all)).toFixed(0);
  const spread = `${Math.min(...all).toFixed(0)}–${Math.max(...all).toFixed(0)}`;
  const first = median(runs.map((run) => run.first)).toFixed(0);
  const figures = `${median(all).toFixed(0)} ms (${spread}; ${rate}/s), first page after ${first} ms`;
  return `     ${figures}: ${sides[side]}\n`;
}

function report(records: number, runs: ReadonlyMap<PageName, readonly FirstSync[]>): void {
  const ratioTo = (side: PageName, of: "first" | "all") =>
    median((runs.get("engine") ?? []).map((run, i) => run[of] / (runs.get(side)?.[i]?.[of] ?? Number.NaN)));
  const there = peers.filter((name) => runs.has(name));
  const toPeers = there.map((name) => `${name} ${ratioTo(name, "all").toFixed(2)}`);
  const worst = Math.max(...there.map((name) => ratioTo(name, "all")));
  const say = (found: Parameters<typeof findingText>[0]) => process.stdout.write(findingText(found));
  say({
    name: `first sync of ${records} against the fastest peer`,
    value: `ratio of times ${worst.toFixed(2)}`,
    goal: "< 1",
    figures: toPeers.join(", "),
    reached: worst < 1,
  });
  const limit = ratioTo("raw", "all");
  say({
    name: `first sync of ${records} against the limit`,
    value: `ratio of times ${limit.toFixed(2)}`,
    goal: "≤ 1.5",
    figures: "IndexedDB by hand",
    reached: limit <= 1.5,
  });
  const first = ratioTo("raw", "first");
  say({
    name: "time to the first usable page against the limit",
    value: `ratio of times ${first.toFixed(2)}`,
    goal: "≤ 1.3",
    figures: `${median((runs.get("engine") ?? []).map((run) => run.first)).toFixed(0)} ms`,
    reached: first <= 1.3,
  });
}
