import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Document } from "@fieldroll/core";
import { loadSqliteStore, openSqliteStore } from "@fieldroll/storage/sqlite";
import type { StoresTask } from "./stores.ts";
import { creatingCommits, madeBy } from "./stores-documents.ts";
import { findingText, median, peakMemory, type Rate, rateText, startClock } from "./stores-figures.ts";
import { RawTable } from "./stores-raw.ts";

interface Bulk extends StoresTask {
  readonly records: number;
  /** Those of a thousand records together: what is handed over is ready. */
  readonly documents: readonly (readonly Document[])[];
  readonly audited: boolean;
}

/**
 * Measures how new files are filled, by a bulk load, by large commits and by bare upserts in turns. For a process that does nothing
 * else: what other work leaves to be collected, and to be written to the disk, costs as much again.
 */
export async function measureBulk(task: StoresTask, audited: boolean): Promise<void> {
  const records = 20_000 * task.seconds;
  const documents: (readonly Document[])[] = [];
  for await (const { put = [] } of creatingCommits(records, 1000)) {
    documents.push(audited ? put : put.filter(({ collection }) => collection === "Individual"));
  }
  const bulk: Bulk = { ...task, records, documents, audited };
  const rawPath = join(task.folder, "raw bulk.db");
  const raw = new RawTable(rawPath, records);
  const [loads, commits, limits]: [Rate[], Rate[], Rate[]] = [[], [], []];
  // The first round is to warm up.
  for (let round = 0; round <= task.rounds; round++) {
    loads[round] = await loadRate(bulk);
    commits[round] = await commitRate(bulk);
    limits[round] = raw.bulk(records);
  }
  raw.close();
  await rm(rawPath);
  for (const rates of [loads, commits, limits]) rates.shift();
  const what = audited ? "records with their audit" : "records";
  const rate = median(loads.map((each) => each.rate));
  const ratio = median(loads.map((load, round) => load.rate / (limits[round]?.rate ?? 0)));
  const limit = `${ratio.toFixed(2)} of upserts of one row each, 1,000 in a commit: ${rateText(limits)}`;
  const finding = {
    name: `bulk load of ${what}`,
    value: `${rate.toFixed(0)}/s`,
    goal: "≥ 25000/s",
    figures: `${rateText(loads)}; ${limit}`,
    reached: rate >= 25_000,
  };
  process.stdout.write(findingText(finding));
  process.stdout.write(`     ${what}, 1,000 in a commit: ${rateText(commits)}\n`);
  process.stdout.write(
    `     peak memory ${peakMemory().toFixed(0)} MB with ${records} ready to be handed over\n`,
  );
}

/** From no file until it is whole, with all that finds the documents, and on the disk. */
async function loadRate({ folder, records, documents }: Bulk): Promise<Rate> {
  const path = join(folder, "load.db");
  const clock = startClock();
  const loaded = await loadSqliteStore({ path, documents });
  const rate = clock(records);
  if (!loaded.ok) throw new Error(`a load was refused: ${JSON.stringify(loaded.conflict)}`);
  await rm(path);
  return rate;
}

/** Into a new file, made beforehand. */
async function commitRate({ folder, records, documents }: Bulk): Promise<Rate> {
  const path = join(folder, "import.db");
  const store = await openSqliteStore({ path });
  const clock = startClock();
  for (const put of documents) await madeBy(store, [{ put }]);
  const rate = clock(records);
  await store.close();
  await rm(path);
  return rate;
}
