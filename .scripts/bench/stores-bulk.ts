import { spawnSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
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
  const settle = settling();
  // The first round is to warm up.
  for (let round = 0; round <= task.rounds; round++) {
    settle();
    loads[round] = await loadRate(bulk);
    settle();
    commits[round] = await commitRate(bulk);
    settle();
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

/**
 * Gives what a turn is to be preceded by: what the last one left to the disk is written, and its memory collected. Else that would be done
 * beside the next one, at its cost.
 */
function settling(): () => void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  return () => {
    // There is none on Windows; the disk is then as busy as it is.
    spawnSync("sync");
    collect();
  };
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
