import { join } from "node:path";
import type { Commit, Document, Store } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import type { StoresTask } from "./stores.ts";
import { type ChangeOf, changingCommits, creatingCommits, madeBy } from "./stores-documents.ts";
import { findingText, median, peakMemory, type Rate, rateText, startClock } from "./stores-figures.ts";
import { followFor } from "./stores-follow.ts";
import { RawTable } from "./stores-raw.ts";

interface Comparison extends StoresTask {
  readonly store: Store;
  readonly raw: RawTable;
  readonly keys: readonly string[];
  /** Numbers of people to change next: another each time, all over the register. */
  next(count: number): readonly number[];
}

/** A measurement and its raw limit. */
interface Pair {
  readonly name: string;
  readonly goal: number;
  ours(): Promise<Rate>;
  raw(): Rate;
}

/** Measures the SQLite store beside the raw limits, in turns, and prints each ratio beside its goal. */
export async function compareSqlite(task: StoresTask): Promise<void> {
  const { folder, records } = task;
  const store = await openSqliteStore({ path: join(folder, "compare.db") });
  const keys: string[] = [];
  for await (const commit of creatingCommits(records, 1000)) {
    await madeBy(store, [commit]);
    keys.push(...recordsOf(commit).map(({ key }) => key));
  }
  let turn = 0;
  const next = (count: number) => Array.from({ length: count }, () => (turn = (turn + 7919) % records));
  const raw = new RawTable(join(folder, "raw.db"), records);
  const comparison = { ...task, store, raw, keys, next };
  for (const pair of pairsOf(comparison)) await compare(comparison, pair);
  await measureFeed(comparison);
  await store.close();
  raw.close();
  process.stdout.write(`     peak memory ${peakMemory().toFixed(0)} MB at ${records} records\n`);
}

function pairsOf({ store, raw, keys, next, seconds }: Comparison): readonly Pair[] {
  const commits = (change: ChangeOf, together: number): Pair => ({
    name: `commit of a PATCH (${change}), ${together === 1 ? "one at a time" : `${together} at once`}`,
    goal: 0.35,
    ours: async () => commitRate(store, await changingCommits(store, next(1000 * seconds), change), together),
    raw: () => raw.commits(2000 * seconds),
  });
  const reads = 30_000 * seconds;
  return [
    ...[1, 16].flatMap((together) => [commits("phone", together), commits("name", together)]),
    {
      name: "point read, body parsed",
      goal: 0.5,
      ours: async () => {
        const wanted = next(reads).map((number) => [{ collection: "Individual", key: keys[number] ?? "" }]);
        const clock = startClock();
        for (const key of wanted) {
          const [document] = await store.get(key);
          if (!document?.body) throw new Error("a record is missing");
        }
        return clock(reads);
      },
      raw: () => raw.reads(reads),
    },
  ];
}

async function commitRate(store: Store, commits: readonly Commit[], together: number): Promise<Rate> {
  const clock = startClock();
  for (let from = 0; from < commits.length; from += together) {
    await madeBy(store, commits.slice(from, from + together));
  }
  return clock(commits.length);
}

function recordsOf({ put = [] }: Commit): readonly Document[] {
  return put.filter(({ collection }) => collection === "Individual");
}

async function feedRate({ store, seconds }: Comparison): Promise<Rate> {
  const clock = startClock();
  return clock(await followFor(store, seconds));
}

/** Interleaves both sides, so that whatever else the machine does concerns both. */
async function compare({ rounds }: Comparison, { name, goal, ours, raw }: Pair): Promise<void> {
  raw();
  await ours();
  const found: { readonly own: Rate; readonly limit: Rate }[] = [];
  for (let round = 0; round < rounds; round++) found.push({ limit: raw(), own: await ours() });
  const ratio = median(found.map(({ own, limit }) => own.rate / limit.rate));
  const reached = ratio >= goal;
  const value = `ratio ${ratio.toFixed(2)}`;
  const figures = `${rateText(found.map(({ own }) => own))}, of ${rateText(found.map(({ limit }) => limit))}`;
  process.stdout.write(findingText({ name, value, goal: `≥ ${goal}`, figures, reached }));
}

async function measureFeed(comparison: Comparison): Promise<void> {
  const rates: Rate[] = [];
  for (let round = 0; round < comparison.rounds; round++) rates.push(await feedRate(comparison));
  const rate = median(rates.map((each) => each.rate));
  const finding = {
    name: "feed pages of 500, bodies parsed",
    value: `${rate.toFixed(0)}/s`,
    goal: "≥ 50000/s",
    figures: rateText(rates),
    reached: rate >= 50_000,
  };
  process.stdout.write(findingText(finding));
}
